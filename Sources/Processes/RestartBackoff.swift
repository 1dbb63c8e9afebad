import Glibc

/// How soon a program that died is started again; all times in seconds.
struct RestartBackoff: Sendable {
  var firstDelay = 0.1
  var longestDelay = 5.0
  /// Alive for so long, its next death counts as the first.
  var settledAfter = 30.0
  /// How long a program may take to end before it is killed.
  var timeout = 10.0
  /// How long a newer process may take to take over.
  var readiness = 30.0
  /// Between a take-over and asking the older process to end: who was just about to connect to it
  /// gets that far.
  var settling = 0.5
  /// How long an older process may take to finish what it is at before it is killed, where its
  /// program says nothing else.
  var retirement = 60.0

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
