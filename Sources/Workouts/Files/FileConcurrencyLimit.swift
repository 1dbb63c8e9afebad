import Synchronization
import Web

/// Limits how many forms with files are read at once. Files are read as a whole, and a file of 30
/// MB takes seconds; without the limit they could occupy all threads.
final class FileConcurrencyLimit: Sendable {
  private let most: Int
  private let inside = Mutex(0)

  init(most: Int) {
    self.most = max(1, most)
  }

  /// Runs `work` if there is a free slot. Throws 503 if there is none, and the errors of `work`.
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
