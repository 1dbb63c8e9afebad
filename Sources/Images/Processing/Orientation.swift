import Cexif
import Cgd

/// The EXIF orientation of a picture (Exif 3.0, tag 0x0112).
enum Orientation: Int, CaseIterable {
  case upright = 1
  case mirrored, upsideDown, flipped
  case transposed, quarterRight, transversed, quarterLeft

  /// The orientation in an EXIF block; upright if missing or invalid.
  init(exif: [UInt8]?) {
    self = exif.flatMap(Self.read).flatMap(Orientation.init(rawValue:)) ?? .upright
  }

  var swapsSides: Bool { rawValue >= 5 }

  private static func read(_ exif: [UInt8]) -> Int? {
    let block = JPEGSegments.exifMark + exif
    guard let data = exif_data_new() else { return nil }
    defer { exif_data_unref(data) }
    exif_data_unset_option(data, EXIF_DATA_OPTION_FOLLOW_SPECIFICATION)
    exif_data_load_data(data, block, UInt32(block.count))
    let directory = data.pointee.ifd.0
    guard let entry = exif_content_get_entry(directory, EXIF_TAG_ORIENTATION),
      entry.pointee.format == EXIF_FORMAT_SHORT, entry.pointee.components >= 1,
      entry.pointee.size >= 2, let value = entry.pointee.data
    else { return nil }
    return Int(exif_get_short(value, exif_data_get_byte_order(data)))
  }
}

extension GDImage {
  /// The picture rotated upright; itself if it already is.
  func turned(by orientation: Orientation) throws(PictureError) -> GDImage {
    guard orientation != .upright else { return self }
    if !isTrueColour { gdImagePaletteToTrueColor(pointer) }
    let result = try GDImage.blank(
      width: orientation.swapsSides ? height : width,
      height: orientation.swapsSides ? width : height)
    guard let from = pointer.pointee.tpixels, let to = result.pointer.pointee.tpixels else {
      throw .damaged
    }
    let mirrorsX = [.mirrored, .upsideDown, .transversed, .quarterLeft].contains(orientation)
    let mirrorsY = [.upsideDown, .flipped, .quarterRight, .transversed].contains(orientation)
    Turn(
      width: width, height: height, swaps: orientation.swapsSides, mirrorsX: mirrorsX,
      mirrorsY: mirrorsY
    ).copy(from: from, to: to)
    return result
  }
}

/// Copies pixels in small blocks, so that the rows of both sides stay in the processor's cache.
private struct Turn {
  typealias Rows = UnsafeMutablePointer<UnsafeMutablePointer<Int32>?>

  /// Width of the source in px; below, its height.
  let width: Int
  let height: Int
  let swaps: Bool
  let mirrorsX: Bool
  let mirrorsY: Bool

  func copy(from source: Rows, to target: Rows) {
    let block = 32
    for top in stride(from: 0, to: height, by: block) {
      for left in stride(from: 0, to: width, by: block) {
        for y in top..<min(top + block, height) {
          guard let row = source[y] else { continue }
          let newY = mirrorsY ? height - 1 - y : y
          for x in left..<min(left + block, width) {
            let newX = mirrorsX ? width - 1 - x : x
            if swaps {
              target[newX]?[newY] = row[x]
            } else {
              target[newY]?[newX] = row[x]
            }
          }
        }
      }
    }
  }
}
