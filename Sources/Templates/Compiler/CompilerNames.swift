extension Compiler {
  /// Resolves a name: the first part in the innermost view that has it, the rest inside.
  func resolve(_ name: Name, _ scope: Scope) throws -> (Access, VisibleView) {
    if name.text == "." {
      return try find(".", name, scope)
    }
    var parts = name.text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    var (access, view): (Access, VisibleView)
    if parts.count > 1, let frame = scope.frame(named: parts[0]) {
      parts.removeFirst()
      guard let field = frame.shape.field(parts[0]) else {
        throw TemplateError(name.position, missing(parts[0], of: name, in: frame.shape))
      }
      (access, view) = (field, frame)
    } else {
      (access, view) = try find(parts[0], name, scope)
    }
    for part in parts.dropFirst() {
      guard let shape = access.shape, access.kind == .child || access.kind == .optional else {
        throw TemplateError(
          name.position,
          "“\(name.text)” looks for “\(part)” in a field of kind \(access.kind.rawValue)")
      }
      guard let inner = shape.field(part), let both = access.followed(by: inner) else {
        throw TemplateError(name.position, missing(part, of: name, in: shape))
      }
      access = both
    }
    return (access, view)
  }

  private func missing(_ part: String, of name: Name, in shape: Shape) -> String {
    "“\(name.text)”: \(shape.name) has no “\(part)”; it has: \(listed(shape.fieldNames()))"
  }

  private func find(
    _ part: String, _ name: Name, _ scope: Scope
  ) throws -> (Access, VisibleView) {
    let views = part == "." ? Array(scope.views.suffix(1)) : scope.views
    for view in views.reversed() {
      if let access = view.shape.field(part) {
        return (access, view)
      }
    }
    let known = views.reversed().map { view in
      "\(view.shape.name) has: \(listed(view.shape.fieldNames()))"
    }
    throw TemplateError(
      name.position, "there is no “\(name.text)”; \(known.joined(separator: "; "))")
  }

  func misuse(of name: String, _ access: Access, raw: Bool) -> String {
    let kind = access.kind.rawValue
    switch access.kind {
    case .markup:
      return "“\(name)” is of kind markup: write {{{\(name)}}}"
    case .text, .integer:
      return "“\(name)” is of kind \(kind), which is always escaped: write {{\(name)}}"
    case .partial:
      return "“\(name)” is of kind partial: write {{>*\(name)}}"
    case .flag, .list, .child, .optional:
      return "“\(name)” is of kind \(kind), which has no text: write {{#\(name)}}"
    }
  }
}
