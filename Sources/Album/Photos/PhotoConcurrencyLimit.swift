import Dispatch
import Synchronization
import Web

/// Limits how many photos are processed at once, since each is read into memory as a whole, up to
/// twice 30 MB.
final class PhotoConcurrencyLimit: Sendable {
  private let semaphore: DispatchSemaphore
  private let maximumWaiting: Int
  private let inside = Mutex(0)

  /// `maximumWaiting` includes the running ones.
  init(atOnce: Int, maximumWaiting: Int) {
    semaphore = DispatchSemaphore(value: max(1, atOnce))
    self.maximumWaiting = max(1, maximumWaiting)
  }

  /// Waits for a slot and runs `work`. Throws 503 at once if too many wait already, and the errors
  /// of `work`.
  func take<Result>(_ work: () throws -> Result) throws -> Result {
    let mayWait = inside.withLock { inside in
      guard inside < maximumWaiting else { return false }
      inside += 1
      return true
    }
    guard mayWait else { throw Problem.busy() }
    defer { inside.withLock { $0 -= 1 } }
    semaphore.wait()
    defer { semaphore.signal() }
    return try work()
  }
}
