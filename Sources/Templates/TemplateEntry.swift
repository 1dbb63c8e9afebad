import Basics
import Synchronization

/// The present programs of one template and view type, one a language.
final class TemplateEntry: Sendable {
  let name: String
  let shape: Shape
  private let programs: Mutex<[Program]>
  /// The most bytes that a rendering took so far.
  private let largest = Atomic(0)

  init(name: String, shape: Shape, programs: [Program]) {
    self.name = name
    self.shape = shape
    self.programs = Mutex(programs)
  }

  /// Room for the largest page so far.
  var capacity: Int {
    largest.load(ordering: .relaxed)
  }

  var textKeys: Set<String> {
    programs.withLock { $0[0].textKeys }
  }

  func replace(_ new: [Program]) {
    programs.withLock { $0 = new }
  }

  func render(
    _ view: UnsafeRawPointer, in language: Language, into output: inout Output
  ) {
    // Held for the taking of one reference only (some 20 ns against 10 µs for a page).
    let program = programs.withLock { $0[language.index] }
    let before = output.count
    output.reserve(capacity)
    program.render(view, into: &output)
    let size = output.count - before
    if size > capacity {
      largest.store(size, ordering: .relaxed)
    }
  }
}
