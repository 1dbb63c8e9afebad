import Cturbojpeg
import Images

/// The planes of a JPEG: luminance, and for pictures in colour two differences, which may be
/// smaller. They take half the memory of pixels or less, and encoding them converts no colours.
final class JPEGPlanes {
  /// Size of the picture in px.
  let width: Int
  let height: Int
  private let subsampling: TJSAMP
  private let planes: [Plane]

  private struct Plane {
    let width: Int
    let height: Int
    /// Owned by the `JPEGPlanes`.
    let samples: UnsafeMutablePointer<UInt8>

    func row(_ y: Int) -> UnsafeMutablePointer<UInt8> { samples + y * width }

    /// Repeats the last column and row of a smaller picture up to the edges.
    func extendEdges(width: Int, height: Int) {
      for y in 0..<height {
        for x in width..<self.width { row(y)[x] = row(y)[width - 1] }
      }
      for y in height..<self.height { row(y).update(from: row(height - 1), count: self.width) }
    }
  }

  /// Black planes.
  init(width: Int, height: Int, subsampling: TJSAMP) {
    self.width = width
    self.height = height
    self.subsampling = subsampling
    let kind = Int32(subsampling.rawValue)
    planes = (0..<Int32(subsampling == TJSAMP_GRAY ? 1 : 3)).map { number in
      let width = Int(tjPlaneWidth(number, Int32(width), kind))
      let height = Int(tjPlaneHeight(number, Int32(height), kind))
      let samples = UnsafeMutablePointer<UInt8>.allocate(capacity: width * height)
      samples.initialize(repeating: 0, count: width * height)
      return Plane(width: width, height: height, samples: samples)
    }
  }

  deinit {
    for plane in planes { plane.samples.deallocate() }
  }

  /// Fills the planes with a decoded file; returns whether it is undamaged.
  func fill(_ decoder: tjhandle, from bytes: [UInt8], flags: Int32) -> Bool {
    var pointers: [UnsafeMutablePointer<UInt8>?] = planes.map(\.samples)
    var strides = planes.map { Int32($0.width) }
    return tjDecompressToYUVPlanes(
      decoder, bytes, UInt(bytes.count), &pointers, Int32(width), &strides, Int32(height), flags)
      == 0
  }

  /// The planes encoded as a JPEG, of 0 to 100 `quality`.
  func encoded(quality: Int32) throws(PictureError) -> [UInt8] {
    guard let encoder = tjInitCompress() else { throw .failed("no encoder") }
    defer { tjDestroy(encoder) }
    var pointers: [UnsafePointer<UInt8>?] = planes.map { UnsafePointer($0.samples) }
    let strides = planes.map { Int32($0.width) }
    var result: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    defer { tjFree(result) }
    guard
      tjCompressFromYUVPlanes(
        encoder, &pointers, Int32(width), strides, Int32(height), Int32(subsampling.rawValue),
        &result, &count, quality, TJFLAG_ACCURATEDCT) == 0, let result
    else { throw .damaged }
    return [UInt8](UnsafeBufferPointer(start: result, count: Int(count)))
  }

  /// The picture rotated upright; itself if it already is. Nil if the rotated planes would be of
  /// sizes that an encoder does not know.
  func turned(by orientation: Orientation) -> JPEGPlanes? {
    guard orientation != .upright else { return self }
    guard let kind = orientation.swapsSides ? swapped : subsampling else { return nil }
    let result = JPEGPlanes(
      width: orientation.swapsSides ? height : width,
      height: orientation.swapsSides ? width : height, subsampling: kind)
    for (number, (source, target)) in zip(planes, result.planes).enumerated() {
      // The plane of luminance may have a row and a column more than the picture.
      Turn(
        width: number == 0 ? width : source.width, height: number == 0 ? height : source.height,
        orientation: orientation
      ).copy(from: source.row, to: target.row)
    }
    result.planes[0].extendEdges(width: result.width, height: result.height)
    return result
  }

  /// The subsampling of the same planes on their side.
  private var swapped: TJSAMP? {
    switch subsampling {
    case TJSAMP_422: TJSAMP_440
    case TJSAMP_440: TJSAMP_422
    case TJSAMP_444, TJSAMP_420, TJSAMP_GRAY: subsampling
    default: nil
    }
  }
}
