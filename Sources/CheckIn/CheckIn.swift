import Core
import Foundation

/// A tap that counts for one local day.
struct CheckIn: Sendable {
  let day: LocalDay
  let tappedAt: Instant
  let timeZone: String
  let isOffline: Bool
}

/// A tap as received.
struct CheckInAttempt: Sendable {
  /// The maximum age of a tap made offline, and how far the phone's clock may be ahead of the
  /// server's, in s.
  static let oldest: Int64 = .hours(72)
  static let maximumClockLead: Int64 = .minutes(10)

  enum Rejection: Error {
    /// A day other than today, or an offline tap that is too old or too far ahead.
    case notToday
  }

  let moment: Instant
  let day: LocalDay
  let isOffline: Bool

  /// A tap at `now`, or with `offlineAt` one that was made offline and is received now. `day`, if
  /// given, must be the day that the tap counts for. Throws `Rejection`.
  init(now: Instant, offlineAt: Instant?, day claimed: LocalDay?, zone: TimeZone) throws(Rejection)
  {
    if let offlineAt {
      let age = now.seconds(since: offlineAt)
      guard age <= Self.oldest, age >= -Self.maximumClockLead else { throw .notToday }
      // A phone whose clock is slightly ahead must not record a time in the future.
      moment = min(offlineAt, now)
    } else {
      moment = now
    }
    isOffline = offlineAt != nil
    day = LocalDay(moment, in: zone)
    if let claimed, claimed != day { throw .notToday }
  }
}

/// Numbers of consecutive days, from check-ins in order of their days.
struct Streaks: Equatable {
  private(set) var current = 0
  private(set) var longest = 0
  private(set) var total = 0

  /// `days` is ascending without duplicates. The current streak lasts until a whole day was missed;
  /// today does not break it before it is over.
  init(days: [LocalDay], today: LocalDay) {
    var run = 0
    var last: LocalDay?
    // A clock that ran ahead may have recorded future days; they count once they have come.
    for day in days where day.days(since: today) <= 1 {
      run = last.map { day.days(since: $0) == 1 } ?? false ? run + 1 : 1
      longest = max(longest, run)
      last = day
    }
    total = days.count
    if let last, today.days(since: last) <= 1 { current = run }
  }
}
