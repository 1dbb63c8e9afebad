import Core

/// What became of each day of a person, as far as it was read.
struct HistoryDays {
  enum State {
    case checkedIn
    /// The tap was made without a network, and came in later.
    case sentLater
    case missed
    case paused
    /// Today, which has room for a check-in still.
    case open
    case future
    /// Before the first check-in of all.
    case before
  }

  let today: LocalDay
  /// The day of the first check-in; nil for who has none.
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

  /// The months that there is something to see of: from the first check-in's to the present one.
  var months: ClosedRange<Month> {
    let present = Month(today)
    // Who has flown west may have checked in for tomorrow already.
    return min(first.map { Month($0) } ?? present, present)...present
  }
}
