/// The accepted formats, recognised by content and never by file name.
public enum PictureFormat: String, Sendable, CaseIterable, Codable {
  case jpeg, png, webp, gif

  /// File name extension, without the dot.
  package var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

  /// Number of bytes that `recognise` needs.
  public static let headLength = 1024

  /// Recognises the format from the first bytes of a file.
  ///
  /// Throws `unsupportedFormat` for other formats, and `damaged` for a file whose first 16 bytes
  /// match two formats (docs/developer/feed.md#pictures).
  public static func recognise(_ head: some Collection<UInt8>) throws(PictureError)
    -> PictureFormat
  {
    let bytes = Array(head.prefix(headLength))
    if let format = format(of: bytes) {
      guard !Signature.anotherFormat(than: format, in: bytes) else { throw .damaged }
      return format
    }
    throw .unsupportedFormat(Signature.unsupported(bytes))
  }

  private static func format(of bytes: [UInt8]) -> PictureFormat? {
    if bytes.starts(with: Signature.jpeg) { return .jpeg }
    if bytes.starts(with: Signature.png) { return .png }
    if bytes.starts(with: Signature.gif87) || bytes.starts(with: Signature.gif89) { return .gif }
    if bytes.starts(with: Signature.riff), bytes.dropFirst(8).starts(with: Signature.webp) {
      return .webp
    }
    return nil
  }
}
