import Core

/// The state of each day of a user, within the range that was read.
struct HistoryDays {
  enum State {
    case checkedIn
    /// The tap was made offline and received later.
    case sentLater
    case missed
    case paused
    /// Today, without a check-in so far.
    case open
    case future
    /// Before the user's first check-in.
    case before
  }

  let today: LocalDay
  /// The day of the first check-in; nil if there is none.
  let first: LocalDay?
  private let isOffline: [LocalDay: Bool]
  private let pauses: [ClosedRange<LocalDay>]

  init(
    _ checkIns: [CheckIn], pauses: [ClosedRange<LocalDay>], first: LocalDay?, today: LocalDay
  ) {
    self.today = today
    self.first = first
    self.pauses = pauses
    isOffline = Dictionary(
      checkIns.map { ($0.day, $0.isOffline) }, uniquingKeysWith: { first, _ in first })
  }

  func state(of day: LocalDay) -> State {
    if let isOffline = isOffline[day] { return isOffline ? .sentLater : .checkedIn }
    guard let first, day >= first else { return day > today ? .future : .before }
    if pauses.contains(where: { $0.contains(day) }) { return .paused }
    if day > today { return .future }
    return day == today ? .open : .missed
  }

  /// The months with content: from the first check-in's to the current one.
  var months: ClosedRange<Month> {
    let present = Month(today)
    // A user who has flown west may already have checked in for tomorrow.
    return min(first.map { Month($0) } ?? present, present)...present
  }
}
