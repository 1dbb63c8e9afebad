import Synchronization

/// The templates by name: parsed all at once, which finds the errors of any, or each at its first
/// use.
final class Library: Sendable {
  private let sources: [String: [UInt8]]
  private let parsed: Mutex<[String: [Node]]>

  /// Throws `TemplateError` for the first source that does not parse, if all are parsed at once.
  init(sources: [String: [UInt8]], atOnce: Bool = true) throws {
    self.sources = sources
    var templates: [String: [Node]] = [:]
    if atOnce {
      for (name, source) in sources.sorted(by: { $0.key < $1.key }) {
        templates[name] = try Self.parsed(source, name)
      }
    }
    parsed = Mutex(templates)
  }

  var names: [String] {
    sources.keys.sorted()
  }

  /// Throws if there is no such template.
  func lookUp(_ name: String) throws {
    guard sources[name] != nil else { throw missing(name) }
  }

  func missing(_ name: String) -> TemplateError {
    TemplateError(
      file: "\(name).mustache",
      "there is no template “\(name)”; there are: \(listed(names))")
  }

  /// Nil if there is no such template. Throws `TemplateError` if it does not parse.
  func nodes(of name: String) throws -> [Node]? {
    guard let source = sources[name] else { return nil }
    return try parsed.withLock { templates in
      if let known = templates[name] { return known }
      let nodes = try Self.parsed(source, name)
      templates[name] = nodes
      return nodes
    }
  }

  private static func parsed(_ source: [UInt8], _ name: String) throws -> [Node] {
    try Parser.parse(source, file: "\(name).mustache")
  }
}
