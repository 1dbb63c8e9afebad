/// The partials and parents that are being compiled.
struct Inclusions {
  /// A template in a scope: two uses with the same key share their steps.
  struct Key: Hashable {
    let name: String
    let added: [UInt8]
    let views: [ObjectIdentifier]
    let slots: [Int]
    let blocks: Int
  }

  /// Thrown to compile everything again, with this inclusion as a procedure.
  struct Recursion: Error {
    let key: Key
  }

  /// Deeper than any page; a partial that recurs with growing indentation has no end.
  static let maximumDepth = 50

  var blockNumbers = BlockNumbers()
  /// The inclusions found to contain themselves.
  var recursive: Set<Key> = []
  /// The recursive inclusions in the order of their call numbers minus one, since 0 is the main
  /// list.
  var procedures: [[Step]] = []
  var numbers: [Key: Int] = [:]
  /// The inclusions being compiled, with the scope's descents at their beginning.
  var open: [Key: Int] = [:]
}

extension Compiler {
  mutating func emit(
    _ inclusion: Inclusion, arguments: [String: Block], _ scope: Scope
  ) throws {
    var inner = scope
    inner.added = inclusion.indentation.map { scope.indentation(of: $0) } ?? []
    inner.stripped = []
    if !arguments.isEmpty {
      inner.blocks = scope.blocks.adding(arguments, &inclusions.blockNumbers)
    }
    if inclusion.isDynamic {
      try emit(chosenBy: inclusion.name, scope, inner)
    } else {
      try emit(template: inclusion.name.text, at: inclusion.name.position, inner)
    }
  }

  private mutating func emit(chosenBy name: Name, _ scope: Scope, _ inner: Scope) throws {
    let (access, view) = try resolve(name, scope)
    guard access.kind == .partial, let word = access.word else {
      throw TemplateError(
        name.position,
        "“\(name.text)” is of kind \(access.kind.rawValue); only one of kind partial names one")
    }
    for choice in access.choices {
      let place = begin()
      try emit(template: choice, at: name.position, inner)
      end(place) { .skipUnless(slot: view.slot, { word($0) == choice }, count: $0) }
    }
  }

  private mutating func emit(
    template name: String, at position: Position, _ scope: Scope
  ) throws {
    guard let nodes = try library.nodes(of: name) else {
      throw TemplateError(
        position, "there is no template “\(name)”; there are: \(listed(library.names))")
    }
    let key = Inclusions.Key(
      name: name, added: scope.added, views: scope.views.map(\.shape.identity),
      slots: scope.views.map(\.slot), blocks: scope.blocks.number)
    if let start = inclusions.open[key], start == scope.descents {
      throw TemplateError(
        position, "“\(name)” contains itself without a section that goes deeper into the view")
    }
    if inclusions.recursive.contains(key) {
      return try emitCall(key, nodes, scope)
    }
    if inclusions.open[key] != nil {
      throw Inclusions.Recursion(key: key)
    }
    guard inclusions.open.count < Inclusions.maximumDepth else {
      throw TemplateError(
        position,
        "“\(name)” is included without end; write a recursive partial's tag without indentation")
    }
    inclusions.open[key] = scope.descents
    try emit(nodes, scope)
    inclusions.open[key] = nil
  }

  private mutating func emitCall(
    _ key: Inclusions.Key, _ nodes: [Node], _ scope: Scope
  ) throws {
    if let number = inclusions.numbers[key] {
      return emit(.call(procedure: number))
    }
    inclusions.procedures.append([])
    let number = inclusions.procedures.count
    inclusions.numbers[key] = number
    inclusions.open[key] = scope.descents
    inclusions.procedures[number - 1] = try separately { try $0.emit(nodes, scope) }
    inclusions.open[key] = nil
    emit(.call(procedure: number))
  }

  /// Emits a block: the content given by the innermost parent's user, else its own.
  mutating func emit(_ block: Block, _ scope: Scope) throws {
    guard let bound = scope.blocks.byName[block.name.text] else {
      return try emit(block.nodes, scope)
    }
    let argument = bound.block
    var inner = scope
    inner.blocks = bound.blocks
    inner.stripped = argument.intrinsic ?? []
    var nodes = argument.nodes[...]
    if let leading = block.leading {
      let isIndentedByContent = block.ownLine && !block.nodes.isEmpty
      let place = isIndentedByContent ? block.intrinsic ?? leading : leading
      inner.added = scope.indentation(of: place)
      if !argument.ownLine {
        emit(literal: inner.added)
      }
    } else if case .lineStart? = nodes.first {
      // Its first line continues the line of the block's tag.
      nodes.removeFirst()
    }
    try emit(Array(nodes), inner)
  }
}
