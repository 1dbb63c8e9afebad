import Core
import Foundation

/// The actions due for a user now, and when to evaluate again.
struct DueActions: Equatable {
  enum Step: Equatable {
    /// The daily reminder at the hour chosen by the user.
    case remind
    /// In the evening of the last day before an alert.
    case warnInTheEvening
    /// An hour before an alert.
    case warnAnHourBefore
    /// After an outage of the service, before any contact is notified.
    case remindAfterOutage
    /// Notify the contacts.
    case alert
  }

  var steps: [Step] = []
  var next: Instant?
}

extension CheckInMonitor {
  /// The actions at `now`. `graceUntil` is the end of the grace period after an outage;
  /// `.distantFuture` while the outage lasts.
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
        // The end of an outage that still lasts is unknown.
        moments.append(alertAt < .distantFuture ? alertAt : now.adding(seconds: CheckInScan.retry))
        if canBeReminded {
          planWarnings(before: alertAt, of: from, grace: grace, at: now, &plan, &moments)
        }
      }
    }
    // Then it is recorded that the alert waits for a contact.
    if !hasContact, !isAlerted, let alertAt = alertMoment(graceUntil: grace), alertAt > now {
      moments.append(alertAt < .distantFuture ? alertAt : now.adding(seconds: CheckInScan.retry))
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
    // A user whose contacts would be notified before the grace period ends is reminded first.
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
    if thresholdHours == nil, eveningFor != from, hourBefore > now {
      if evening > now {
        moments.append(evening)
      } else if !isHeld {
        plan.steps.append(.warnInTheEvening)
      }
    }
  }

  /// Skips today's reminder if it is due: a warning that is sent now says more.
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
    // The first day without a check-in, pause or reminder.
    var day = max(today, lastDay.adding(days: 1))
    if let pausedUntil, day <= pausedUntil { day = pausedUntil.adding(days: 1) }
    if let remindedDay, day <= remindedDay { day = remindedDay.adding(days: 1) }
    guard let from = countedFrom, day.days(since: from) - 1 <= Self.maximumReminders else { return }
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
  /// Later than any moment used here.
  static let distantFuture = Instant(milliseconds: 253_402_300_799_000)
}
