import Basics
import Foundation
import Synchronization

/// The templates of a directory, each compiled once for every view type and language it is used
/// with.
public final class TemplateSet: Sendable {
  private struct State {
    var library: Library
    var catalogues: Catalogues
    var entries: [TemplateEntry] = []
    var files: [String: FileState]
    /// Why the newest files do not compile.
    var failure: (any Error)?
  }

  private let files: TemplateFiles
  private let state: Mutex<State>

  /// Reads and parses all `.mustache` files below the directory.
  ///
  /// Throws `TemplateError` for one that does not parse, or what reading threw.
  public init(directory: String, catalogues: Catalogues) throws {
    files = TemplateFiles(directory: directory)
    let before = files.state(withCatalogues: catalogues.directory)
    let library = try Library(sources: files.sources())
    state = Mutex(State(library: library, catalogues: catalogues, files: before))
  }

  /// Compiles `name` (`feed/feed` for `feed/feed.mustache`) for a view type in all languages.
  ///
  /// Throws `TemplateError` with the place, the wrong name and the names that exist.
  public func template<V: View>(_ name: String, _ view: V.Type = V.self) throws -> Template<V> {
    let shape = Shape(V.self)
    let entry = try state.withLock { state in
      if let known = state.entries.first(where: {
        $0.name == name && $0.shape.identity == shape.identity
      }) {
        return known
      }
      let programs = try Self.programs(name, shape, state.library, state.catalogues)
      let entry = TemplateEntry(name: name, shape: shape, programs: programs)
      state.entries.append(entry)
      return entry
    }
    return Template(entry: entry)
  }

  private static func programs(
    _ name: String, _ shape: Shape, _ library: Library, _ catalogues: Catalogues
  ) throws -> [Program] {
    try Language.allCases.map { language in
      try Compiler.program(
        name, for: shape, library: library, catalogues: catalogues, language: language)
    }
  }

  /// Compiles everything again when a template or a catalogue changed; true when it did. For
  /// development; may be called from many threads.
  ///
  /// Throws what is wrong (`TemplateError`, `CatalogueError`) and keeps the old programs; it throws
  /// the same again until the files change, so that the error stays in sight.
  public func reloadIfChanged() throws -> Bool {
    try state.withLock { state in
      let now = files.state(withCatalogues: state.catalogues.directory)
      if now == state.files {
        if let failure = state.failure { throw failure }
        return false
      }
      state.files = now
      state.failure = nil
      do {
        try reload(&state)
      } catch {
        state.failure = error
        throw error
      }
      return true
    }
  }

  private func reload(_ state: inout State) throws {
    let catalogues = try state.catalogues.directory.map { try Catalogues(directory: $0) }
    let newest = catalogues ?? state.catalogues
    let library = try Library(sources: files.sources())
    let programs = try state.entries.map {
      try Self.programs($0.name, $0.shape, library, newest)
    }
    for (entry, programs) in zip(state.entries, programs) {
      entry.replace(programs)
    }
    state.library = library
    state.catalogues = newest
  }

  /// The keys of the texts in the templates compiled so far.
  public var usedTextKeys: Set<String> {
    state.withLock { $0.entries.reduce(into: []) { $0.formUnion($1.textKeys) } }
  }

  /// The names of all template files found, sorted.
  public var names: [String] {
    state.withLock { $0.library.names }
  }

  /// The texts as they are now: after a reload, the new ones.
  public var catalogues: Catalogues {
    state.withLock { $0.catalogues }
  }
}
