import Cexif
import Cgd
import Images

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
    Turn(width: width, height: height, orientation: orientation).copy(
      from: { from[$0] }, to: { to[$0] })
    return result
  }
}
