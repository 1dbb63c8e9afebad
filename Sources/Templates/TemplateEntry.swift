import Basics
import Synchronization

/// What templates are compiled from.
struct TemplateSources: Sendable {
  var library: Library
  var catalogues: Catalogues

  func program(_ name: String, _ shape: Shape, _ language: Language) throws -> Program {
    try Compiler.program(
      name, for: shape, library: library, catalogues: catalogues, language: language)
  }
}

/// The present programs of one template and view type, one a language.
///
/// The first language's is made at once, and shows whatever is wrong: catalogues have the same keys,
/// parameters and plurals in all languages. Those of the others are made when somebody reads them.
final class TemplateEntry: Sendable {
  private struct State {
    let sources: TemplateSources
    let first: Program
    var others: [Language: Program] = [:]
  }

  let name: String
  let shape: Shape
  private let state: Mutex<State>
  /// The most bytes that a rendering took so far.
  private let largest = Atomic(0)

  /// Throws `TemplateError`.
  init(name: String, shape: Shape, sources: TemplateSources) throws {
    self.name = name
    self.shape = shape
    state = Mutex(
      State(sources: sources, first: try sources.program(name, shape, Self.firstLanguage)))
  }

  static var firstLanguage: Language { Language.allCases[0] }

  /// Room for the largest page so far.
  var capacity: Int {
    largest.load(ordering: .relaxed)
  }

  var textKeys: Set<String> {
    state.withLock { $0.first.textKeys }
  }

  /// The first language's program from newer sources. Throws `TemplateError`.
  func compiled(from sources: TemplateSources) throws -> Program {
    try sources.program(name, shape, Self.firstLanguage)
  }

  func replace(_ first: Program, from sources: TemplateSources) {
    state.withLock { $0 = State(sources: sources, first: first) }
  }

  private func program(in language: Language) -> Program {
    state.withLock { state in
      if language == Self.firstLanguage { return state.first }
      if let known = state.others[language] { return known }
      // Where the first one was made this one can be; and a page in another language is better
      // than none.
      let made = (try? state.sources.program(name, shape, language)) ?? state.first
      state.others[language] = made
      return made
    }
  }

  func render(
    _ view: UnsafeRawPointer, in language: Language, into output: inout Output
  ) {
    // Held for the taking of one reference only (some 20 ns against 10 µs for a page).
    let program = program(in: language)
    let before = output.count
    output.reserve(capacity)
    program.render(view, into: &output)
    let size = output.count - before
    if size > capacity {
      largest.store(size, ordering: .relaxed)
    }
  }
}
