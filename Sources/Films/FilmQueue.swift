import Dispatch
import Synchronization

/// A queue of callers, each of which waits for its turn for a limited time.
final class FilmQueue: Sendable {
  private let turns: DispatchSemaphore
  private let maximumWaiting: Int
  private let waiting = Mutex(0)

  /// - Parameters:
  ///   - atOnce: Number of callers that are served at once.
  ///   - maximumWaiting: Maximum number of callers, including those being served.
  init(atOnce: Int, maximumWaiting: Int) {
    turns = DispatchSemaphore(value: max(1, atOnce))
    self.maximumWaiting = max(1, maximumWaiting)
  }

  /// Waits until it is this caller's turn. Throws `busy` if there are too many callers, or the turn
  /// does not come within `seconds`.
  func enter(seconds: Double) throws(FilmError) {
    let isIn = waiting.withLock { inside in
      guard inside < maximumWaiting else { return false }
      inside += 1
      return true
    }
    guard isIn else { throw .busy }
    guard turns.wait(timeout: .now() + seconds) == .success else {
      waiting.withLock { $0 -= 1 }
      throw .busy
    }
  }

  /// Ends this caller's turn.
  func leave() {
    turns.signal()
    waiting.withLock { $0 -= 1 }
  }
}
