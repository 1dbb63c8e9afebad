import Czlib

/// Writes the blocks of photo files. Does not use the writers of PhotoMetadata, since blocks that
/// those cannot write must be tested, too.
enum Blocks {
  static func number(_ value: Int, _ count: Int, big: Bool = true) -> [UInt8] {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return big ? bytes.reversed() : bytes
  }

  /// A JPEG's segment.
  static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    [0xFF, marker] + number(content.count + 2, 2) + content
  }

  /// A PNG's chunk.
  static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + content
    return number(content.count, 4) + body + number(checksum(body[...]), 4)
  }

  static func checksum(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.withUnsafeBufferPointer { Int(crc32(0, $0.baseAddress, UInt32($0.count))) }
  }

  static func pack(_ bytes: [UInt8]) -> [UInt8] {
    var count = compressBound(UInt(bytes.count))
    var packed = [UInt8](repeating: 0, count: Int(count))
    return compress2(&packed, &count, bytes, UInt(bytes.count), 6) == Z_OK
      ? Array(packed.prefix(Int(count))) : []
  }

  typealias Entry = (tag: Int, type: Int, value: [UInt8])

  /// A TIFF block with a main, an EXIF and an interoperability directory.
  static func tiff(_ main: [Entry], exif: [Entry], interoperability: [Entry], big: Bool) -> [UInt8]
  {
    // The offset of each directory depends only on those before it.
    let first = 8
    let second = first + directory(main + [(0x8769, 4, [0, 0, 0, 0])], at: first, big).count
    let third = second + directory(exif + [(0xA005, 4, [0, 0, 0, 0])], at: second, big).count
    return (big ? [0x4D, 0x4D, 0, 0x2A] : [0x49, 0x49, 0x2A, 0]) + number(first, 4, big: big)
      + directory(main + [(0x8769, 4, number(second, 4, big: big))], at: first, big)
      + directory(exif + [(0xA005, 4, number(third, 4, big: big))], at: second, big)
      + directory(interoperability, at: third, big)
  }

  private static func directory(_ entries: [Entry], at start: Int, _ big: Bool) -> [UInt8] {
    let sizes = [3: 2, 4: 4]
    var table = number(entries.count, 2, big: big)
    var data: [UInt8] = []
    let end = start + 2 + 12 * entries.count + 4
    for entry in entries {
      table += number(entry.tag, 2, big: big) + number(entry.type, 2, big: big)
      table += number(entry.value.count / (sizes[entry.type] ?? 1), 4, big: big)
      if entry.value.count <= 4 {
        table += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
      } else {
        table += number(end + data.count, 4, big: big)
        data += entry.value
      }
    }
    return table + [0, 0, 0, 0] + data
  }

  /// An IPTC record.
  static func record(_ number: UInt8, _ value: String) -> [UInt8] {
    [0x1C, 2, number] + Self.number(value.utf8.count, 2) + Array(value.utf8)
  }

  static func resource(_ records: [UInt8]) -> [UInt8] {
    Array("8BIM".utf8) + [4, 4, 0, 0] + number(records.count, 4) + records
      + (records.count % 2 == 1 ? [0] : [])
  }

  static func packet(_ inside: String) -> String {
    """
    <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">\
    <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" \
    xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:p='urn:pairspot:album:1.0#'>\(inside)\
    </rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>
    """
  }
}
