/// Reads a new file back and verifies its content.
enum Verification {
  /// Throws `read`, or `write(.verificationFailed)` if the file differs from the intended one.
  static func check(_ path: String, is new: PhotoAssembly) throws(PhotoError) {
    do throws(PhotoError) {
      guard let comparableContent = try WriteVerification.comparableContent(of: path, as: new),
        matches(try PhotoParts.parse(comparableContent), new)
      else { throw .write(.verificationFailed) }
    } catch .read(.damaged), .format {
      throw .write(.verificationFailed)
    }
  }

  /// Whether a file with the right bytes also parses as intended.
  static func matches(_ found: PhotoParts, _ new: PhotoAssembly) -> Bool {
    let parts = new.parts
    // Two of EXIF, IPTC, XMP; in a PNG also the text under our key.
    let places = new.story == nil ? 0 : parts.format == .jpeg ? 4 : 5
    let texts = StorySelection(found)
    return texts.marked.count == places && texts.story == new.story?.text
      && texts.otherStory == nil && texts.caption == nil && found.format == parts.format
      && found.width == parts.width && found.height == parts.height && found.extras.isEmpty
      && found.jfif == parts.jfif
      && (found.exif?.orientation ?? 1) == (parts.exif?.orientation ?? 1)
      && (found.exif?.isAdobeRGB ?? false) == (parts.exif?.isAdobeRGB ?? false)
      && comparableContent(found) == comparableContent(parts)
  }

  /// Number of kept bytes besides pixels.
  private static func comparableContent(_ parts: PhotoParts) -> Int {
    parts.core.reduce(0) { $0 + $1.count } - parts.bulk.reduce(0) { $0 + $1.count }
  }
}
