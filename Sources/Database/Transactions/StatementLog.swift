import Synchronization

/// Records all executed statements, so that a test can check their query plans.
public final class StatementLog: Sendable {
  private let statements = Mutex<Set<String>>([])
  private let runs = Mutex(0)

  public init() {}

  /// All distinct statements so far, sorted.
  public var all: [String] { statements.withLock { $0.sorted() } }

  /// The number of executions so far, including repeated ones.
  public var count: Int { runs.withLock { $0 } }

  func note(_ sql: String) {
    runs.withLock { $0 += 1 }
    _ = statements.withLock { $0.insert(sql) }
  }
}
