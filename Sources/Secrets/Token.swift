/// A secret of 256 random bits, for links in mails and for cookies
/// (docs/developer/data-protection.md).
///
/// The text goes to the person, the hash into the database: who reads the database cannot use it.
public struct Token: Sendable {
  /// The secret itself, 32 bytes.
  public let bytes: [UInt8]

  private init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Makes a new one from the system's generator.
  public static func random() -> Token {
    Token(bytes: RandomBytes.make(32))
  }

  /// Reads the 43 characters of a token; nil for anything else.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count == 43, let bytes = Base64URL.bytes(text), bytes.count == 32 else {
      return nil
    }
    self.bytes = bytes
  }

  /// The secret in 43 characters that need no escaping in an address.
  public var text: String { Base64URL.text(bytes) }

  /// What is stored: SHA-256 of the secret, 32 bytes. The secret has too many bits to be tried
  /// out, so a fast hash is enough.
  public var sha256: [UInt8] { Digests.sha256(bytes) }

  /// Whether a stored hash is that of this token, compared in constant time.
  public func matches(sha256 stored: [UInt8]) -> Bool {
    ConstantTime.equal(sha256, stored)
  }
}
