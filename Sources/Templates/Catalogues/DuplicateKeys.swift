/// Keys that stand twice in one object of a JSON text: `JSONSerialization` keeps one of them and does
/// not tell.
enum DuplicateKeys {
  /// The keys as they are written; the text is valid JSON.
  static func find(in bytes: [UInt8]) -> [String] {
    var found: [String] = []
    var objects: [Set<String>] = []
    var place = 0
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "{"): objects.append([])
      case UInt8(ascii: "}"): _ = objects.popLast()
      case UInt8(ascii: "\""):
        let start = place + 1
        place = endOfText(from: start, in: bytes)
        let follows = bytes[place...].dropFirst().first { $0 > UInt8(ascii: " ") }
        guard follows == UInt8(ascii: ":"), var keys = objects.popLast() else { break }
        let key = String(decoding: bytes[start..<place], as: UTF8.self)
        if !keys.insert(key).inserted { found.append(key) }
        objects.append(keys)
      default: break
      }
      place += 1
    }
    return found
  }

  /// The place of the quotation mark that ends a text, or of the end.
  private static func endOfText(from start: Int, in bytes: [UInt8]) -> Int {
    var place = start
    while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
      place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(place, bytes.count)
  }
}
