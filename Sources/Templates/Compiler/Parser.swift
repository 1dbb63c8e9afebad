/// Parses the source of a template into a tree.
struct Parser {
  private let tokens: [Token]
  private var index = 0

  /// Throws `TemplateError` with the position of the error.
  static func parse(_ source: [UInt8], file: String) throws -> [Node] {
    let tokens = try LineAnalysis.analysed(Scanner.tokens(of: source, file: file))
    var parser = Parser(tokens: tokens)
    return parser.nodes(until: tokens.count)
  }

  private mutating func nodes(until end: Int) -> [Node] {
    var nodes: [Node] = []
    while index < end {
      let token = tokens[index]
      if token.startsLine, let indentation = lineStart(token) {
        nodes.append(.lineStart(indentation))
      }
      append(token, to: &nodes)
    }
    return nodes
  }

  /// The white space with which the line begins; nil for a line that writes nothing of its own, or
  /// leaves its beginning to a block.
  private func lineStart(_ token: Token) -> [UInt8]? {
    if token.isText {
      if token.isRemoved || (token.isBlank && token.endsLine) { return nil }
      if token.isBlank, index + 1 < tokens.count, leavesLineStart(tokens[index + 1]) { return nil }
      return token.bytes.indentation
    }
    return token.isAlone || leavesLineStart(token) ? nil : []
  }

  private func leavesLineStart(_ token: Token) -> Bool {
    token.kind == .block && !token.isArgument
  }

  private mutating func append(_ token: Token, to nodes: inout [Node]) {
    index += 1
    switch token.kind {
    case .text:
      appendText(token, to: &nodes)
    case .comment, .delimiters, .close:
      break
    case .variable:
      nodes.append(.variable(name(token), raw: false))
    case .raw:
      nodes.append(.variable(name(token), raw: true))
    case .section, .inverted:
      let inner = content(of: token)
      nodes.append(.section(name(token), inverted: token.kind == .inverted, inner))
    case .partial:
      nodes.append(.partial(inclusion(token)))
    case .parent:
      var arguments: [String: Block] = [:]
      for case .block(let block) in content(of: token) {
        arguments[block.name.text] = block
      }
      nodes.append(.parent(inclusion(token), arguments: arguments))
    case .block:
      nodes.append(.block(block(token)))
    }
  }

  private func appendText(_ token: Token, to nodes: inout [Node]) {
    if token.isRemoved { return }
    var bytes = token.bytes[...]
    if token.startsLine, !(token.isBlank && token.endsLine) {
      // The line start has the white space.
      bytes = bytes.dropFirst(token.bytes.indentation.count)
    }
    if !bytes.isEmpty {
      nodes.append(.text(Array(bytes)))
    }
  }

  private mutating func content(of token: Token) -> [Node] {
    let end = token.partner ?? tokens.count
    var inner = nodes(until: end)
    if end < tokens.count, tokens[end].startsLine, !tokens[end].isAlone {
      inner.append(.lineStart([]))
    }
    index = end + 1
    return inner
  }

  private mutating func block(_ token: Token) -> Block {
    var block = Block(name: name(token), nodes: content(of: token))
    block.ownLine = token.isAlone
    block.intrinsic = token.intrinsic
    if !token.isArgument, let leading = token.leading {
      block.leading = leading
      if !token.isAlone {
        block.nodes.insert(.lineStart(leading), at: 0)
      }
    }
    return block
  }

  private func name(_ token: Token) -> Name {
    Name(text: token.name, position: token.position)
  }

  private func inclusion(_ token: Token) -> Inclusion {
    let isDynamic = token.bytes.first == UInt8(ascii: "*")
    let bytes = isDynamic ? Array(token.bytes.dropFirst()).trimmed : token.bytes
    return Inclusion(
      name: Name(text: String(decoding: bytes, as: UTF8.self), position: token.position),
      isDynamic: isDynamic,
      indentation: token.isAlone ? token.leading ?? [] : nil)
  }
}
