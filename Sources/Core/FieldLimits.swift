/// The maximum length of a submitted text: in characters as users count them, and also in code
/// points and bytes of UTF-8, since one character can consist of any number of them.
public struct FieldLimits: Sendable, Hashable {
  public let characters: Int
  /// Unicode code points.
  public let scalars: Int
  /// UTF-8 bytes.
  public let bytes: Int

  /// Allows eight code points and 32 bytes for each character: the emoji of a family of four, one
  /// of the longest characters in use, has 7 and 25.
  public init(characters: Int) {
    self.init(characters: characters, scalars: 8 * characters, bytes: 32 * characters)
  }

  /// Limits bytes only.
  public init(bytes: Int) {
    self.init(characters: bytes, scalars: bytes, bytes: bytes)
  }

  private init(characters: Int, scalars: Int, bytes: Int) {
    self.characters = characters
    self.scalars = scalars
    self.bytes = bytes
  }

  /// The default limit of a field: 16 KiB.
  public static let line = FieldLimits(characters: 512)
  /// The limit of a multi-line field before its own rule is checked: 64 KiB.
  public static let paragraphs = FieldLimits(bytes: 64 << 10)

  /// The limit of a form's nonce, which identifies repeated submissions.
  public static let nonce = FieldLimits(bytes: 100)
  /// The limit of a User-Agent or an app's name.
  public static let programName = FieldLimits(bytes: 300)
  /// The limit of an uploaded file's name.
  public static let fileName = FieldLimits(characters: 255)

  /// Whether a text is within the limits of bytes and code points. This needs no segmentation into
  /// characters.
  public func bound(_ text: String) -> Bool {
    text.utf8.count <= bytes && text.unicodeScalars.count <= scalars
  }

  public func allow(_ text: String) -> Bool { excess(of: text) == 0 }

  /// The number of excess characters, at least 1 if the text is too long and 0 if it fits. If the
  /// text has too many bytes or code points, code points are counted.
  public func excess(of text: String) -> Int {
    guard bound(text) else { return max(1, text.unicodeScalars.count - characters) }
    return max(0, text.count - characters)
  }

  /// The longest prefix of the text within the limits.
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
