/// Splits a text into rows of fields (RFC 4180), with any common separator.
struct CSVText {
  /// The rows, without empty ones.
  let rows: [[String]]
  /// Whether decimals use a comma: not if it is the separator.
  let hasDecimalComma: Bool

  /// The maximum number of rows (a day of seconds and a head) and of columns.
  static let maximumRows = 90_000
  static let maximumFields = 100

  /// Whether the bytes can be text: UTF-16 with a byte order mark, or UTF-8 without control
  /// characters at the beginning.
  static func looksLikeText(_ bytes: [UInt8]) -> Bool {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return true }
    return bytes.prefix(512).allSatisfy { $0 >= 0x20 || (0x09...0x0D).contains($0) }
  }

  /// Throws `WorkoutFileError.broken` for bytes that are not text, `.tooMuch` for too many rows or
  /// columns.
  init(_ bytes: [UInt8]) throws(WorkoutFileError) {
    let text = Array(try Self.decoded(bytes).utf8)
    let separator = Self.separator(text)
    hasDecimalComma = separator != UInt8(ascii: ",")
    var rows: [[String]] = []
    var (row, field): ([String], [UInt8]) = ([], [])
    var (isQuoted, place) = (false, 0)
    func isEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
    while place <= text.count {
      // A line break after the last line.
      let byte = place < text.count ? text[place] : 0x0A
      if isQuoted, place == text.count { throw .broken }
      if isQuoted {
        if byte != 0x22 {
          field.append(byte)
        } else if place + 1 < text.count, text[place + 1] == 0x22 {
          field.append(byte)
          place += 1
        } else {
          isQuoted = false
        }
      } else if byte == 0x22, field.isEmpty {
        isQuoted = true
      } else if byte == separator || isEnd(byte) {
        row.append(Self.trimmed(field))
        field.removeAll(keepingCapacity: true)
        guard row.count <= Self.maximumFields else { throw .tooMuch }
        if isEnd(byte) {
          if row.contains(where: { !$0.isEmpty }) { rows.append(row) }
          row = []
          guard rows.count <= Self.maximumRows else { throw .tooMuch }
        }
      } else {
        field.append(byte)
      }
      place += 1
    }
    self.rows = rows
  }

  /// A number in the format of this text; nil for anything else.
  func number(_ field: String) -> Double? {
    guard !field.isEmpty, field.utf8.count <= 32 else { return nil }
    let plain = hasDecimalComma ? field.replacing(",", with: ".") : field
    guard let number = Double(plain), number.isFinite else { return nil }
    return number
  }

  // MARK: Parts

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// UTF-8, or UTF-16 as spreadsheets save "Unicode text".
  private static func decoded(_ bytes: [UInt8]) throws(WorkoutFileError) -> String {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      let isBig = bytes[0] == 0xFE
      var units: [UInt16] = []
      units.reserveCapacity(bytes.count / 2)
      for place in stride(from: 2, to: bytes.count - 1, by: 2) {
        let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
        units.append(isBig ? first << 8 | second : second << 8 | first)
      }
      guard let text = String(validating: units, as: UTF16.self) else { throw .broken }
      return text
    }
    let plain = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    guard let text = String(validating: plain, as: UTF8.self), !plain.contains(0) else {
      throw .broken
    }
    return text
  }

  /// A tab or a semicolon is the separator if the beginning of the text contains one.
  private static func separator(_ text: [UInt8]) -> UInt8 {
    let head = text.prefix(2000)
    for byte in [UInt8(ascii: "\t"), UInt8(ascii: ";")] where head.contains(byte) { return byte }
    return UInt8(ascii: ",")
  }

  private static func trimmed(_ field: [UInt8]) -> String {
    guard let first = field.firstIndex(where: { !isSpace($0) }),
      let last = field.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(decoding: field[first...last], as: UTF8.self)
  }
}
