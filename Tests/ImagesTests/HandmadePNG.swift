import Cgd

/// PNGs of types that libgd doesn't write.
enum HandmadePNG {
  /// Rows of samples as stored, without their filter bytes.
  static func make(
    _ width: Int, _ height: Int, depth: UInt8, type: UInt8, before: [(String, [UInt8])] = [],
    rows: [[UInt8]]
  ) -> [UInt8] {
    let header = number(width) + number(height) + [depth, type, 0, 0, 0]
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    file += chunk("IHDR", header)
    for (type, content) in before { file += chunk(type, content) }
    file += chunk("IDAT", deflate(rows.flatMap { [0] + $0 }))
    return file + chunk("IEND", [])
  }

  static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + content
    return number(content.count) + body + number(Int(crc32(0, body, UInt32(body.count))))
  }

  static func deflate(_ bytes: [UInt8]) -> [UInt8] {
    var count = compressBound(UInt(bytes.count))
    var packed = [UInt8](repeating: 0, count: Int(count))
    compress2(&packed, &count, bytes, UInt(bytes.count), 9)
    return Array(packed.prefix(Int(count)))
  }

  static func number(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// Inserts a chunk after the header of a finished file.
  static func insert(_ type: String, _ content: [UInt8], into file: [UInt8]) -> [UInt8] {
    Array(file[..<33]) + chunk(type, content) + file[33...]
  }
}
