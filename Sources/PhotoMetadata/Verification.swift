import Glibc

/// Whether a new file is what it should be.
enum Verification {
  static func holds(
    _ found: PhotoParts, _ bytes: [UInt8], _ story: PhotoStory?, _ blocks: [UInt8],
    _ parts: PhotoParts, _ original: [UInt8]
  ) -> Bool {
    // EXIF's two, IPTC, XMP; in a PNG also the text by our key.
    let places = story == nil ? 0 : parts.format == .jpeg ? 4 : 5
    let texts = MarkedTexts(found)
    let start = parts.opening.count
    let end = start + blocks.count
    // Byte for byte what was meant to be written…
    guard bytes.count == parts.core.reduce(end, { $0 + $1.count }),
      bytes[start..<end].elementsEqual(blocks),
      same(bytes, [found.opening] + found.core, original, [parts.opening] + parts.core)
    else { return false }
    // … and understood as it was meant.
    return texts.marked.count == places && texts.story == story?.text && texts.otherStory == nil
      && texts.caption == nil && found.format == parts.format && found.width == parts.width
      && found.height == parts.height && found.extras.isEmpty && found.jfif == parts.jfif
      && (found.exif?.orientation ?? 1) == (parts.exif?.orientation ?? 1)
      && (found.exif?.isAdobeRGB ?? false) == (parts.exif?.isAdobeRGB ?? false)
  }

  /// Whether pieces of one file are, one after the other, the same bytes as those of another.
  static func same(
    _ one: [UInt8], _ pieces: [Range<Int>], _ other: [UInt8], _ others: [Range<Int>]
  ) -> Bool {
    guard pieces.reduce(0, { $0 + $1.count }) == others.reduce(0, { $0 + $1.count }) else {
      return false
    }
    return one.withUnsafeBytes { one in
      other.withUnsafeBytes { other in
        guard let one = one.baseAddress, let other = other.baseAddress else { return false }
        var (left, right) = (pieces[...], others[...])
        while let here = left.first, let there = right.first {
          let count = min(here.count, there.count)
          guard memcmp(one + here.lowerBound, other + there.lowerBound, count) == 0 else {
            return false
          }
          left = rest(left, after: count)
          right = rest(right, after: count)
        }
        return true
      }
    }
  }

  private static func rest(_ pieces: ArraySlice<Range<Int>>, after count: Int)
    -> ArraySlice<Range<Int>>
  {
    guard let first = pieces.first, first.count > count else { return pieces.dropFirst() }
    var pieces = pieces
    pieces[pieces.startIndex] = (first.lowerBound + count)..<first.upperBound
    return pieces
  }
}
