import Cgd
import Foundation
import Testing

@testable import ImageProcessing
@testable import Images

/// A folder for one test, with an image processor for it; deleted with the test.
final class Bench {
  let folder: URL
  /// Folder of the stored files.
  let stored: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "images-\(UUID())")
    stored = folder.appending(path: "stored")
    try FileManager.default.createDirectory(at: stored, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The program `picture-limits-tool`, built beside the tests.
  static let tool: String = {
    let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    let products = URL(filePath: program ?? CommandLine.arguments[0]).deletingLastPathComponent()
    return products.appending(path: "picture-limits-tool").path
  }()

  static func imageProcessor(_ arguments: [String] = []) -> ImageProcessor {
    ImageProcessor(
      executable: tool, arguments: arguments, maximumChildren: 2, maximumWaiting: 8)
  }

  func file(_ bytes: [UInt8], named name: String = "upload") throws -> String {
    let url = folder.appending(path: name)
    try Data(bytes).write(to: url)
    return url.path
  }

  @discardableResult
  func process(
    _ bytes: [UInt8], as kind: PictureKind = .post, arguments: [String] = []
  ) throws -> ProcessedPicture {
    try Bench.imageProcessor(arguments).process(
      file: file(bytes), kind: kind, into: stored.path)
  }

  /// The error of processing these bytes; nil on success.
  func rejection(_ bytes: [UInt8], arguments: [String] = []) throws -> PictureError? {
    do {
      try process(bytes, arguments: arguments)
      return nil
    } catch let error as PictureError {
      return error
    }
  }

  /// The names of all files there, hidden ones included.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: stored.path)) ?? []).sorted()
  }

  func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: stored.appending(path: name)))
  }

  func decoded(
    _ variant: PictureVariant, of picture: ProcessedPicture, as fileExtension: String? = nil
  )
    throws -> GDImage
  {
    let bytes = try bytes(
      variant.fileName(
        id: picture.id, fileExtension: fileExtension ?? picture.fileExtension))
    return try GDDecoder.decode(bytes, as: PictureHeader.identify(bytes))
  }
}

extension GDImage {
  /// Red, green, blue from 0 to 255 and alpha from 0 (opaque) to 127.
  func colour(_ x: Int, _ y: Int) -> [Int] {
    let value = Int(gdImageGetTrueColorPixel(pointer, Int32(x), Int32(y)))
    return [value >> 16 & 0xFF, value >> 8 & 0xFF, value & 0xFF, value >> 24 & 0x7F]
  }

  /// The colours a fifth of the way from each corner: top left, top right, bottom left, bottom
  /// right.
  var cornerColours: [[Int]] {
    let (right, bottom) = (width - 1 - width / 5, height - 1 - height / 5)
    return [
      colour(width / 5, height / 5), colour(right, height / 5), colour(width / 5, bottom),
      colour(right, bottom),
    ]
  }
}

/// Whether two colours differ by at most the error of a lossy format.
func alike(_ one: [Int], _ other: [Int], within distance: Int = 14) -> Bool {
  zip(one, other).allSatisfy { abs($0 - $1) <= distance }
}

/// A colour such as 0xE02020 in the format of `GDImage.colour`.
func opaque(_ colour: Int32) -> [Int] {
  [Int(colour >> 16 & 0xFF), Int(colour >> 8 & 0xFF), Int(colour & 0xFF), 0]
}
