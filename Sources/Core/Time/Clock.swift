import Foundation
import Glibc
import Synchronization

/// The source of the current time. Rules take an `Instant`; only the outermost code reads a clock.
public protocol Clock: Sendable {
  func now() -> Instant
}

/// The system's clock, with a fixed offset in development (`PAIRSPOT_NOW`,
/// docs/operator/settings.md#development).
public struct SystemClock: Clock {
  /// Milliseconds added to the system's time.
  public let offset: Int64

  public init(offset: Int64 = 0) {
    self.offset = offset
  }

  public func now() -> Instant {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Instant(
      milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000 + offset)
  }
}

/// A clock that changes only when it is advanced, for tests.
public final class ManualClock: Clock {
  private let instant: Mutex<Instant>

  public init(_ start: Instant) {
    instant = Mutex(start)
  }

  public func now() -> Instant { instant.withLock { $0 } }

  public func advance(seconds: Int64) {
    instant.withLock { $0 = $0.adding(seconds: seconds) }
  }

  public func set(_ moment: Instant) {
    instant.withLock { $0 = moment }
  }
}
