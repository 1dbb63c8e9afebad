import Core
import Foundation

/// What is to be done for a person now, and when to look again.
struct DueActions: Equatable {
  enum Step: Equatable {
    /// The daily word at the hour that they chose.
    case remind
    /// In the evening of the last day before an alert.
    case warnInTheEvening
    /// An hour before an alert.
    case warnAnHourBefore
    /// After an outage of ours: before anybody is told.
    case remindAfterOutage
    /// Tell the contacts.
    case alert
  }

  var steps: [Step] = []
  var next: Instant?
}

extension CheckInMonitor {
  /// What to do at `now`. `graceUntil` is the end of the time that an outage of ours gives back;
  /// `.distantFuture` while it still lasts.
  func plan(at now: Instant, graceUntil: Instant? = nil) -> DueActions {
    var plan = DueActions()
    guard let from = countedFrom else { return plan }
    var moments: [Instant] = []
    let grace = graceUntil.flatMap { $0 > now ? $0 : nil }
    let isWatched = hasContact && !isAlerted

    if isWatched, let alertAt = alertMoment(graceUntil: grace) {
      if alertAt <= now {
        plan.steps.append(.alert)
      } else {
        // Nobody knows yet when an outage that still lasts will have ended.
        moments.append(alertAt < .distantFuture ? alertAt : now.adding(seconds: CheckInScan.every))
        if canBeReminded {
          planWarnings(before: alertAt, of: from, grace: grace, at: now, &plan, &moments)
        }
      }
    }
    if plan.steps.isEmpty { planReminder(at: now, &plan, &moments) }
    plan.next = moments.min()
    return plan
  }

  private func planWarnings(
    before alertAt: Instant, of from: LocalDay, grace: Instant?, at now: Instant,
    _ plan: inout DueActions, _ moments: inout [Instant]
  ) {
    guard alertAt < .distantFuture else { return }
    // Who would be told about before the grace ends is reminded first of all.
    let isHeld = grace != nil && alertMoment().map { $0 <= now } ?? false
    if isHeld, graceFor != from { plan.steps.append(.remindAfterOutage) }
    if grace != nil, !isHeld, let plain = alertMoment() { moments.append(plain) }
    let hourBefore = alertAt.adding(seconds: -Self.lastWarning)
    let evening = from.adding(days: threshold).instant(minute: Self.eveningMinute, in: zone)
    if hourFor != from {
      if hourBefore <= now {
        plan.steps.append(.warnAnHourBefore)
      } else {
        moments.append(hourBefore)
      }
    }
    if eveningFor != from, hourBefore > now {
      if evening > now {
        moments.append(evening)
      } else if !isHeld {
        plan.steps.append(.warnInTheEvening)
      }
    }
  }

  /// Leaves out today's reminder if it is due: a warning that goes out now says more.
  mutating func skipDueReminder(at now: Instant) {
    guard let reminderMinute else { return }
    let today = today(now)
    guard today.instant(minute: reminderMinute, in: zone) <= now else { return }
    remindedDay = max(remindedDay ?? today, today)
  }

  private func planReminder(
    at now: Instant, _ plan: inout DueActions, _ moments: inout [Instant]
  ) {
    guard canBeReminded, let minute = reminderMinute, let lastDay = lastDay ?? aheadFrom else {
      return
    }
    let today = today(now)
    // The first day that is neither checked in, nor paused, nor reminded of yet.
    var day = max(today, lastDay.adding(days: 1))
    if let pausedUntil, day <= pausedUntil { day = pausedUntil.adding(days: 1) }
    if let remindedDay, day <= remindedDay { day = remindedDay.adding(days: 1) }
    guard let from = countedFrom, day.days(since: from) - 1 <= Self.mostReminders else { return }
    let moment = day.instant(minute: minute, in: zone)
    if moment > now {
      moments.append(moment)
    } else {
      plan.steps.append(.remind)
      moments.append(day.adding(days: 1).instant(minute: minute, in: zone))
    }
  }
}

extension Instant {
  /// Later than anything that happens here.
  static let distantFuture = Instant(milliseconds: 253_402_300_799_000)
}
