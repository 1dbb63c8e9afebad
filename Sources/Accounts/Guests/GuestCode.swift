import Core
import Foundation

/// What opens a guest's data on another device: 16 letters in 4 groups
/// (docs/developer/accounts.md#guests).
struct GuestCode: Equatable {
  static let length = 16
  /// Without I and O, which look like digits: 24 letters, so 73 bits a code.
  private static let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ")

  /// The letters alone.
  let characters: String

  static func random() -> GuestCode {
    var generator = SystemRandomNumberGenerator()
    let characters = (0..<length).map { _ in
      alphabet[Int.random(in: alphabet.indices, using: &generator)]
    }
    return GuestCode(characters: String(characters))
  }

  private init(characters: String) {
    self.characters = characters
  }

  /// Reads a code as people type it: small letters, full-width ones, spaces and hyphens are fine.
  init?(_ typed: String) {
    guard let plain = typed.compatible(upTo: 200) else { return nil }
    let characters = plain.uppercased().filter { !$0.isWhitespace && !"-–—‐_.".contains($0) }
    guard characters.count == Self.length, characters.allSatisfy(Self.alphabet.contains) else {
      return nil
    }
    self.characters = characters
  }

  /// "ABCD-EFGH-JKLM-NPQR".
  var text: String {
    let characters = Array(characters)
    return stride(from: 0, to: Self.length, by: 4).map { String(characters[$0..<$0 + 4]) }
      .joined(separator: "-")
  }
}
