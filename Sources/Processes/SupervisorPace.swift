import Glibc

/// How soon a program that died is started again; all times in seconds.
struct SupervisorPace: Sendable {
  var firstDelay = 0.1
  var longestDelay = 5.0
  /// Alive for so long, its next death counts as the first.
  var settledAfter = 30.0
  /// How long a program may take to end before it is killed.
  var patience = 10.0

  /// The pause after one more death.
  func delay(after last: Double?, aliveFor lifetime: Double) -> Double {
    guard let last, lifetime < settledAfter else { return firstDelay }
    return min(last * 2, longestDelay)
  }
}

/// Seconds on a clock that nobody sets.
func monotonicSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
