import Core
import Foundation
import Secrets

/// A voucher code: 16 characters in 4 groups.
struct VoucherCode: Equatable, Sendable {
  static let length = 16
  /// Without I, O, 0 and 1, which look alike: 32 characters, so 80 bits a code.
  private static let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")

  private let characters: String

  static func random() -> VoucherCode {
    var generator = SystemRandomNumberGenerator()
    let characters = (0..<length).map { _ in
      alphabet[Int.random(in: alphabet.indices, using: &generator)]
    }
    return VoucherCode(characters: String(characters))
  }

  private init(characters: String) {
    self.characters = characters
  }

  /// Parses a typed code: lower case, full-width characters, spaces and hyphens are accepted.
  init?(_ entered: String) {
    guard let plain = entered.compatible(upTo: 400) else { return nil }
    let characters = plain.uppercased().filter { !$0.isWhitespace && !"-–—‐_.".contains($0) }
    guard characters.count == Self.length, characters.allSatisfy(Self.alphabet.contains) else {
      return nil
    }
    self.characters = characters
  }

  /// "ABCD-2345-JKLM-6789".
  var text: String {
    let all = Array(characters)
    return stride(from: 0, to: Self.length, by: 4).map { String(all[$0..<$0 + 4]) }
      .joined(separator: "-")
  }

  /// The stored HMAC, with a key that is kept outside the database and never changes.
  func hash(_ keys: KeyRing) -> [UInt8] {
    Digests.hmac(Array(characters.utf8), key: keys.derivedKey(purpose: "vouchers"))
  }
}
