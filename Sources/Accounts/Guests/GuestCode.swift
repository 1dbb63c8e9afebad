import Core
import Foundation

/// A guest's recovery code, which opens their data on another device: 16 characters in 4 groups
/// (docs/developer/accounts.md#guests).
struct GuestCode: Equatable {
  static let length = 16
  /// Without I and O, which look like digits: 24 characters, 73 bits a code.
  private static let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ")

  /// The characters without separators.
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

  /// Parses a typed code: lower case, full-width characters, spaces and hyphens are accepted.
  init?(_ entered: String) {
    guard let plain = entered.compatible(upTo: 200) else { return nil }
    let characters = plain.uppercased().filter { !$0.isWhitespace && !"-–—‐_.".contains($0) }
    guard characters.count == Self.length, characters.allSatisfy(Self.alphabet.contains) else {
      return nil
    }
    self.characters = characters
  }

  /// The code in groups: "ABCD-EFGH-JKLM-NPQR".
  var text: String {
    let characters = Array(characters)
    return stride(from: 0, to: Self.length, by: 4).map { String(characters[$0..<$0 + 4]) }
      .joined(separator: "-")
  }
}
