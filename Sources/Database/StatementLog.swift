import Synchronization

/// Remembers each statement that ran, so that a test can look at the plans of all of them.
public final class StatementLog: Sendable {
  private let statements = Mutex<Set<String>>([])

  public init() {}

  /// Every different statement so far, sorted.
  public var all: [String] { statements.withLock { $0.sorted() } }

  func note(_ sql: String) {
    _ = statements.withLock { $0.insert(sql) }
  }
}
