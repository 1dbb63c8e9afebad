/// IPTC as stored by Photoshop in photos (IPTC IIM 4.2 in the resource 8BIM 0x0404).
struct IPTCBlock {
  /// Maximum length of a caption in the IIM, in bytes.
  static let captionLimit = 2_000

  /// 2:65, OriginatingProgram.
  private(set) var program: String?
  /// 2:120, Caption-Abstract.
  private(set) var caption: String?

  var isMarked: Bool { program == PhotoStory.key }

  /// Finds the records in Photoshop's resources; nil if there are none.
  init?(resources: [UInt8]) {
    guard let range = Self.records(resources) else { return nil }
    var cursor = ByteCursor(resources, in: range)
    while cursor.byte() == 0x1C, let record = cursor.byte(), let dataset = cursor.byte(),
      var length = cursor.number(2)
    {
      if length & 0x8000 != 0 {
        // An extended dataset: this number of bytes holds the real length.
        guard (1...4).contains(length & 0x7FFF), let real = cursor.number(length & 0x7FFF) else {
          break
        }
        length = real
      }
      guard let value = cursor.take(length) else { break }
      switch (record, dataset) {
      case (2, 65) where program == nil: program = LegacyTextDecoding.decode(resources[value])
      case (2, 120) where caption == nil: caption = LegacyTextDecoding.decode(resources[value])
      default: break
      }
    }
  }

  private static func records(_ resources: [UInt8]) -> Range<Int>? {
    if resources.first == 0x1C { return 0..<resources.count }
    var cursor = ByteCursor(resources)
    while let mark = cursor.take(4), resources[mark].elementsEqual("8BIM".utf8),
      let id = cursor.number(2), let name = cursor.byte(),
      // The name with its length byte is padded to an even number of bytes, and so is the content.
      cursor.take(Int(name) | 1) != nil, let length = cursor.number(4),
      let content = cursor.take(length)
    {
      if id == 0x0404 { return content }
      if length % 2 == 1, cursor.byte() == nil { break }
    }
    return nil
  }

  /// The resource of a story, with its records.
  static func resource(_ story: PhotoStory) -> [UInt8] {
    let records =
      dataset(1, 90, [0x1B, 0x25, 0x47]) + dataset(2, 0, [0, 4])
      + dataset(2, 65, Array(PhotoStory.key.utf8)) + dataset(2, 70, [UInt8(ascii: "1")])
      + dataset(2, 120, Array(cut(story.text).utf8))
    return Array("8BIM".utf8) + [0x04, 0x04, 0, 0] + BigEndian.bytes(records.count, 4) + records
      + (records.count % 2 == 1 ? [0] : [])
  }

  private static func dataset(_ record: UInt8, _ number: UInt8, _ value: [UInt8]) -> [UInt8] {
    [0x1C, record, number] + BigEndian.bytes(value.count, 2) + value
  }

  /// The beginning of a text that fits into a caption, cut at a character and marked with an
  /// ellipsis.
  static func cut(_ text: String) -> String {
    guard text.utf8.count > captionLimit else { return text }
    return LegacyTextDecoding.prefix(of: text, bytes: captionLimit - 3) + "…"
  }
}
