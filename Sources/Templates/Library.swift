/// The parsed templates by name.
struct Library: Sendable {
  let templates: [String: [Node]]

  var names: [String] {
    templates.keys.sorted()
  }

  /// Throws `TemplateError` for the first source that does not parse.
  init(sources: [String: [UInt8]]) throws {
    var templates: [String: [Node]] = [:]
    for (name, source) in sources.sorted(by: { $0.key < $1.key }) {
      templates[name] = try Parser.parse(source, file: "\(name).mustache")
    }
    self.templates = templates
  }
}
