import Core
import Synchronization

/// The sources of compiled templates.
struct TemplateSources: Sendable {
  var library: Library
  var catalogues: Catalogues

  func program(
    _ name: String, _ shape: Shape, in frame: Frame?, _ language: Language
  ) throws -> Program {
    try Compiler.program(
      name, for: shape, in: frame, library: library, catalogues: catalogues, language: language)
  }
}

/// The current programs of one template and view type, one a language.
///
/// The first language's is compiled at once, which finds all errors: catalogues have the same keys,
/// parameters and plurals in all languages. The others are compiled at their first use. If the
/// templates are known to be valid, so is the first language's.
final class TemplateEntry: Sendable {
  private struct State {
    let sources: TemplateSources
    /// By the languages' indices.
    var programs: [Program?]
  }

  let name: String
  let shape: Shape
  let frame: Frame?
  private let onError: @Sendable () -> Void
  private let state: Mutex<State>
  /// The size of the largest rendering so far, in bytes.
  private let largest = Atomic(0)
  private let replacements = Atomic(0)

  /// Throws `TemplateError`.
  init(
    name: String, shape: Shape, frame: Frame?, sources: TemplateSources, isChecked: Bool,
    onError: @escaping @Sendable () -> Void
  ) throws {
    self.name = name
    self.shape = shape
    self.frame = frame
    self.onError = onError
    var programs = Self.none
    if isChecked {
      try sources.library.lookUp(name)
    } else {
      programs[Self.firstLanguage.index] = try sources.program(
        name, shape, in: frame, Self.firstLanguage)
    }
    state = Mutex(State(sources: sources, programs: programs))
  }

  static var firstLanguage: Language { Language.allCases[0] }
  private static var none: [Program?] { Language.allCases.map { _ in nil } }

  /// The size of the largest page so far, in bytes.
  var capacity: Int {
    largest.load(ordering: .relaxed)
  }

  /// How often newer programs replaced these.
  var version: Int { replacements.load(ordering: .relaxed) }

  var textKeys: Set<String> { program(in: Self.firstLanguage).textKeys }

  /// The first language's program from newer sources. Throws `TemplateError`.
  func compiled(from sources: TemplateSources) throws -> Program {
    try sources.program(name, shape, in: frame, Self.firstLanguage)
  }

  func replace(_ first: Program, from sources: TemplateSources) {
    var programs = Self.none
    programs[Self.firstLanguage.index] = first
    state.withLock { [programs] in $0 = State(sources: sources, programs: programs) }
    replacements.add(1, ordering: .relaxed)
  }

  private func program(in language: Language) -> Program {
    state.withLock { state in
      if let known = state.programs[language.index] { return known }
      let made = make(language, state)
      state.programs[language.index] = made
      return made
    }
  }

  private func make(_ language: Language, _ state: State) -> Program {
    do {
      return try state.sources.program(name, shape, in: frame, language)
    } catch {
      // If the first language's compiled, this one does too; and a page in another language is
      // better than none.
      if let first = state.programs[Self.firstLanguage.index] { return first }
      if let first = try? compiled(from: state.sources) { return first }
      // Only if `isChecked` was wrong: files that changed without a trace. There is no page to
      // send, and half a mail would be worse than none; the next start checks all templates before
      // it answers any request, and reports the error.
      onError()
      fatalError("\(name): \(error)")
    }
  }

  func render(
    _ view: UnsafeRawPointer, frame: UnsafeRawPointer?, in language: Language,
    into output: inout Output
  ) {
    // The lock is held only to take one reference (some 20 ns against 10 µs for a page).
    let program = program(in: language)
    let before = output.count
    output.reserve(capacity)
    program.render(view, in: frame, into: &output)
    let size = output.count - before
    if size > capacity {
      largest.store(size, ordering: .relaxed)
    }
  }
}
