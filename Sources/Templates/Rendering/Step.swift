/// One step of a compiled template. Steps are in one flat list; sections skip over theirs.
enum Step: Sendable {
  /// Bytes of the program's literals.
  case literal(offset: Int, count: Int)
  case write(slot: Int, Access.Write)
  case skip(count: Int)
  case skipIf(slot: Int, Access.Test, count: Int)
  case skipUnless(slot: Int, Access.Test, count: Int)
  /// Runs the next `count` steps for each value found, with the value in slot `inner`.
  case enter(slot: Int, Access.Enter, inner: Int, count: Int)
  /// Runs a recursive partial.
  case call(procedure: Int)
}
