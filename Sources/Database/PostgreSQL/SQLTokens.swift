/// The tokens of SQL text, as far as a translation distinguishes them. Together they are the text.
struct SQLTokens {
  struct Token: Equatable {
    enum Kind { case word, space, comment, text, name, bytes, sign }

    let kind: Kind
    let text: String

    var isWord: Bool { kind == .word }
    /// Bytes in hexadecimal digits: `x'00ff'`.
    var isBytes: Bool { kind == .bytes }
    var isSpace: Bool { kind == .space || kind == .comment }
  }

  private(set) var all: [Token] = []

  init(_ sql: String) {
    var rest = sql[...]
    while let first = rest.first {
      let kind = Self.kind(first, rest)
      let end = Self.end(of: kind, in: rest)
      all.append(Token(kind: kind, text: String(rest[..<end])))
      rest = rest[end...]
    }
  }

  static func text(_ tokens: some Sequence<Token>) -> String {
    tokens.map(\.text).joined()
  }

  /// The statements, each with its semicolon. One that creates a trigger has semicolons before its
  /// END, which is one more than those of CASE.
  static func statements(_ tokens: ArraySlice<Token>) -> [ArraySlice<Token>] {
    var found: [ArraySlice<Token>] = []
    var start = tokens.startIndex
    for index in tokens.indices where tokens[index].text == ";" {
      let statement = tokens[start...index]
      let parts = statement.filter { !$0.isSpace }.map(\.text)
      if parts.starts(with: ["CREATE", "TRIGGER"]),
        parts.count(where: { $0 == "END" }) <= parts.count(where: { $0 == "CASE" })
      {
        continue
      }
      found.append(statement)
      start = index + 1
    }
    return found + (start < tokens.endIndex ? [tokens[start...]] : [])
  }

  private static func kind(_ first: Character, _ rest: Substring) -> Token.Kind {
    if first.isWhitespace { return .space }
    if rest.hasPrefix("--") { return .comment }
    if rest.hasPrefix("x'") || rest.hasPrefix("X'") { return .bytes }
    if isPartOfWord(first) { return .word }
    return first == "'" ? .text : first == "\"" ? .name : .sign
  }

  private static func end(of kind: Token.Kind, in rest: Substring) -> Substring.Index {
    switch kind {
    case .space: rest.firstIndex { !$0.isWhitespace } ?? rest.endIndex
    case .comment: rest.firstIndex(of: "\n") ?? rest.endIndex
    case .word: rest.firstIndex { !isPartOfWord($0) } ?? rest.endIndex
    case .sign: rest.index(after: rest.startIndex)
    // Two quotes in a text are a text and another one, which is as good here.
    case .text: endOfQuoted("'", in: rest.dropFirst())
    case .name: endOfQuoted("\"", in: rest.dropFirst())
    case .bytes: endOfQuoted("'", in: rest.dropFirst(2))
    }
  }

  private static func endOfQuoted(_ quote: Character, in rest: Substring) -> Substring.Index {
    rest.firstIndex(of: quote).map { rest.index(after: $0) } ?? rest.endIndex
  }

  private static func isPartOfWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }
}
