/// A step at the end of each write transaction of the current thread, inside the transaction. If it
/// throws, the transaction is rolled back.
public final class TransactionHook: Sendable {
  /// The hook of the current thread, if any. It is an object because a function as a task-local
  /// value crashes in optimised builds (Swift 6.3).
  @TaskLocal public static var step: TransactionHook?

  let run: @Sendable (WriteTransaction, Any) throws -> Void

  /// `run` receives the result of the transaction's body.
  public init(_ run: @escaping @Sendable (WriteTransaction, Any) throws -> Void) {
    self.run = run
  }
}

extension Database {
  /// A write outside of the thread's main change, such as a counter or a preparation: repeating it
  /// is harmless. `TransactionHook.step` does not run.
  @discardableResult
  public func writeWithoutHooks<Result>(_ body: (WriteTransaction) throws -> Result) throws
    -> Result
  {
    try TransactionHook.$step.withValue(nil) { try write(body) }
  }
}
