/// Splits a template's source into tokens.
struct Scanner {
  private let source: [UInt8]
  private let file: String
  private var index = 0
  private var line = 1
  private var lineStart = 0
  private var open = Array("{{".utf8)
  private var close = Array("}}".utf8)
  private var tokens: [Token] = []

  init(_ source: [UInt8], file: String) {
    self.source = source
    self.file = file
  }

  /// Throws `TemplateError` for a tag that is not closed, empty or malformed.
  static func tokens(of source: [UInt8], file: String) throws -> [Token] {
    var scanner = Scanner(source, file: file)
    try scanner.scan()
    return scanner.tokens
  }

  private var position: Position {
    Position(file: file, line: line, column: index - lineStart + 1)
  }

  private mutating func scan() throws {
    var textStart = index
    var textPosition = position
    while index < source.count {
      if isDelimiter(open, at: index) {
        addText(from: textStart, at: textPosition)
        try scanTag()
        textStart = index
        textPosition = position
      } else if source[index] == .newline {
        step(to: index + 1)
        addText(from: textStart, at: textPosition)
        textStart = index
        textPosition = position
      } else {
        index += 1
      }
    }
    addText(from: textStart, at: textPosition)
  }

  private mutating func addText(from start: Int, at position: Position) {
    if start < index {
      tokens.append(Token(kind: .text, bytes: Array(source[start..<index]), position: position))
    }
  }

  private mutating func scanTag() throws {
    let position = position
    let opening = index + open.count
    let (kind, hasSigil) = kind(at: opening)
    let start = hasSigil ? opening + 1 : opening
    var ending = close
    if kind == .delimiters {
      ending = [UInt8(ascii: "=")] + close
    } else if kind == .raw, source[opening] == UInt8(ascii: "{") {
      ending = [UInt8(ascii: "}")] + close
    }
    guard let end = find(ending, from: start) else {
      throw TemplateError(position, "the tag is not closed by \(shown(ending))")
    }
    let content = Array(source[start..<end]).trimmed
    step(to: end + ending.count)
    if kind == .delimiters {
      try setDelimiters(content, at: position)
    } else if kind != .comment {
      try check(content, at: position)
    }
    tokens.append(Token(kind: kind, bytes: content, position: position))
  }

  private func kind(at index: Int) -> (Token.Kind, hasSigil: Bool) {
    guard index < source.count else { return (.variable, false) }
    switch source[index] {
    case UInt8(ascii: "#"): return (.section, true)
    case UInt8(ascii: "^"): return (.inverted, true)
    case UInt8(ascii: "/"): return (.close, true)
    case UInt8(ascii: "!"): return (.comment, true)
    case UInt8(ascii: "="): return (.delimiters, true)
    case UInt8(ascii: ">"): return (.partial, true)
    case UInt8(ascii: "<"): return (.parent, true)
    case UInt8(ascii: "$"): return (.block, true)
    case UInt8(ascii: "&"), UInt8(ascii: "{"): return (.raw, true)
    default: return (.variable, false)
    }
  }

  private func check(_ content: [UInt8], at position: Position) throws {
    if content.isEmpty {
      throw TemplateError(position, "the tag names nothing")
    }
    let name = content.first == UInt8(ascii: "*") ? Array(content.dropFirst()).trimmed : content
    if name.contains(where: { $0.isBlank }) {
      throw TemplateError(position, "the name \(shown(content)) holds white space")
    }
  }

  private mutating func setDelimiters(_ content: [UInt8], at position: Position) throws {
    let parts = content.split { $0.isBlank }.map { Array($0) }
    guard parts.count == 2, !(parts[0] + parts[1]).contains(UInt8(ascii: "=")) else {
      throw TemplateError(position, "two delimiters are wanted here, as in {{=<% %>=}}")
    }
    open = parts[0]
    close = parts[1]
  }

  private mutating func step(to end: Int) {
    while index < end {
      if source[index] == .newline {
        line += 1
        lineStart = index + 1
      }
      index += 1
    }
  }

  private func find(_ bytes: [UInt8], from start: Int) -> Int? {
    var place = start
    while place + bytes.count <= source.count {
      if isDelimiter(bytes, at: place) { return place }
      place += 1
    }
    return nil
  }

  private func isDelimiter(_ bytes: [UInt8], at start: Int) -> Bool {
    start + bytes.count <= source.count && source[start] == bytes[0]
      && bytes.indices.allSatisfy { source[start + $0] == bytes[$0] }
  }

  private func shown(_ bytes: [UInt8]) -> String {
    "“\(String(decoding: bytes, as: UTF8.self))”"
  }
}
