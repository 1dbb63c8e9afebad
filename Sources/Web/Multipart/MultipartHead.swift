import Core

/// The headers of a part (RFC 7578, section 4).
struct MultipartHead {
  private static let maximumBoundaryLength = 70
  private static let signsOfBoundary = Set("'()+_,-./:=? ".utf8)
  private static let signsOfToken = Set("!#$%&'*+-.^_`|~".utf8)

  let name: String
  /// Nil for a field; a file may have an empty one.
  let fileName: String?
  let contentType: String

  /// The boundary in a `Content-Type` of `multipart/form-data` (RFC 2046, section 5.1.1). Throws
  /// `FormError.malformed`.
  static func boundary(contentType: String) throws(FormError) -> [UInt8] {
    let (kind, parameters) = try value(Array(contentType.utf8))
    guard kind == "multipart/form-data", let boundary = parameters["boundary"],
      1...maximumBoundaryLength ~= boundary.count, boundary.last != UInt8(ascii: " "),
      boundary.allSatisfy({ isAlphanumeric($0) || signsOfBoundary.contains($0) })
    else { throw .malformed }
    return boundary
  }

  /// Parses the lines of a head. Throws `FormError.malformed`.
  init(lines: [[UInt8]]) throws(FormError) {
    var headers: [String: [UInt8]] = [:]
    for line in lines {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
        line[..<colon].allSatisfy(Self.isOfToken)
      else { throw .malformed }
      let header = String(decoding: line[..<colon], as: UTF8.self).lowercased()
      guard headers.updateValue(Array(line[(colon + 1)...]), forKey: header) == nil else {
        throw .malformed
      }
    }
    guard let disposition = headers["content-disposition"] else { throw .malformed }
    let (kind, parameters) = try Self.value(disposition)
    guard kind == "form-data", let rawName = parameters["name"],
      let name = String(validating: Self.unescaped(rawName), as: UTF8.self)
    else { throw .malformed }
    self.name = name
    fileName = parameters["filename"].map(Self.shownName)
    contentType =
      try headers["content-type"].map { raw throws(FormError) in
        try Self.value(raw).0
      } ?? "text/plain"
    // Deprecated (RFC 7578, section 4.7); encodings that need decoding are rejected.
    if let encoding = headers["content-transfer-encoding"] {
      guard ["7bit", "8bit", "binary"].contains(try Self.value(encoding).0) else {
        throw .malformed
      }
    }
  }

  /// Parses `word; name=value; name="value"`: the word in lower case, and the parameters.
  private static func value(
    _ bytes: [UInt8]
  ) throws(FormError) -> (String, [String: [UInt8]]) {
    var scanner = Scanner(bytes: bytes)
    scanner.skipBlanks()
    let word = scanner.take { isOfToken($0) || $0 == UInt8(ascii: "/") }
    guard !word.isEmpty else { throw .malformed }
    var parameters: [String: [UInt8]] = [:]
    scanner.skipBlanks()
    while !scanner.isAtEnd {
      guard scanner.skip(UInt8(ascii: ";")) else { throw .malformed }
      scanner.skipBlanks()
      if scanner.isAtEnd { break }
      let name = scanner.take(isOfToken)
      guard !name.isEmpty, scanner.skip(UInt8(ascii: "=")) else { throw .malformed }
      guard let value = scanner.quoted() ?? scanner.nonEmpty({ isOfWord($0) }),
        parameters.updateValue(
          value, forKey: String(decoding: name, as: UTF8.self).lowercased()) == nil
      else { throw .malformed }
      scanner.skipBlanks()
    }
    return (String(decoding: word, as: UTF8.self).lowercased(), parameters)
  }

  /// Decodes the three escapes that browsers use in names (HTML, "multipart/form-data encoding").
  private static func unescaped(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(UInt8(ascii: "%")) else { return bytes }
    var result: [UInt8] = []
    var rest = bytes[...]
    while let byte = rest.first {
      let escape = String(decoding: rest.prefix(3), as: UTF8.self).uppercased()
      if let plain = ["%0A": UInt8(0x0A), "%0D": 0x0D, "%22": 0x22][escape] {
        result.append(plain)
        rest = rest.dropFirst(3)
      } else {
        result.append(byte)
        rest = rest.dropFirst()
      }
    }
    return result
  }

  /// The last part of a file's name on one line; some programs send whole paths.
  private static func shownName(_ bytes: [UInt8]) -> String {
    let name = String(decoding: unescaped(bytes), as: UTF8.self)
    let last = name.split { $0 == "/" || $0 == "\\" }.last ?? ""
    return FieldLimits.fileName.beginning(of: String(last).asOneLine)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }

  /// Whether the byte may occur in an unquoted value: not a blank, quote or semicolon.
  private static func isOfWord(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: ";")
  }

  private static func isOfToken(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || signsOfToken.contains(byte)
  }
}

/// Scans the bytes of one header.
private struct Scanner {
  private var rest: ArraySlice<UInt8>

  init(bytes: [UInt8]) {
    rest = bytes[...]
  }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func skipBlanks() {
    rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
  }

  mutating func skip(_ byte: UInt8) -> Bool {
    guard rest.first == byte else { return false }
    rest = rest.dropFirst()
    return true
  }

  mutating func take(_ belongs: (UInt8) -> Bool) -> [UInt8] {
    let taken = rest.prefix(while: belongs)
    rest = rest[taken.endIndex...]
    return Array(taken)
  }

  mutating func nonEmpty(_ belongs: (UInt8) -> Bool) -> [UInt8]? {
    let taken = take(belongs)
    return taken.isEmpty ? nil : taken
  }

  /// A quoted text. A backslash escapes only a quote or another backslash, since browsers leave
  /// those of paths as they are. Nil if no quote begins here or none ends.
  mutating func quoted() -> [UInt8]? {
    guard rest.first == UInt8(ascii: "\"") else { return nil }
    var result: [UInt8] = []
    var position = rest.startIndex + 1
    while position < rest.endIndex {
      let byte = rest[position]
      if byte == UInt8(ascii: "\"") {
        rest = rest[(position + 1)...]
        return result
      }
      let next = position + 1 < rest.endIndex ? rest[position + 1] : 0
      if byte == UInt8(ascii: "\\"), next == UInt8(ascii: "\"") || next == UInt8(ascii: "\\") {
        position += 1
        result.append(next)
      } else {
        result.append(byte)
      }
      position += 1
    }
    return nil
  }
}
