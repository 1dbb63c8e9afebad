/// A piece of a template's source: at most one line of text, or one tag.
struct Token {
  enum Kind: Equatable {
    case text
    case variable, raw, section, inverted, close, comment, delimiters, partial, parent, block
  }

  let kind: Kind
  /// The text, or the name in the tag.
  var bytes: [UInt8]
  let position: Position

  // The following is set by `LineAnalysis`.

  /// Whether this is the first token of its line.
  var startsLine = false
  /// Whether this text is removed with a tag alone on its line.
  var isRemoved = false
  /// Whether the tag is alone on its line (or a parent with all its content).
  var isAlone = false
  /// The white space before a tag that is the first on its line; else nil.
  var leading: [UInt8]?
  /// The index of the closing tag.
  var partner: Int?
  /// Whether this block fills one of a parent.
  var isArgument = false
  /// The white space before a block's first line of content.
  var intrinsic: [UInt8]?

  var isText: Bool {
    kind == .text
  }

  var isBlank: Bool {
    isText && bytes.allSatisfy { $0.isBlank }
  }

  var endsLine: Bool {
    isText && bytes.last == .newline
  }

  var name: String {
    String(decoding: bytes, as: UTF8.self)
  }
}

extension UInt8 {
  static let newline = UInt8(ascii: "\n")

  /// Space, tab, line feed, carriage return.
  var isBlank: Bool {
    self == 32 || self == 9 || self == 10 || self == 13
  }
}

extension Array where Element == UInt8 {
  var trimmed: [UInt8] {
    guard let first = firstIndex(where: { !$0.isBlank }),
      let last = lastIndex(where: { !$0.isBlank })
    else { return [] }
    return Array(self[first...last])
  }

  /// The leading white space, without line ends.
  var indentation: [UInt8] {
    Array(prefix { $0 == 32 || $0 == 9 })
  }
}
