import Core
import Foundation

/// What the rules look at when they decide whom to remind and whether somebody must be told
/// (docs/developer/check-in.md#rules). No clock, no database.
struct CheckInMonitor: Sendable {
  /// The day's hour of the warning before the day of an alert, in minutes after midnight.
  static let eveningMinute = 20 * 60
  /// Nobody is told within so many s of a tap, whatever zones say.
  static let afterTap: Int64 = .hours(48)
  /// How long before an alert the last warning comes, in s.
  static let lastWarning: Int64 = .hours(1)
  /// Daily reminders end after so many missed days: whoever reads none of them reads no more.
  static let mostReminders = 14

  var zone: TimeZone
  var threshold = 2
  /// Minutes after midnight.
  var alertMinute = 540
  /// Nil for no daily reminder.
  var reminderMinute: Int?
  /// Whether there is a way to reach the person themself.
  var canBeReminded = false
  /// The day of the latest check-in; nobody is watched before the first one.
  var lastDay: LocalDay?
  var lastTap: Instant?
  /// The last day of a pause.
  var pausedUntil: LocalDay?
  /// The first contact, a return: days before are not counted.
  var countsFrom: LocalDay?
  /// Of who has a check-in of a day after tomorrow: the day on which that was seen first.
  var aheadFrom: LocalDay?
  /// Whether anybody would be told.
  var hasContact = false
  /// When the latest alert that no check-in has ended was queued.
  var alertedAt: Instant?
  /// What was sent to the person already.
  var remindedDay: LocalDay?
  var eveningFor: LocalDay?
  var hourFor: LocalDay?
  var graceFor: LocalDay?

  init(zone: TimeZone) {
    self.zone = zone
  }

  // MARK: Days

  func today(_ now: Instant) -> LocalDay { LocalDay(now, in: zone) }

  /// The day from which missed ones are counted, nil for who never checked in.
  var countedFrom: LocalDay? {
    [lastDay, aheadFrom].compactMap(\.self).max()
      .map { max($0, pausedUntil ?? $0, countsFrom ?? $0) }
  }

  /// Days without a check-in between the one counted from and today, never negative.
  func missedDays(_ now: Instant) -> Int {
    countedFrom.map { max(0, today(now).days(since: $0) - 1) } ?? 0
  }

  func isPaused(_ now: Instant) -> Bool {
    pausedUntil.map { today(now) <= $0 } ?? false
  }

  func hasCheckedIn(_ now: Instant) -> Bool {
    lastDay.map { $0 >= today(now) } ?? false
  }

  // MARK: Clocks

  /// The same without what lies further ahead than anybody's tomorrow: it was noted while the clock
  /// ran ahead, or the clock is behind now. Nothing of it is lost, and all of it counts once its day
  /// has come. `earlier` answers the latest check-in up to a day, and when it was made.
  func seen(
    at now: Instant, earlier: (LocalDay) throws -> (day: LocalDay, moment: Instant)?
  ) rethrows -> CheckInMonitor {
    var monitor = self
    let today = today(now)
    // Who has flown west may have checked in for tomorrow already.
    let tomorrow = today.adding(days: 1)
    if let lastDay, lastDay > tomorrow {
      let known = try earlier(tomorrow)
      monitor.lastDay = known?.day
      monitor.lastTap = known?.moment
      // Whoever has tapped had done so when it was seen, whatever the clock said.
      monitor.aheadFrom = min(aheadFrom ?? today, today)
    } else {
      monitor.aheadFrom = nil
    }
    if let countsFrom, countsFrom > tomorrow { monitor.countsFrom = nil }
    if let remindedDay, remindedDay > tomorrow { monitor.remindedDay = nil }
    // No pause that anybody could ask for today lasts so long.
    if let pausedUntil, pausedUntil > tomorrow.adding(days: CheckInSettings.longestPause) {
      monitor.pausedUntil = nil
    }
    return monitor
  }

  // MARK: The alert

  /// Whether this silence was told about already: an alert since the last check-in, or since the
  /// end of what the days are counted from.
  var isAlerted: Bool {
    guard let alertedAt, let from = countedFrom else { return false }
    if from == lastDay, let lastTap { return alertedAt >= lastTap }
    return alertedAt >= from.adding(days: 1).start(in: zone)
  }

  /// The beginning of the first day that is counted as missed, or the tap if that came later; nil
  /// when nobody is watched.
  var quietSince: Instant? {
    countedFrom.map { from in
      let day = from.adding(days: 1).start(in: zone)
      return lastTap.map { max($0, day) } ?? day
    }
  }

  /// The moment from which contacts are to be told; nil when nobody is watched.
  func alertMoment(graceUntil: Instant? = nil) -> Instant? {
    guard let from = countedFrom else { return nil }
    var moment = from.adding(days: threshold + 1).instant(minute: alertMinute, in: zone)
    if let lastTap { moment = max(moment, lastTap.adding(seconds: Self.afterTap)) }
    // An outage holds back what comes due while it is being made good.
    if let graceUntil { moment = max(moment, graceUntil) }
    return moment
  }
}
