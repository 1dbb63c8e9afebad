import Core
import Foundation
import Synchronization

/// The templates of a directory, each compiled once for every view type and language it is used
/// with: at once for the first language, which finds all errors, and for the others at their first
/// use. Templates that are known to be valid (`stamp`) are compiled at their first use in the first
/// language too.
public final class TemplateSet: Sendable {
  private struct State {
    var sources: TemplateSources
    var entries: [TemplateEntry] = []
    var files: [String: FileState]
    /// The error of the newest files, if they do not compile.
    var failure: (any Error)?
  }

  private let files: TemplateFiles
  private let isChecked: Bool
  private let onError: @Sendable () -> Void
  private let state: Mutex<State>

  /// Reads all `.mustache` files below the directory. `isChecked` promises that this very program
  /// has compiled these very files before; `onError` is called if that turns out to be wrong, and
  /// then the process ends.
  ///
  /// Throws `TemplateError` for one that does not parse, and errors of reading.
  public init(
    directory: String, catalogues: Catalogues, isChecked: Bool = false,
    onError: @escaping @Sendable () -> Void = {}
  ) throws {
    files = TemplateFiles(directory: directory)
    self.isChecked = isChecked
    self.onError = onError
    // Checked templates are not checked for changes.
    let before = isChecked ? [:] : files.state(withCatalogues: catalogues.directory)
    let library = try Library(sources: files.sources(), atOnce: !isChecked)
    state = Mutex(
      State(sources: TemplateSources(library: library, catalogues: catalogues), files: before))
  }

  /// Compiles `name` (`feed/feed` for `feed/feed.mustache`) for a view type.
  ///
  /// Throws `TemplateError` with the position, the wrong name and the existing names.
  public func template<V: View>(_ name: String, _ view: V.Type = V.self) throws -> Template<V> {
    Template(entry: try entry(name, Shape(V.self), in: nil))
  }

  /// Compiles `name` for a view type and the frame around it, whose fields have names that begin
  /// with `frameName`: `{{page.title}}`.
  ///
  /// Throws `TemplateError` with the position, the wrong name and the existing names.
  public func template<F: View, V: View>(
    _ name: String, _ view: V.Type = V.self, in frame: F.Type = F.self, named frameName: String
  ) throws -> FramedTemplate<F, V> {
    FramedTemplate(
      entry: try entry(name, Shape(V.self), in: Frame(name: frameName, shape: Shape(F.self))))
  }

  private func entry(_ name: String, _ shape: Shape, in frame: Frame?) throws -> TemplateEntry {
    try state.withLock { state in
      if let known = state.entries.first(where: {
        $0.name == name && $0.shape.identity == shape.identity
          && $0.frame?.shape.identity == frame?.shape.identity
      }) {
        return known
      }
      let entry = try TemplateEntry(
        name: name, shape: shape, frame: frame, sources: state.sources, isChecked: isChecked,
        onError: onError)
      state.entries.append(entry)
      return entry
    }
  }

  /// A text that changes with any of the templates, the catalogues or the program: the promise of
  /// `isChecked` holds for one stamp. Nil if the program can't be read.
  public static func stamp(directory: String, catalogues: String, program: String) -> String? {
    guard let state = FileState(of: program) else { return nil }
    var files = TemplateFiles(directory: directory).state(withCatalogues: catalogues)
    files[program] = state
    return files.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
      .joined(separator: "\n")
  }

  /// Compiles everything again if a template or a catalogue changed; returns whether it did. For
  /// development; may be called from many threads.
  ///
  /// Throws the errors (`TemplateError`, `CatalogueError`) and keeps the old programs; it throws
  /// the same again until the files change, so that the error stays visible.
  public func reloadIfChanged() throws -> Bool {
    try state.withLock { state in
      let now = files.state(withCatalogues: state.sources.catalogues.directory)
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
    let catalogues = state.sources.catalogues
    let newest = TemplateSources(
      library: try Library(sources: files.sources()),
      catalogues: try catalogues.directory.map { try Catalogues(directory: $0) } ?? catalogues)
    let programs = try state.entries.map { try $0.compiled(from: newest) }
    for (entry, program) in zip(state.entries, programs) {
      entry.replace(program, from: newest)
    }
    state.sources = newest
  }

  /// The keys of the texts in the templates compiled so far.
  public var usedTextKeys: Set<String> {
    state.withLock { $0.entries.reduce(into: []) { $0.formUnion($1.textKeys) } }
  }

  /// The names of all template files found, sorted.
  public var names: [String] {
    state.withLock { $0.sources.library.names }
  }

  /// The current texts: after a reload, the new ones.
  public var catalogues: Catalogues {
    state.withLock { $0.sources.catalogues }
  }
}
