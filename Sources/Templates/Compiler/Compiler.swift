import Core

/// Binds a template to a view type in one language.
struct Compiler {
  let library: Library
  let catalogues: Catalogues
  let language: Language
  /// Whether the template is not HTML, so that nothing is escaped.
  let isPlain: Bool

  private(set) var literals: [UInt8] = []
  private(set) var slots: Int
  var textKeys: Set<String> = []
  var inclusions = Inclusions()

  private var steps: [Step] = []
  /// Literals are not joined across this position, since steps skip to it.
  private var barrier = 0

  init(
    library: Library, catalogues: Catalogues, language: Language, isPlain: Bool, isFramed: Bool
  ) {
    self.library = library
    self.catalogues = catalogues
    self.language = language
    self.isPlain = isPlain
    slots = isFramed ? 2 : 1
  }

  /// The plain part of a mail is named `….text`, its subject `….subject`: not HTML, so escaping
  /// would show the reader `&amp;`.
  private static func isPlain(_ name: String) -> Bool {
    name.hasSuffix(".text") || name.hasSuffix(".subject")
  }

  /// Throws `TemplateError` for a name, a text or a template that does not exist or cannot be used
  /// as it is.
  static func program(
    _ name: String, for shape: Shape, in frame: Frame? = nil, library: Library,
    catalogues: Catalogues, language: Language
  ) throws -> Program {
    guard let nodes = try library.nodes(of: name) else { throw library.missing(name) }
    var recursive: Set<Inclusions.Key> = []
    var blockNumbers = BlockNumbers()
    while true {
      var compiler = Compiler(
        library: library, catalogues: catalogues, language: language, isPlain: isPlain(name),
        isFramed: frame != nil)
      compiler.inclusions.recursive = recursive
      compiler.inclusions.blockNumbers = blockNumbers
      do {
        try compiler.emit(nodes, Scope(root: shape, frame: frame))
        return Program(
          procedures: [compiler.steps] + compiler.inclusions.procedures,
          literals: compiler.literals, slots: compiler.slots, textKeys: compiler.textKeys)
      } catch let recursion as Inclusions.Recursion {
        recursive.insert(recursion.key)
        // The key's numbers mean the same in the next pass.
        blockNumbers = compiler.inclusions.blockNumbers
      }
    }
  }

  mutating func emit(_ nodes: [Node], _ scope: Scope) throws {
    for node in nodes {
      switch node {
      case .text(let bytes): emit(literal: bytes)
      case .lineStart(let whiteSpace): emit(literal: scope.indentation(of: whiteSpace))
      case .variable(let name, let raw): try emit(variable: name, raw: raw, scope)
      case .section(let name, let inverted, let nodes):
        try emit(section: name, inverted: inverted, nodes, scope)
      case .partial(let inclusion): try emit(inclusion, arguments: [:], scope)
      case .parent(let inclusion, let arguments):
        try emit(inclusion, arguments: arguments, scope)
      case .block(let block): try emit(block, scope)
      }
    }
  }

  private mutating func emit(variable name: Name, raw: Bool, _ scope: Scope) throws {
    if let key = Self.textKey(name) {
      return try emit(text: key, raw: raw, at: name.position, scope)
    }
    let (access, view) = try resolve(name, scope)
    let escaped = isPlain ? access.writePlain ?? access.write : access.write
    guard let write = raw ? access.writeRaw : escaped else {
      throw TemplateError(name.position, misuse(of: name.text, access, raw: raw))
    }
    emit(.write(slot: view.slot, write))
  }

  private mutating func emit(
    section name: Name, inverted: Bool, _ nodes: [Node], _ scope: Scope
  ) throws {
    if Self.textKey(name) != nil {
      throw TemplateError(name.position, "“\(name.text)” is a text, which cannot be a section")
    }
    let (access, view) = try resolve(name, scope)
    if !inverted, let enter = access.enter, let shape = access.shape {
      let (inner, slot) = scope.entering(shape, from: view)
      slots = max(slots, slot + 1)
      try emit(
        { .enter(slot: view.slot, enter, inner: slot, count: $0) }, around: nodes, inner)
    } else if let test = access.test {
      try emit(
        {
          inverted
            ? .skipIf(slot: view.slot, test, count: $0)
            : .skipUnless(slot: view.slot, test, count: $0)
        }, around: nodes, scope)
    }
  }

  private mutating func emit(
    _ step: (Int) -> Step, around nodes: [Node], _ scope: Scope
  ) throws {
    let place = begin()
    try emit(nodes, scope)
    end(place, step)
  }

  /// Reserves a position for a step whose count of following steps is not known yet.
  mutating func begin() -> Int {
    steps.append(.skip(count: 0))
    barrier = steps.count
    return steps.count - 1
  }

  mutating func end(_ place: Int, _ step: (Int) -> Step) {
    steps[place] = step(steps.count - place - 1)
    barrier = steps.count
  }

  mutating func emit(_ step: Step) {
    steps.append(step)
  }

  mutating func emit(literal bytes: [UInt8]) {
    if bytes.isEmpty { return }
    let offset = literals.count
    literals += bytes
    if steps.count > barrier, case .literal(let start, let count)? = steps.last,
      start + count == offset
    {
      steps[steps.count - 1] = .literal(offset: start, count: count + bytes.count)
    } else {
      steps.append(.literal(offset: offset, count: bytes.count))
    }
  }

  /// Collects the steps that `body` emits separately from the others.
  mutating func separately(_ body: (inout Self) throws -> Void) rethrows -> [Step] {
    let (outer, outerBarrier) = (steps, barrier)
    (steps, barrier) = ([], 0)
    try body(&self)
    defer { (steps, barrier) = (outer, outerBarrier) }
    return steps
  }
}

/// A list of names for an error message.
func listed(_ names: some Collection<String>) -> String {
  names.isEmpty ? "none" : names.sorted().joined(separator: ", ")
}
