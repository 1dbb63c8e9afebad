import Accounts
import Core
import Database
import Foundation
import Web

/// Records a tap: the check-in, the end of a pause, the all-clear and the next evaluation, in one
/// transaction.
struct CheckInService {
  let services: CheckInEnvironment

  /// Repeated taps within this many s of the one before are not recorded.
  static let burst: Int64 = .minutes(15)

  /// The result of a tap.
  struct Outcome {
    /// False for a repeated tap, which does not change the first.
    let isFirst: Bool
    let day: LocalDay
    /// Whether the tap ended a pause early.
    let endedPause: Bool
    /// The number of contacts who get the all-clear, because the tap ended an alert.
    let allClearCount: Int
    /// The timer that the tap did not end.
    let timer: CheckInTimer?

    /// The key of the message to show.
    var toast: String {
      if allClearCount > 0 { return "toast.checked_in_all_clear" }
      if let timer, timer.alertedAt == nil, !timer.isHelp { return "toast.checked_in_timer" }
      if endedPause { return "toast.checked_in_pause_over" }
      return isFirst ? "toast.checked_in" : "toast.checked_in_already"
    }
  }

  /// The details that a user still has to enter before checking in, as errors by field.
  func missing(to card: UserSummary, in reader: ReadTransaction) throws -> [String: FieldError] {
    var errors: [String: FieldError] = [:]
    if card.name.isEmpty { errors["display_name"] = FieldError("error.checkin_name") }
    if try !services.contacts.isAny(of: card.id, in: reader) {
      errors["contact_email"] = .empty("contact_email")
    }
    return errors
  }

  /// Records a tap of an existing user, or the sign of life that counts as one. `offlineAt` is the
  /// moment of a tap made offline. Throws `CheckInAttempt.Rejection`.
  func tap(
    by card: UserSummary, offlineAt: Instant? = nil, day: LocalDay? = nil,
    sign: SignOfLife? = nil, now: Instant, in writer: WriteTransaction
  ) throws -> Outcome {
    let detail = sign?.rawValue ?? ""
    let personZone = services.personZone(of: card)
    let zone = personZone.zone
    let tap = try CheckInAttempt(now: now, offlineAt: offlineAt, day: day, zone: zone)
    let checkIn = CheckIn(
      day: tap.day, tappedAt: tap.moment, timeZone: personZone.name, isOffline: tap.isOffline)
    let isFirst = try services.checkIns.add(checkIn, of: card.id, in: writer)
    if isFirst {
      try PersistentCounter.checkIns.count(in: writer)
      try services.record.add(
        .tapped, day: tap.day, detail: tap.isOffline ? "offline" : detail, of: card.id, now: now,
        in: writer)
    }
    if !isFirst { try recordRepeat(tap, by: card, detail: detail, now: now, in: writer) }
    try services.monitors.noteTap(
      tap, of: card.id, language: services.language(of: card), in: writer)
    if let was = try services.outages.clockRegression(now: now, in: writer) {
      // The tap counts for the day shown to the user. Once the clock is right again, no day before
      // it was lost counts as missed.
      try services.monitors.countFrom(LocalDay(was, in: zone), of: card.id, in: writer)
    }
    let endedPause = isFirst ? try endPause(of: card, tap, now: now, in: writer) : false
    // Notices that only ask for a tap are no longer needed.
    try services.queue.cancel(
      try services.alerts.recall(of: card.id, all: false, in: writer), in: writer)
    try services.observer.tapped(card.id, in: writer)
    let monitorService = MonitorService(services: services)
    let monitor = try services.monitor(over: card, now: now, in: writer)
    let allClearCount = try monitor.flatMap {
      try AlertService(services: services)
        .end(card, $0, tappedAt: sign == nil ? tap.moment : nil, now: now, in: writer)
    }
    if let monitor, allClearCount == nil {
      try monitorService.reschedule(card.id, monitor, now: now, in: writer)
    } else {
      try monitorService.reschedule(card.id, now: now, in: writer)
    }
    return Outcome(
      isFirst: isFirst, day: tap.day, endedPause: endedPause, allClearCount: allClearCount ?? 0,
      timer: try services.timers.find(of: card.id, in: writer))
  }

  /// Records a repeated tap where hours are counted, but no burst of them.
  private func recordRepeat(
    _ tap: CheckInAttempt, by card: UserSummary, detail: String, now: Instant,
    in writer: WriteTransaction
  ) throws {
    guard let monitor = try services.monitor(over: card, now: now, in: writer),
      monitor.thresholdHours != nil, let last = monitor.lastTap,
      tap.moment.seconds(since: last) >= Self.burst
    else { return }
    try services.record.add(
      .tapped, day: tap.day, detail: tap.isOffline ? "offline" : detail, of: card.id, now: now,
      in: writer)
  }

  /// Ends a pause; a check-in made before the pause began does not.
  private func endPause(
    of card: UserSummary, _ tap: CheckInAttempt, now: Instant, in writer: WriteTransaction
  ) throws -> Bool {
    let pauses = try services.monitors.pauses(
      of: card.id, from: tap.day, to: tap.day, in: writer)
    guard let pause = pauses.last, !tap.isOffline || tap.day > pause.lowerBound else {
      return false
    }
    try services.monitors.endPause(card.id, before: tap.day, in: writer)
    try services.record.add(.resumed, of: card.id, now: now, in: writer)
    return true
  }
}
