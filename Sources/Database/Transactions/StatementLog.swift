import Synchronization

/// Remembers each statement that ran, so that a test can look at the plans of all of them.
public final class StatementLog: Sendable {
  private let statements = Mutex<Set<String>>([])
  private let runs = Mutex(0)

  public init() {}

  /// Every different statement so far, sorted.
  public var all: [String] { statements.withLock { $0.sorted() } }

  /// How many were run so far, repeated ones as often as they were.
  public var count: Int { runs.withLock { $0 } }

  func note(_ sql: String) {
    runs.withLock { $0 += 1 }
    _ = statements.withLock { $0.insert(sql) }
  }
}
