import Accounts
import Core
import Database
import Foundation

/// Sends the reminders, warnings or alert that are due for one user and schedules the next
/// evaluation. Everything happens in the caller's transaction: a claim and its mail are stored
/// together or not at all.
struct MonitorService {
  let services: CheckInEnvironment

  /// Sends what is due for a user.
  func evaluate(
    _ person: ID<Person>, grace: AlertGracePeriod, now: Instant, in writer: WriteTransaction
  ) throws {
    guard let card = try services.people.card(person, in: writer),
      var monitor = try services.monitor(over: card, now: now, in: writer)
    else {
      // A deleted account is monitored again when it is restored.
      return try services.monitors.scheduleNext(at: nil, person, in: writer)
    }
    let graceUntil = grace.end(
      forAlertDue: monitor.alertMoment(), quietSince: monitor.quietSince, now: now)
    var plan = monitor.plan(at: now, graceUntil: graceUntil)
    // Each step changes the remaining actions; there are never more rounds than kinds of steps.
    let soonest = now.adding(seconds: .minutes(1))
    for _ in 0..<5 where !plan.steps.isEmpty {
      for step in plan.steps {
        if step == .alert,
          try !WatchmanService(services: services).isSettled(now: now, in: writer)
        {
          return try services.monitors.keep(monitor, of: person, next: soonest, in: writer)
        }
        try take(step, card, &monitor, graceUntil: graceUntil, now: now, in: writer)
      }
      plan = monitor.plan(at: now, graceUntil: graceUntil)
    }
    try recordNoContact(monitor, of: person, graceUntil: graceUntil, now: now, in: writer)
    try services.monitors.keep(
      monitor, of: person, next: plan.next.map { max($0, soonest) }, in: writer)
  }

  /// Records once for a silence that its alert waits for a contact who can be reached.
  private func recordNoContact(
    _ monitor: CheckInMonitor, of person: ID<Person>, graceUntil: Instant?, now: Instant,
    in writer: WriteTransaction
  ) throws {
    guard !monitor.hasContact, !monitor.isAlerted, let day = monitor.countedFrom,
      let due = monitor.alertMoment(graceUntil: graceUntil), due <= now,
      try !services.record.hasHeld(RecordEvent.noContact, day: day, of: person, in: writer)
    else { return }
    try services.record.add(
      .held, day: day, detail: RecordEvent.noContact, of: person, now: now, in: writer)
  }

  /// Schedules the next evaluation of a user after a change.
  func reschedule(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    guard let card = try services.people.card(person, in: writer),
      let monitor = try services.monitor(over: card, now: now, in: writer)
    else { return try services.monitors.scheduleNext(at: nil, person, in: writer) }
    try reschedule(person, monitor, now: now, in: writer)
  }

  /// The same with the monitoring state after the change.
  func reschedule(
    _ person: ID<Person>, _ monitor: CheckInMonitor, now: Instant, in writer: WriteTransaction
  ) throws {
    let plan = monitor.plan(at: now)
    // A clock that may be wrong must not postpone an evaluation; it is decided again by a correct
    // one.
    let distrustedUntil = try services.outages.distrustedUntil(now: now, in: writer)
    try services.monitors.keep(
      monitor, of: person,
      next: plan.steps.isEmpty ? plan.next.map { min($0, distrustedUntil ?? $0) } : now,
      in: writer)
  }

  private func take(
    _ step: DueActions.Step, _ card: UserSummary, _ monitor: inout CheckInMonitor,
    graceUntil: Instant?,
    now: Instant, in writer: WriteTransaction
  ) throws {
    switch step {
    case .remind:
      monitor.remindedDay = monitor.today(now)
      try write(step, to: card, monitor, graceUntil: graceUntil, now: now, in: writer)
    case .warnInTheEvening:
      monitor.skipDueReminder(at: now)
      monitor.eveningFor = monitor.countedFrom
      try write(step, to: card, monitor, graceUntil: graceUntil, now: now, in: writer)
    case .warnAnHourBefore:
      monitor.skipDueReminder(at: now)
      monitor.eveningFor = monitor.countedFrom
      monitor.hourFor = monitor.countedFrom
      try write(step, to: card, monitor, graceUntil: graceUntil, now: now, in: writer)
    case .remindAfterOutage:
      monitor.skipDueReminder(at: now)
      monitor.graceFor = monitor.countedFrom
      monitor.eveningFor = monitor.countedFrom
      try write(step, to: card, monitor, graceUntil: graceUntil, now: now, in: writer)
    case .alert:
      try AlertService(services: services).open(card, monitor, now: now, in: writer)
      monitor.alertedAt = now
    }
  }

  /// Sends a notice to the user, with a page to tap on.
  private func write(
    _ step: DueActions.Step, to card: UserSummary, _ monitor: CheckInMonitor, graceUntil: Instant?,
    now: Instant, in writer: WriteTransaction
  ) throws {
    try services.observer.reminded(card.id, step.word, now: now, in: writer)
    let (event, reason) = step.record
    try services.record.add(
      event, day: monitor.countedFrom, detail: reason, of: card.id, now: now, in: writer)
    guard let address = card.address else { return }
    var model = services.model(card, monitor, now: now)
    model.alertAt = monitor.alertMoment(graceUntil: graceUntil)
    model.path = CheckInLinks.tap(
      services.links.token(for: card.id, until: now.adding(seconds: MailLinks.lifetime)))
    let language = services.language(of: card)
    let mailer = services.mailer
    let content =
      switch step {
      case .remind: mailer.reminder(model, in: language)
      case .warnAnHourBefore: mailer.warning(model, in: language, isLast: true)
      case .remindAfterOutage: mailer.afterOutage(model, in: language)
      default: mailer.warning(model, in: language, isLast: false)
      }
    let mail = try services.queue.add(content, to: address, now: now, in: writer)
    try services.alerts.note(
      mail, step == .remind ? .reminder : .warning, to: nil, of: card.id, now: now, in: writer)
  }
}

extension DueActions.Step {
  /// The line in the record for a notice to the user, with its detail.
  fileprivate var record: (event: RecordEvent, detail: String) {
    switch self {
    case .remind: (.reminded, "")
    case .warnInTheEvening, .warnAnHourBefore, .alert: (.warned, "")
    case .remindAfterOutage: (.held, "outage")
    }
  }

  /// The kind of notice for the user.
  fileprivate var word: CheckInNoticeKind {
    switch self {
    case .remind: .reminder
    case .warnInTheEvening: .warning
    case .warnAnHourBefore, .alert: .lastWarning
    case .remindAfterOutage: .outage
    }
  }
}
