/// A step that takes part in every change which the current thread makes: it runs at the end of
/// each write transaction, inside it, and undoes it by throwing.
public final class TransactionHook: Sendable {
  /// The one of the current thread, if any. An object, since a function as a task-local value
  /// crashes when it is compiled with optimisation (Swift 6.3).
  @TaskLocal public static var step: TransactionHook?

  let run: @Sendable (WriteTransaction, Any) throws -> Void

  /// The step is given what the transaction gives back.
  public init(_ run: @escaping @Sendable (WriteTransaction, Any) throws -> Void) {
    self.run = run
  }
}

extension Database {
  /// A change that is no part of what the current thread makes, but counts or prepares: done again
  /// it does no harm. `TransactionHook.step` isn't told of it.
  @discardableResult
  public func writeWithoutHooks<Result>(_ body: (WriteTransaction) throws -> Result) throws
    -> Result
  {
    try TransactionHook.$step.withValue(nil) { try write(body) }
  }
}
