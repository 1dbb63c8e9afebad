import Core
import Foundation

/// One tap that counts for one local day.
struct CheckIn: Sendable {
  let day: LocalDay
  let tappedAt: Instant
  let timeZone: String
  let isOffline: Bool
}

/// A tap as it comes in.
struct CheckInAttempt: Sendable {
  /// How old a tap made offline may be, and how far ahead of us the phone's clock, in s.
  static let oldest: Int64 = .hours(72)
  static let mostAhead: Int64 = .minutes(10)

  enum Rejection: Error {
    /// A day other than today, or an offline moment too old or too far ahead.
    case notToday
  }

  let moment: Instant
  let day: LocalDay
  let isOffline: Bool

  /// A tap at `now`, or with `offlineAt` one that was made without a network and comes in now.
  /// `day`, when given, must be the day that it counts for. Throws `Rejection`.
  init(now: Instant, offlineAt: Instant?, day claimed: LocalDay?, zone: TimeZone) throws(Rejection)
  {
    if let offlineAt {
      let age = now.seconds(since: offlineAt)
      guard age <= Self.oldest, age >= -Self.mostAhead else { throw .notToday }
      // A phone that is a little ahead has not seen the future.
      moment = min(offlineAt, now)
    } else {
      moment = now
    }
    isOffline = offlineAt != nil
    day = LocalDay(moment, in: zone)
    if let claimed, claimed != day { throw .notToday }
  }
}

/// Days in a row, from check-ins in order of their days.
struct Streaks: Equatable {
  private(set) var current = 0
  private(set) var longest = 0
  private(set) var total = 0

  /// `days` ascending, each once. The current streak lives until a whole day was missed: it is
  /// not lost this morning because of today.
  init(days: [LocalDay], today: LocalDay) {
    var run = 0
    var last: LocalDay?
    // A clock that ran ahead may have noted days to come; they are counted once they are there.
    for day in days where day.days(since: today) <= 1 {
      run = last.map { day.days(since: $0) == 1 } ?? false ? run + 1 : 1
      longest = max(longest, run)
      last = day
    }
    total = days.count
    if let last, today.days(since: last) <= 1 { current = run }
  }
}
