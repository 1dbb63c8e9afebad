import Cgd
import Images

/// A decoded libgd picture, freed with its last reference.
final class GDImage {
  let pointer: gdImagePtr

  /// Takes ownership of a libgd picture; throws `damaged` if it is nil.
  init(_ pointer: gdImagePtr?) throws(PictureError) {
    guard let pointer else { throw .damaged }
    self.pointer = pointer
  }

  deinit {
    gdImageDestroy(pointer)
  }

  var width: Int { Int(pointer.pointee.sx) }
  var height: Int { Int(pointer.pointee.sy) }
  var isTrueColour: Bool { pointer.pointee.trueColor != 0 }

  /// An empty true-colour picture; every pixel is opaque black.
  static func blank(width: Int, height: Int) throws(PictureError) -> GDImage {
    let image = try GDImage(gdImageCreateTrueColor(Int32(width), Int32(height)))
    gdImageAlphaBlending(image.pointer, 0)
    return image
  }

  /// A part of the picture, resampled to another size by averaging.
  func resampled(from part: Area, width: Int, height: Int) throws(PictureError) -> GDImage {
    let result = try GDImage.blank(width: width, height: height)
    gdImageCopyResampled(
      result.pointer, pointer, 0, 0, Int32(part.left), Int32(part.top), Int32(width),
      Int32(height), Int32(part.width), Int32(part.height))
    return result
  }

  /// The whole picture, which must be opaque, at more than half its size: by interpolation, which
  /// for so little takes a third of the time of averaging and looks the same.
  func interpolated(width: Int, height: Int) throws(PictureError) -> GDImage {
    gdImageSetInterpolationMethod(pointer, GD_BILINEAR_FIXED)
    return try GDImage(gdImageScale(pointer, UInt32(width), UInt32(height)))
  }

  /// The picture on white, without transparency.
  func flattened() throws(PictureError) -> GDImage {
    let result = try GDImage.blank(width: width, height: height)
    gdImageFilledRectangle(
      result.pointer, 0, 0, Int32(width - 1), Int32(height - 1), 0xFF_FFFF)
    gdImageAlphaBlending(result.pointer, 1)
    gdImageCopy(result.pointer, pointer, 0, 0, 0, 0, Int32(width), Int32(height))
    return result
  }

  /// The picture placed on a larger, transparent one.
  func placed(left: Int, top: Int, width: Int, height: Int) throws(PictureError) -> GDImage {
    let result = try GDImage.blank(width: width, height: height)
    gdImageFilledRectangle(
      result.pointer, 0, 0, Int32(width - 1), Int32(height - 1), Self.transparent)
    gdImageCopy(
      result.pointer, pointer, Int32(left), Int32(top), 0, 0, Int32(self.width),
      Int32(self.height))
    return result
  }

  /// Fully transparent white, so that software that ignores alpha shows white.
  private static let transparent: Int32 = 127 << 24 | 0xFF_FFFF
}

/// A rectangle in a picture, in px.
struct Area: Equatable {
  let left: Int
  let top: Int
  let width: Int
  let height: Int

  /// The largest centred square.
  static func centreSquare(width: Int, height: Int) -> Area {
    let side = min(width, height)
    return Area(left: (width - side) / 2, top: (height - side) / 2, width: side, height: side)
  }
}

extension GDImage {
  /// The luminance of each pixel, row by row; for true-colour pictures only.
  var luminance: [UInt8] {
    guard let rows = pointer.pointee.tpixels else { return [] }
    var grey: [UInt8] = []
    grey.reserveCapacity(width * height)
    for y in 0..<height {
      guard let row = rows[y] else { continue }
      for x in 0..<width {
        let (red, green, blue) = (row[x] >> 16 & 0xFF, row[x] >> 8 & 0xFF, row[x] & 0xFF)
        grey.append(UInt8(truncatingIfNeeded: (77 * red + 150 * green + 29 * blue) >> 8))
      }
    }
    return grey
  }
}
