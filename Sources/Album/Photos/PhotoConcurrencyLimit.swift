import Dispatch
import Synchronization
import Web

/// Photos are read into memory whole, up to 30 MB twice over: so many at once, and no more.
final class PhotoConcurrencyLimit: Sendable {
  private let turns: DispatchSemaphore
  private let maximumWaiting: Int
  private let inside = Mutex(0)

  /// `maximumWaiting` counts those whose turn it is, too.
  init(atOnce: Int, maximumWaiting: Int) {
    turns = DispatchSemaphore(value: max(1, atOnce))
    self.maximumWaiting = max(1, maximumWaiting)
  }

  /// Waits for a turn and works. Throws 503 at once when too many wait already, and what `work`
  /// throws.
  func take<Result>(_ work: () throws -> Result) throws -> Result {
    let mayWait = inside.withLock { inside in
      guard inside < maximumWaiting else { return false }
      inside += 1
      return true
    }
    guard mayWait else { throw Problem.busy() }
    defer { inside.withLock { $0 -= 1 } }
    turns.wait()
    defer { turns.signal() }
    return try work()
  }
}
