import Glibc

/// The delays of restarts and upgrades; all in s.
struct RestartBackoff: Sendable {
  var firstDelay = 0.1
  var maximumDelay = 5.0
  /// After running for so long, a program's next death counts as its first.
  var stableAfter = 30.0
  /// How long a program may take to end before it is killed.
  var timeout = 10.0
  /// How long a newer process may take to take over.
  var readiness = 30.0
  /// The delay between a take-over and asking the older process to end, so that clients that are
  /// just connecting to it succeed.
  var takeoverDelay = 0.5
  /// How long an older process may take to finish its requests before it is killed, unless its
  /// program says otherwise.
  var retirement = 60.0

  /// The delay after one more death.
  func delay(after last: Double?, aliveFor lifetime: Double) -> Double {
    guard let last, lifetime < stableAfter else { return firstDelay }
    return min(last * 2, maximumDelay)
  }
}

/// Seconds of a monotonic clock, which is never set.
func monotonicSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
