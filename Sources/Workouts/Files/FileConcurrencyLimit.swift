import Synchronization
import Web

/// Files are read whole, and reading one of 30 MB takes seconds: so many forms at once, and no
/// more, so that they never keep all threads from everybody else.
final class FileConcurrencyLimit: Sendable {
  private let most: Int
  private let inside = Mutex(0)

  init(most: Int) {
    self.most = max(1, most)
  }

  /// Works when there is a place. Throws 503 when there is none, and what `work` throws.
  func take<Result>(_ work: () throws -> Result) throws -> Result {
    let isFree = inside.withLock { inside in
      guard inside < most else { return false }
      inside += 1
      return true
    }
    guard isFree else { throw Problem.busy() }
    defer { inside.withLock { $0 -= 1 } }
    return try work()
  }
}
