/// How long a text that was sent may be: in characters as people count them, and in code points and
/// bytes of UTF-8 too, since one character can be made of any number of them.
public struct FieldLimits: Sendable, Hashable {
  public let characters: Int
  /// Code points of Unicode.
  public let scalars: Int
  /// Bytes of UTF-8.
  public let bytes: Int

  /// Eight code points and 32 bytes for each character: a family of four, one of the longest
  /// characters that people type, has 7 and 25.
  public init(characters: Int) {
    self.init(characters: characters, scalars: 8 * characters, bytes: 32 * characters)
  }

  /// Bounded in bytes alone.
  public init(bytes: Int) {
    self.init(characters: bytes, scalars: bytes, bytes: bytes)
  }

  private init(characters: Int, scalars: Int, bytes: Int) {
    self.characters = characters
    self.scalars = scalars
    self.bytes = bytes
  }

  /// Of each field that asks for no more: 16 KiB.
  public static let line = FieldLimits(characters: 512)
  /// Of a field of several lines, until its own rule counts: 64 KiB.
  public static let paragraphs = FieldLimits(bytes: 64 << 10)

  /// Of what tells two sendings of a form apart.
  public static let nonce = FieldLimits(bytes: 100)
  /// Of what a browser or an app calls itself.
  public static let programName = FieldLimits(bytes: 300)
  /// Of the name of a file that is sent.
  public static let fileName = FieldLimits(characters: 255)

  /// Whether a text is within its bytes and code points, for which no character has to be told from
  /// the next.
  public func bound(_ text: String) -> Bool {
    text.utf8.count <= bytes && text.unicodeScalars.count <= scalars
  }

  public func allow(_ text: String) -> Bool { excess(of: text) == 0 }

  /// By how many characters a text is too long, at least 1 when it is; 0 when it fits. Of what has
  /// too many bytes or code points the latter are counted.
  public func excess(of text: String) -> Int {
    guard bound(text) else { return max(1, text.unicodeScalars.count - characters) }
    return max(0, text.count - characters)
  }

  /// The text, or as much of its beginning as fits.
  public func beginning(of text: String) -> String {
    if allow(text) { return text }
    var length = 0
    let bounded = text.unicodeScalars.prefix(scalars).prefix { scalar in
      length += UTF8.width(scalar)
      return length <= bytes
    }
    return String(Substring(bounded).prefix(characters))
  }
}
