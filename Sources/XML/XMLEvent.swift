/// A part of a document, in the order of reading. Names are as written, with their prefixes.
public enum XMLEvent {
  case open(name: String, attributes: [(name: String, value: String)])
  /// A piece of text; there may be several in a row.
  case text(String)
  case close(name: String)
}

/// The error of a document that is not well-formed, has a document type, or exceeds a limit.
public struct XMLError: Error {}

/// The maximum size of a document and its parts.
public struct XMLLimits: Sendable {
  let document: Int
  let depth: Int
  let name: Int
  let value: Int
  let text: Int
  let attributes: Int

  /// `document`, `name`, `value` (of an attribute) and `text` (a piece of it) are in bytes. Longer
  /// pieces of text are cut; everything else over a limit is an error.
  public init(document: Int, depth: Int, name: Int, value: Int, text: Int, attributes: Int) {
    self.document = document
    self.depth = depth
    self.name = name
    self.value = value
    self.text = text
    self.attributes = attributes
  }
}
