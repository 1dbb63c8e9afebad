/// Reads XML 1.0 in UTF-8 sequentially, as far as workout files need it. Document types are
/// refused, so no entities expand and no external resources are loaded; depth and lengths are
/// limited. Foundation's parser would add libxml2 with entity support to the program.
struct XMLReader {
  enum Event {
    case open(name: String, attributes: [(name: String, value: String)])
    case close(name: String)
    /// A piece of text; there may be several in a row.
    case text(String)
  }

  /// The maximum depth of nested elements.
  static let maximumDepth = 64
  /// The maximum length of names and values, in bytes.
  static let maximumNameLength = 256
  static let maximumValueLength = 4096
  static let maximumAttributes = 64

  private let bytes: [UInt8]
  private var place = 0
  /// The names of the open elements, without prefixes.
  private(set) var path: [String] = []
  private var hasRoot = false
  /// The pending end of an empty-element tag.
  private var pending: String?

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// The next event; nil at the end of a complete document. Throws `WorkoutFileError.broken`.
  mutating func next() throws(WorkoutFileError) -> Event? {
    if let name = pending {
      pending = nil
      path.removeLast()
      return .close(name: name)
    }
    while place < bytes.count {
      guard bytes[place] == UInt8(ascii: "<") else {
        let start = place
        place = bytes[place...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        if !path.isEmpty { return .text(try unescaped(bytes[start..<place], bounded: false)) }
        guard bytes[start..<place].allSatisfy(Self.isSpace) else { throw .broken }
        continue
      }
      if starts(with: "<!--") {
        try skip(past: "-->", from: place + 4)
      } else if starts(with: "<![CDATA[") {
        let start = place + 9
        try skip(past: "]]>", from: start)
        guard !path.isEmpty else { throw .broken }
        return .text(try Self.text(bytes[start..<(place - 3)]))
      } else if starts(with: "<?") {
        try skip(past: "?>", from: place + 2)
      } else if starts(with: "<!") {
        throw .broken
      } else if starts(with: "</") {
        return try closing()
      } else {
        return try opening()
      }
    }
    guard path.isEmpty, hasRoot else { throw .broken }
    return nil
  }

  // MARK: Tags

  private mutating func closing() throws(WorkoutFileError) -> Event {
    place += 2
    let name = Self.local(try self.name())
    skipSpace()
    guard take(UInt8(ascii: ">")), path.last == name else { throw .broken }
    path.removeLast()
    return .close(name: name)
  }

  private mutating func opening() throws(WorkoutFileError) -> Event {
    place += 1
    let name = Self.local(try self.name())
    // Exactly one root element.
    guard path.count < Self.maximumDepth, !(path.isEmpty && hasRoot) else { throw .broken }
    hasRoot = true
    var attributes: [(name: String, value: String)] = []
    while true {
      skipSpace()
      let isEmpty = take(UInt8(ascii: "/"))
      if take(UInt8(ascii: ">")) {
        path.append(name)
        if isEmpty { pending = name }
        return .open(name: name, attributes: attributes)
      }
      guard !isEmpty, attributes.count < Self.maximumAttributes else { throw .broken }
      attributes.append(try attribute())
    }
  }

  private mutating func attribute() throws(WorkoutFileError) -> (name: String, value: String) {
    let name = try self.name()
    skipSpace()
    guard take(UInt8(ascii: "=")) else { throw .broken }
    skipSpace()
    guard place < bytes.count, bytes[place] == 0x22 || bytes[place] == 0x27 else { throw .broken }
    let quote = bytes[place]
    place += 1
    let start = place
    while place < bytes.count, bytes[place] != quote {
      guard bytes[place] != UInt8(ascii: "<") else { throw .broken }
      place += 1
    }
    guard place < bytes.count else { throw .broken }
    let value = try unescaped(bytes[start..<place], bounded: true)
    place += 1
    return (name, value)
  }

  private mutating func name() throws(WorkoutFileError) -> String {
    let start = place
    while place < bytes.count, Self.isName(bytes[place]) { place += 1 }
    guard place > start, place - start <= Self.maximumNameLength else { throw .broken }
    return try Self.text(bytes[start..<place])
  }

  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "/"), UInt8(ascii: "="), 0x22, 0x27,
      UInt8(ascii: "&"):
      false
    default: !isSpace(byte) && byte >= 0x20
    }
  }

  /// A name without its prefix: the files are recognized by local names.
  private static func local(_ name: String) -> String {
    guard let colon = name.utf8.lastIndex(of: UInt8(ascii: ":")) else { return name }
    return String(name[name.index(after: colon)...])
  }

  // MARK: Bytes

  private func starts(with mark: StaticString) -> Bool {
    guard bytes.count - place >= mark.utf8CodeUnitCount else { return false }
    for offset in 0..<mark.utf8CodeUnitCount where bytes[place + offset] != mark.utf8Start[offset] {
      return false
    }
    return true
  }

  private mutating func skip(
    past mark: StaticString, from start: Int
  ) throws(WorkoutFileError) {
    place = start
    while place < bytes.count {
      if bytes[place] == mark.utf8Start[0], starts(with: mark) {
        place += mark.utf8CodeUnitCount
        return
      }
      place += 1
    }
    throw .broken
  }

  private mutating func skipSpace() {
    while place < bytes.count, Self.isSpace(bytes[place]) { place += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard place < bytes.count, bytes[place] == byte else { return false }
    place += 1
    return true
  }

  // MARK: Text

  private static func text(_ bytes: ArraySlice<UInt8>) throws(WorkoutFileError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .broken }
    return text
  }

  /// Text with its references replaced. Long text between tags is truncated: no value needed from
  /// such a file is long.
  private func unescaped(
    _ raw: ArraySlice<UInt8>, bounded: Bool
  ) throws(WorkoutFileError) -> String {
    var raw = raw
    if raw.count > Self.maximumValueLength {
      guard !bounded else { throw .broken }
      raw = raw.prefix(Self.maximumValueLength)
      while let last = raw.last, last & 0xC0 == 0x80 { raw.removeLast() }
      if let last = raw.last, last >= 0x80 { raw.removeLast() }
      if let cut = raw.suffix(12).lastIndex(of: UInt8(ascii: "&")) { raw = raw[..<cut] }
    }
    guard raw.contains(UInt8(ascii: "&")) else { return try Self.text(raw) }
    var result = ""
    var rest = raw
    while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
      result += try Self.text(rest[..<start])
      guard let end = rest[start...].prefix(12).firstIndex(of: UInt8(ascii: ";")),
        let scalar = Self.scalar(String(decoding: rest[(start + 1)..<end], as: UTF8.self))
      else { throw .broken }
      result.unicodeScalars.append(scalar)
      rest = rest[(end + 1)...]
    }
    return result + (try Self.text(rest))
  }

  private static func scalar(_ name: String) -> Unicode.Scalar? {
    switch name {
    case "lt": return "<"
    case "gt": return ">"
    case "amp": return "&"
    case "quot": return "\""
    case "apos": return "'"
    default:
      guard name.first == "#" else { return nil }
      let digits = name.dropFirst()
      let number = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
      return number.flatMap(Unicode.Scalar.init)
    }
  }
}
