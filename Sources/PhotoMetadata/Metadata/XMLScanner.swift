/// Parses the XML that XMP uses (XML 1.0 without document types, so without entity expansion).
struct XMLScanner {
  enum Event {
    case open(name: String, attributes: [(name: String, value: String)], isEmpty: Bool)
    case close(name: String)
    case text(String)
  }

  private var cursor: ByteCursor

  init(_ bytes: [UInt8]) {
    cursor = ByteCursor(bytes)
  }

  private struct Broken: Error {}

  /// The next event; nil at the end and at a syntax error.
  mutating func next() -> Event? {
    do {
      while cursor.left > 0 {
        if cursor.starts(with: "<!--".utf8) {
          try skip(past: "-->")
        } else if cursor.starts(with: "<?".utf8) {
          try skip(past: "?>")
        } else if cursor.starts(with: "<![CDATA[".utf8) {
          let start = cursor.position + 9
          try skip(past: "]]>")
          return .text(String(decoding: cursor.bytes[start..<(cursor.position - 3)], as: UTF8.self))
        } else if cursor.starts(with: "<!".utf8) {
          throw Broken()
        } else if cursor.starts(with: "</".utf8) {
          _ = cursor.take(2)
          let name = try self.name()
          try skip(past: ">")
          return .close(name: name)
        } else if cursor.starts(with: "<".utf8) {
          return try tag()
        } else {
          return .text(try unescape(run { $0 != 0x3C }))
        }
      }
      return nil
    } catch {
      return nil
    }
  }

  private mutating func skip(past mark: String) throws {
    let mark = Array(mark.utf8)
    while cursor.left >= mark.count {
      if cursor.starts(with: mark) {
        _ = cursor.take(mark.count)
        return
      }
      _ = cursor.byte()
    }
    throw Broken()
  }

  private mutating func run(while goesOn: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let rest = cursor.bytes[cursor.position..<cursor.end]
    let end = rest.firstIndex { !goesOn($0) } ?? rest.endIndex
    return cursor.take(end - cursor.position).map { cursor.bytes[$0] } ?? []
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  private static func isName(_ byte: UInt8) -> Bool {
    !isSpace(byte) && !"<>/='\"&".utf8.contains(byte)
  }

  private mutating func tag() throws -> Event {
    _ = cursor.byte()
    let name = try self.name()
    var attributes: [(name: String, value: String)] = []
    while true {
      _ = run(while: Self.isSpace)
      if cursor.starts(with: "/>".utf8) {
        _ = cursor.take(2)
        return .open(name: name, attributes: attributes, isEmpty: true)
      }
      if cursor.starts(with: ">".utf8) {
        _ = cursor.byte()
        return .open(name: name, attributes: attributes, isEmpty: false)
      }
      let attribute = try self.name()
      _ = run(while: Self.isSpace)
      guard cursor.byte() == UInt8(ascii: "=") else { throw Broken() }
      _ = run(while: Self.isSpace)
      guard let quote = cursor.byte(), quote == 0x22 || quote == 0x27,
        let value = cursor.take(until: quote)
      else { throw Broken() }
      attributes.append((attribute, try unescape(cursor.bytes[value])))
    }
  }

  private mutating func name() throws -> String {
    let bytes = run(while: Self.isName)
    guard !bytes.isEmpty else { throw Broken() }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let entities = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"]

  private func unescape(_ bytes: ArraySlice<UInt8>) throws -> String {
    guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
    var result = ""
    var rest = bytes
    while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
      result += String(decoding: rest[..<start], as: UTF8.self)
      guard let end = rest[start...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
        throw Broken()
      }
      let name = String(decoding: rest[(start + 1)..<end], as: UTF8.self)
      if let text = Self.entities[name] {
        result += text
      } else if let scalar = Self.reference(name) {
        result.unicodeScalars.append(scalar)
      } else {
        throw Broken()
      }
      rest = rest[(end + 1)...]
    }
    return result + String(decoding: rest, as: UTF8.self)
  }

  private static func reference(_ name: String) -> Unicode.Scalar? {
    guard name.first == "#" else { return nil }
    let digits = name.dropFirst()
    let number = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return number.flatMap(Unicode.Scalar.init)
  }
}
