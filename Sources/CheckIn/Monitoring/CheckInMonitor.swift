import Core
import Foundation

/// The state from which the rules decide about reminders and alerts
/// (docs/developer/check-in.md#rules). Uses no clock and no database.
struct CheckInMonitor: Sendable {
  /// The time of the warning on the evening before an alert, in minutes after midnight.
  static let eveningMinute = 20 * 60
  /// No alert is sent within this many s of a tap, in any time zone, unless the user chose a
  /// threshold in hours.
  static let afterTap: Int64 = .hours(48)
  /// The time from the last warning to the alert, in s.
  static let lastWarning: Int64 = .hours(1)
  /// Daily reminders end after this many missed days: a user who has read none of them reads no
  /// more.
  static let maximumReminders = 14

  var zone: TimeZone
  var threshold = 2
  /// Hours from the last tap to an alert; nil if days are counted.
  var thresholdHours: Int?
  /// Minutes after midnight.
  var alertMinute = 540
  /// Nil for no daily reminder.
  var reminderMinute: Int?
  /// Whether the user can be reached.
  var canBeReminded = false
  /// The day of the latest check-in; there is no monitoring before the first one.
  var lastDay: LocalDay?
  var lastTap: Instant?
  /// The last day of a pause.
  var pausedUntil: LocalDay?
  /// The day of the first contact or of a return; earlier days are not counted.
  var countsFrom: LocalDay?
  /// If the user has a check-in for a day after tomorrow: the day on which that was first noticed.
  var aheadFrom: LocalDay?
  /// Whether there is a contact to notify.
  var hasContact = false
  /// When the latest open alert was queued.
  var alertedAt: Instant?
  /// The days for which notices were already sent to the user.
  var remindedDay: LocalDay?
  var eveningFor: LocalDay?
  var hourFor: LocalDay?
  var graceFor: LocalDay?

  init(zone: TimeZone) {
    self.zone = zone
  }

  // MARK: Days

  func today(_ now: Instant) -> LocalDay { LocalDay(now, in: zone) }

  /// The day from which missed days are counted; nil if the user never checked in.
  var countedFrom: LocalDay? {
    [lastDay, aheadFrom].compactMap(\.self).max()
      .map { max($0, pausedUntil ?? $0, countsFrom ?? $0) }
  }

  /// Days without a check-in between `countedFrom` and today, never negative.
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

  /// The state without entries later than tomorrow in any zone: they were recorded while the clock
  /// ran ahead, or the clock is behind now. They are not lost and count once their day has come.
  /// `earlier` returns the latest check-in up to a day, and when it was made.
  func seen(
    at now: Instant, earlier: (LocalDay) throws -> (day: LocalDay, moment: Instant)?
  ) rethrows -> CheckInMonitor {
    var monitor = self
    let today = today(now)
    // A user who has flown west may already have checked in for tomorrow.
    let tomorrow = today.adding(days: 1)
    if let lastDay, lastDay > tomorrow {
      let known = try earlier(tomorrow)
      monitor.lastDay = known?.day
      monitor.lastTap = known?.moment
      // The tap had been made by the time it was noticed, even if the clock was wrong.
      monitor.aheadFrom = min(aheadFrom ?? today, today)
    } else {
      monitor.aheadFrom = nil
    }
    if let countsFrom, countsFrom > tomorrow { monitor.countsFrom = nil }
    if let remindedDay, remindedDay > tomorrow { monitor.remindedDay = nil }
    // No pause that can be requested today lasts so long.
    if let pausedUntil, pausedUntil > tomorrow.adding(days: CheckInSettings.maximumPauseDays) {
      monitor.pausedUntil = nil
    }
    return monitor
  }

  // MARK: The alert

  /// Whether this silence already has an alert: one since the last check-in, or since the day from
  /// which days are counted.
  var isAlerted: Bool {
    guard let alertedAt, let from = countedFrom else { return false }
    if from == lastDay, let lastTap { return alertedAt >= lastTap }
    return alertedAt >= from.adding(days: 1).start(in: zone)
  }

  /// The beginning of the first day that is counted as missed, or the tap if it came later or hours
  /// are counted; nil without monitoring.
  var quietSince: Instant? {
    countedFrom.map { from in
      let day = from.adding(days: 1).start(in: zone)
      guard let lastTap else { return day }
      return thresholdHours != nil && from == lastDay ? lastTap : max(lastTap, day)
    }
  }

  /// The length of a silence as the record has it: the missed days, or the threshold as "12h".
  func silenceLength(_ now: Instant) -> String {
    thresholdHours.map { "\($0)h" } ?? String(missedDays(now))
  }

  /// Whether the silence is too short for an alert.
  func isBelowThreshold(_ now: Instant) -> Bool {
    guard thresholdHours != nil else { return missedDays(now) < threshold }
    return alertMoment().map { $0 > now } ?? true
  }

  /// The moment from which the contacts are to be notified; nil without monitoring.
  func alertMoment(graceUntil: Instant? = nil) -> Instant? {
    guard let from = countedFrom, let quietSince else { return nil }
    var moment: Instant
    if let thresholdHours {
      moment = quietSince.adding(seconds: .hours(Int64(thresholdHours)))
    } else {
      moment = from.adding(days: threshold + 1).instant(minute: alertMinute, in: zone)
      if let lastTap { moment = max(moment, lastTap.adding(seconds: Self.afterTap)) }
    }
    // An alert that is due during an outage waits for the grace period.
    if let graceUntil { moment = max(moment, graceUntil) }
    return moment
  }
}
