/// The reason why a template does not compile, and its position.
public struct TemplateError: Error, Equatable, CustomStringConvertible {
  /// The file below the directory of templates, `feed/feed.mustache`; the template's own name if
  /// there is no such file.
  public let file: String
  /// Counted from 1; 0 if the error has no line.
  public let line: Int
  /// In bytes, counted from 1; 0 if the error has no line.
  public let column: Int
  public let message: String

  init(file: String, line: Int = 0, column: Int = 0, _ message: String) {
    self.file = file
    self.line = line
    self.column = column
    self.message = message
  }

  init(_ position: Position, _ message: String) {
    self.init(file: position.file, line: position.line, column: position.column, message)
  }

  public var description: String {
    line > 0 ? "\(file):\(line):\(column): \(message)" : "\(file): \(message)"
  }
}

/// The beginning of a tag.
struct Position: Hashable, Sendable {
  let file: String
  let line: Int
  let column: Int
}
