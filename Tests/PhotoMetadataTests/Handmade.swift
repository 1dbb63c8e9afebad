import Foundation

@testable import PhotoMetadata

/// Handmade files, byte for byte; their pictures are small but complete.
enum Handmade {
  static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    JPEGSegments.make(marker, content)
  }

  static func frame(
    _ width: Int = 16, _ height: Int = 16, marker: UInt8 = 0xC0, components: UInt8 = 1
  ) -> [UInt8] {
    var content: [UInt8] = [8]
    content += BigEndian.bytes(height, 2) + BigEndian.bytes(width, 2)
    content.append(components)
    for part in 1...components { content += [part, 0x11, 0] }
    return segment(marker, content)
  }

  static let tables = segment(0xDB, [UInt8](repeating: 1, count: 65))
  /// With a stuffed zero, a restart and a false end marker in its header.
  static let scan: [UInt8] = {
    let data: [UInt8] = [1, 2, 0xFF, 0, 3, 0xFF, 0xD0, 4]
    return segment(0xDA, [1, 1, 0, 0, 63, 0]) + data
  }()
  static let end: [UInt8] = [0xFF, 0xD9]

  /// A JPEG with segments after its start marker, and others between and after its scans.
  static func jpeg(
    _ before: [UInt8] = [], between: [UInt8] = [], after: [UInt8] = [], frame: [UInt8] = frame()
  ) -> [UInt8] {
    let parts = [[0xFF, 0xD8], before, tables, frame, scan, between, scan, end, after]
    return parts.flatMap { $0 }
  }

  static let jfif = segment(
    0xE0, Array("JFIF\0".utf8) + ([1, 2, 1, 0, 72, 0, 72, 1, 1, 9, 9, 9] as [UInt8]))

  static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
    PNGChunks.make(type, content)
  }

  static func header(_ width: Int = 4, _ height: Int = 4) -> [UInt8] {
    let rest: [UInt8] = [8, 0, 0, 0, 0]
    return chunk("IHDR", BigEndian.bytes(width, 4) + BigEndian.bytes(height, 4) + rest)
  }

  static func png(
    _ before: [UInt8] = [], header: [UInt8] = header(), after: [UInt8] = [], end: [UInt8]? = nil
  ) -> [UInt8] {
    let rows = [UInt8](repeating: 0, count: 20)
    let data = chunk("IDAT", Deflate.pack(rows) ?? [])
    let parts = [PhotoFormat.pngMark, header, before, data, end ?? chunk("IEND", []), after]
    return parts.flatMap { $0 }
  }

  /// A TIFF directory, little-endian, followed by an EXIF directory.
  static func tiff(
    _ main: [(tag: Int, type: Int, value: [UInt8])],
    exif: [(tag: Int, type: Int, value: [UInt8])] = [], big: Bool = false
  ) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      let bytes = BigEndian.bytes(value, count)
      return big ? bytes : Array(bytes.reversed())
    }
    let sizes = [1: 1, 2: 1, 3: 2, 4: 4, 7: 1]
    func directory(_ entries: [(tag: Int, type: Int, value: [UInt8])], at start: Int) -> [UInt8] {
      var table = number(entries.count, 2)
      var data: [UInt8] = []
      for entry in entries {
        let count = entry.value.count / (sizes[entry.type] ?? 1)
        table += number(entry.tag, 2)
        table += number(entry.type, 2)
        table += number(count, 4)
        if entry.value.count <= 4 {
          table += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
        } else {
          let end = start + 2 + 12 * entries.count + 4
          table += number(end + data.count, 4)
          data += entry.value
        }
      }
      return table + [UInt8](repeating: 0, count: 4) + data
    }
    var main = main
    if !exif.isEmpty { main.append((0x8769, 4, [0, 0, 0, 0])) }
    let length = directory(main, at: 8).count
    if !exif.isEmpty { main[main.count - 1].value = number(8 + length, 4) }
    var block: [UInt8] = big ? [0x4D, 0x4D, 0, 0x2A] : [0x49, 0x49, 0x2A, 0]
    block += number(8, 4)
    block += directory(main, at: 8)
    if !exif.isEmpty { block += directory(exif, at: 8 + length) }
    return block
  }

  static func exif(_ block: [UInt8]) -> [UInt8] { segment(0xE1, JPEGParts.exifMark + block) }

  static func xmp(_ packet: [UInt8]) -> [UInt8] { segment(0xE1, JPEGParts.xmpMark + packet) }

  static func xmp(_ inside: String) -> [UInt8] {
    xmp(
      Array(
        """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><r:RDF xmlns:r="r"><r:Description \
        xmlns:d="http://purl.org/dc/elements/1.1/" xmlns:own="urn:pairspot:album:1.0#">\
        \(inside)</r:Description></r:RDF></x:xmpmeta>
        """.utf8))
  }

  static func iptc(_ records: [UInt8]) -> [UInt8] {
    var resource = Array("8BIM\u{4}\u{4}\0\0".utf8)
    resource += BigEndian.bytes(records.count, 4)
    resource += records
    return segment(0xED, JPEGParts.photoshopMark + resource)
  }

  static func record(_ number: UInt8, _ value: [UInt8]) -> [UInt8] {
    let head: [UInt8] = [0x1C, 2, number]
    return head + BigEndian.bytes(value.count, 2) + value
  }

  static func text(_ string: String) -> [UInt8] { Array("\(string)\0".utf8) }
}

/// A temporary folder, deleted with its test.
final class PhotoFolder {
  let folder: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "photos-\(UUID())")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    folder = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func path(_ name: String) -> String { "\(folder)/\(name)" }

  @discardableResult
  func put(_ bytes: [UInt8], _ name: String = "photo") throws -> String {
    try Data(bytes).write(to: URL(filePath: path(name)))
    return path(name)
  }

  func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: path(name))))
  }

  /// All names, hidden ones included.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }
}

func reading(_ bytes: [UInt8]) throws -> PhotoReading { try PhotoParts.parse(bytes).reading }

/// The new file of a photo with or without a story.
func saved(_ story: PhotoStory?, _ bytes: [UInt8]) throws -> [UInt8] {
  try PhotoAssembly(story, PhotoParts.parse(bytes), bytes).pieces.flatMap { $0.bytes[$0.range] }
}
