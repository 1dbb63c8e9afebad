import Core
import Foundation

/// What opens a guest's data on another device: 16 letters in 4 groups
/// (docs/developer/accounts.md#guests).
struct GuestCode: Equatable {
  static let length = 16
  /// Without I and O, which look like digits: 24 letters, so 73 bits a code.
  private static let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ")

  /// The letters alone.
  let mails: String

  static func random() -> GuestCode {
    var generator = SystemRandomNumberGenerator()
    let mails = (0..<length).map { _ in
      alphabet[Int.random(in: alphabet.indices, using: &generator)]
    }
    return GuestCode(mails: String(mails))
  }

  private init(mails: String) {
    self.mails = mails
  }

  /// Reads a code as people type it: small letters, full-width ones, spaces and hyphens are fine.
  init?(_ typed: String) {
    guard let plain = typed.compatible(upTo: 200) else { return nil }
    let mails = plain.uppercased().filter { !$0.isWhitespace && !"-–—‐_.".contains($0) }
    guard mails.count == Self.length, mails.allSatisfy(Self.alphabet.contains) else {
      return nil
    }
    self.mails = mails
  }

  /// "ABCD-EFGH-JKLM-NPQR".
  var text: String {
    let mails = Array(mails)
    return stride(from: 0, to: Self.length, by: 4).map { String(mails[$0..<$0 + 4]) }
      .joined(separator: "-")
  }
}
