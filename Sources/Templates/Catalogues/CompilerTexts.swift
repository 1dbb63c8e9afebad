extension Compiler {
  /// The catalogue's key that `t.some.key` names; nil for a name of a view.
  static func textKey(_ name: Name) -> String? {
    name.text.hasPrefix("t.") ? String(name.text.dropFirst(2)) : nil
  }

  /// Emits a text of a catalogue: static bytes, its parameters bound to fields in scope.
  mutating func emit(
    text key: String, raw: Bool, at position: Position, _ scope: Scope
  ) throws {
    if raw {
      throw TemplateError(position, "a text is always escaped: write {{t.\(key)}}")
    }
    guard let message = catalogues.message(key, in: language) else {
      throw TemplateError(position, "there is no text “\(key)”; \(neighbours(of: key))")
    }
    textKeys.insert(key)
    switch message {
    case .plain(let pattern):
      try emit(pattern, of: key, at: position, scope)
    case .plural(let by, let one, let other):
      let (access, view) = try resolve(parameter: by, of: key, at: position, scope)
      guard let number = access.number else {
        throw TemplateError(
          position,
          "the text “\(key)” chooses its plural by “\(by)”, which is of kind "
            + "\(access.kind.rawValue) and no integer")
      }
      guard let one else { return try emit(other, of: key, at: position, scope) }
      let isOne: Access.Test = { Message.isOne(number($0)) }
      let singular = begin()
      try emit(one, of: key, at: position, scope)
      let plural = begin()
      end(singular) { .skipUnless(slot: view.slot, isOne, count: $0) }
      try emit(other, of: key, at: position, scope)
      end(plural) { .skip(count: $0) }
    }
  }

  private mutating func emit(
    _ pattern: Pattern, of key: String, at position: Position, _ scope: Scope
  ) throws {
    for piece in pattern.pieces {
      switch piece {
      case .literal(let text):
        emit(literal: isPlain ? Array(text.utf8) : Markup(escaping: text).bytes)
      case .parameter(let name):
        let (access, view) = try resolve(parameter: name, of: key, at: position, scope)
        guard let write = access.writeInText else {
          throw TemplateError(
            position,
            "the text “\(key)” wants “\(name)”, which is of kind \(access.kind.rawValue)")
        }
        emit(.write(slot: view.slot, isPlain ? access.writePlain ?? write : write))
      }
    }
  }

  private func resolve(
    parameter: String, of key: String, at position: Position, _ scope: Scope
  ) throws -> (Access, VisibleView) {
    do {
      return try resolve(Name(text: parameter, position: position), scope)
    } catch let error as TemplateError {
      throw TemplateError(position, "the text “\(key)” wants “\(parameter)”: \(error.message)")
    }
  }

  /// The keys of the same group, or else the groups.
  private func neighbours(of key: String) -> String {
    let group = key.split(separator: ".").dropLast().map { $0 + "." }.joined()
    let near = catalogues.keys.filter { $0.hasPrefix(group) }
    if !group.isEmpty, !near.isEmpty {
      return "“\(group)” has: \(listed(near.map { String($0.dropFirst(group.count)) }))"
    }
    return
      "groups: \(listed(Set(catalogues.keys.compactMap { $0.split(separator: ".").first.map(String.init) })))"
  }
}
