/// An element of a template, before it is bound to a view.
indirect enum Node: Sendable {
  case text([UInt8])
  /// The beginning of a line that writes something, with its leading white space: where indentation
  /// is added and removed.
  case lineStart([UInt8])
  case variable(Name, raw: Bool)
  case section(Name, inverted: Bool, [Node])
  case partial(Inclusion)
  case parent(Inclusion, arguments: [String: Block])
  case block(Block)
}

/// A name with its position.
struct Name: Sendable {
  let text: String
  let position: Position
}

/// A partial or parent tag.
struct Inclusion: Sendable {
  /// The template's name, or that of the field which chooses one.
  let name: Name
  let isDynamic: Bool
  /// The white space before the tag if it is alone on its line; else nil.
  let indentation: [UInt8]?
}

/// A block: a placeholder in a template, or the content that fills it in a parent.
struct Block: Sendable {
  let name: Name
  var nodes: [Node]
  /// The white space before the tag if it is the first on its line; else nil.
  var leading: [UInt8]?
  /// Whether the tag is alone on its line, so that the content begins on the next.
  var ownLine = false
  /// The white space before the content's first line, if the content begins on its own line.
  var intrinsic: [UInt8]?
}
