/// A secret of 256 random bits, for mailed links and for cookies
/// (docs/developer/data-protection.md).
///
/// The client gets the text, the database the hash: a reader of the database cannot use it.
public struct Token: Sendable {
  /// The secret itself, 32 bytes.
  public let bytes: [UInt8]

  private init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Creates a token with the system's generator.
  public static func random() -> Token {
    Token(bytes: RandomBytes.make(32))
  }

  /// Parses the 43 characters of a token; nil for anything else.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count == 43, let bytes = Base64URL.bytes(text), bytes.count == 32 else {
      return nil
    }
    self.bytes = bytes
  }

  /// The secret in 43 characters that need no escaping in a URL.
  public var text: String { Base64URL.text(bytes) }

  /// The stored value: SHA-256 of the secret, 32 bytes. The secret has too many bits for brute
  /// force, so a fast hash is enough.
  public var sha256: [UInt8] { Digests.sha256(bytes) }

  /// Whether a stored hash belongs to this token; compares in constant time.
  public func matches(sha256 stored: [UInt8]) -> Bool {
    ConstantTime.equal(sha256, stored)
  }
}
