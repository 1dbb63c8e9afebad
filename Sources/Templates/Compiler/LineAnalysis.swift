/// Finds the tags that are alone on their lines and removes the white space around them; finds the
/// partner of each opening tag.
///
/// Mustache's specification requires the first (sections, partials, ~inheritance). For blocks and
/// parents it says "when appropriate", which its cases make exact: a parent is alone if nothing
/// precedes its opening tag and nothing follows its closing tag; the content of a block that fills
/// one begins after the line end if nothing else follows the opening tag there.
struct LineAnalysis {
  private var tokens: [Token]

  /// Throws `TemplateError` for a section that is not closed, or closed by another's tag.
  static func analysed(_ tokens: [Token]) throws -> [Token] {
    var analysis = LineAnalysis(tokens: tokens)
    try analysis.findPartners()
    analysis.findLines()
    analysis.trim()
    return analysis.tokens
  }

  private mutating func findPartners() throws {
    var open: [Int] = []
    for index in tokens.indices {
      switch tokens[index].kind {
      case .section, .inverted, .parent, .block:
        if tokens[index].kind == .block, let outer = open.last {
          tokens[index].isArgument = tokens[outer].kind == .parent
        }
        open.append(index)
      case .close:
        guard let last = open.popLast() else {
          throw TemplateError(
            tokens[index].position, "“\(tokens[index].name)” is closed but was not opened")
        }
        guard tokens[last].bytes == tokens[index].bytes else {
          throw TemplateError(
            tokens[index].position,
            "“\(tokens[index].name)” is closed where “\(tokens[last].name)” is open")
        }
        tokens[last].partner = index
        tokens[index].partner = last
      default: break
      }
    }
    if let last = open.last {
      throw TemplateError(
        tokens[last].position, "the section “\(tokens[last].name)” is not closed")
    }
  }

  private mutating func findLines() {
    for index in tokens.indices {
      tokens[index].startsLine = index == 0 || tokens[index - 1].endsLine
    }
    for index in tokens.indices where !tokens[index].isText {
      if tokens[index].startsLine {
        tokens[index].leading = []
      } else if tokens[index - 1].isBlank, tokens[index - 1].startsLine {
        tokens[index].leading = tokens[index - 1].bytes
      }
    }
    for index in tokens.indices where tokens[index].kind == .block && isLast(index) {
      let first = index + 2
      if first < tokens.count, tokens[index].partner.map({ first < $0 }) ?? false {
        tokens[index].intrinsic = tokens[first].isText ? tokens[first].bytes.indentation : []
      }
    }
  }

  /// Whether only white space follows on the line.
  private func isLast(_ index: Int) -> Bool {
    guard index + 1 < tokens.count else { return true }
    let next = tokens[index + 1]
    return next.isBlank && (next.endsLine || index + 2 == tokens.count)
  }

  private mutating func trim() {
    for index in tokens.indices {
      let isFirst = tokens[index].leading != nil
      switch tokens[index].kind {
      case .text, .variable, .raw: break
      case .comment, .delimiters, .partial, .section, .inverted:
        if isFirst, isLast(index) { trimBoth(index) }
      case .block where tokens[index].isArgument:
        if isLast(index) { trimAfter(index) }
      case .block:
        if isFirst, isLast(index) { trimBoth(index) }
      case .parent:
        if let end = tokens[index].partner, isFirst, isLast(end) {
          tokens[index].isAlone = true
          trimBefore(index)
          trimAfter(end)
        }
      case .close:
        trimClosing(index)
      }
    }
  }

  private mutating func trimClosing(_ index: Int) {
    guard let start = tokens[index].partner, tokens[index].leading != nil else { return }
    switch tokens[start].kind {
    case .parent:
      break
    case .block where tokens[start].isArgument:
      tokens[index].isAlone = true
      trimBefore(index)
    default:
      if isLast(index) { trimBoth(index) }
    }
  }

  private mutating func trimBoth(_ index: Int) {
    tokens[index].isAlone = true
    trimBefore(index)
    trimAfter(index)
  }

  private mutating func trimBefore(_ index: Int) {
    if !tokens[index].startsLine {
      tokens[index - 1].isRemoved = true
    }
  }

  private mutating func trimAfter(_ index: Int) {
    tokens[index].isAlone = true
    if index + 1 < tokens.count {
      tokens[index + 1].isRemoved = true
    }
  }
}
