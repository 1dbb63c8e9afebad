import Basics
import Foundation

/// What opens a guest's data on another device: 16 letters in 4 groups
/// (docs/developer/accounts.md#guests).
struct GuestCode: Equatable {
  static let length = 16
  /// Without I and O, which look like digits: 24 letters, so 73 bits a code.
  private static let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ")

  /// The letters alone.
  let letters: String

  static func random() -> GuestCode {
    var generator = SystemRandomNumberGenerator()
    let letters = (0..<length).map { _ in
      alphabet[Int.random(in: alphabet.indices, using: &generator)]
    }
    return GuestCode(letters: String(letters))
  }

  private init(letters: String) {
    self.letters = letters
  }

  /// Reads a code as people type it: small letters, full-width ones, spaces and hyphens are fine.
  init?(_ typed: String) {
    guard let plain = typed.compatible(upTo: 200) else { return nil }
    let letters = plain.uppercased().filter { !$0.isWhitespace && !"-–—‐_.".contains($0) }
    guard letters.count == Self.length, letters.allSatisfy(Self.alphabet.contains) else {
      return nil
    }
    self.letters = letters
  }

  /// "ABCD-EFGH-JKLM-NPQR".
  var text: String {
    let letters = Array(letters)
    return stride(from: 0, to: Self.length, by: 4).map { String(letters[$0..<$0 + 4]) }
      .joined(separator: "-")
  }
}
