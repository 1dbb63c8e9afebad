import Foundation

@testable import Web

/// A folder for the files of one test, and a reader of bodies into it.
final class MultipartFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "pairspot-multipart-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The names of the files in the folder.
  var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
  }

  /// Reads a body in chunks of `chunk` bytes.
  func read(
    _ body: [UInt8], chunk: Int = .max, boundary: String = "X",
    limits: MultipartLimits = MultipartLimits(
      files: 10, fileBytes: 1_000_000, allFilesBytes: 2_000_000)
  ) throws -> MultipartForm {
    var position = 0
    return try MultipartForm.read(
      contentType: "multipart/form-data; boundary=\(boundary)", limits: limits, directory: path
    ) { buffer in
      let count = min(chunk, buffer.count, body.count - position)
      buffer.copyBytes(from: body[position..<position + count])
      position += count
      return count
    }
  }

  func read(_ body: String, chunk: Int = .max) throws -> MultipartForm {
    try read(Array(body.utf8), chunk: chunk)
  }
}

/// Bodies of forms, as sent by browsers.
enum Body {
  static func field(_ name: String, _ value: String) -> [UInt8] {
    Array("--X\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
  }

  static func file(
    _ name: String, _ fileName: String, _ content: [UInt8], type: String = "image/jpeg"
  ) -> [UInt8] {
    let head =
      "--X\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"\(fileName)\"\r\n"
      + "Content-Type: \(type)\r\n\r\n"
    return Array(head.utf8) + content + [0x0D, 0x0A]
  }

  static let end = Array("--X--\r\n".utf8)
}

extension MultipartForm {
  /// Fields as arrays, for comparison.
  var pairs: [[String]] { fields.map { [$0.name, $0.value] } }

  func content(_ index: Int) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: files[index].path)))
  }
}
