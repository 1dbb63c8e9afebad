import Synchronization
import Web

/// Limits how many forms with files are read at once. Files are read as a whole, and a file of 30
/// MB takes seconds; without the limit they could occupy all threads.
final class FileConcurrencyLimit: Sendable {
  private let maximum: Int
  private let inside = Mutex(0)

  init(maximum: Int) {
    self.maximum = max(1, maximum)
  }

  /// Runs `work` if there is a free slot. Throws 503 if there is none, and the errors of `work`.
  func take<Result>(_ work: () throws -> Result) throws -> Result {
    let isFree = inside.withLock { inside in
      guard inside < maximum else { return false }
      inside += 1
      return true
    }
    guard isFree else { throw Problem.busy() }
    defer { inside.withLock { $0 -= 1 } }
    return try work()
  }
}
