/// A step that takes part in every change which the current thread makes: it runs at the end of
/// each write transaction, inside it, and undoes it by throwing.
public enum BeforeCommit {
  @TaskLocal public static var step: (@Sendable (Writer) throws -> Void)?
}
