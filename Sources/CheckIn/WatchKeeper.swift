import Accounts
import Basics
import Database
import Foundation

/// Does for a person what the rules say is due, and notes when to look again. Everything happens
/// in the caller's transaction: what was claimed and the mail for it are kept together or not at
/// all.
struct WatchKeeper {
  let services: CheckInServices

  /// Reminds, warns and tells, as far as it is due.
  func lookAfter(
    _ person: ID<Person>, grace: AlertGrace, now: Instant, in writer: Writer
  ) throws {
    guard let card = try services.people.card(person, in: writer.reader),
      var watch = try services.watch(over: card, now: now, in: writer.reader)
    else {
      // Who left is looked after again when they come back.
      return try services.watches.lookAgain(at: nil, person, in: writer)
    }
    let graceUntil = grace.end(
      forAlertDue: watch.alertMoment(), quietSince: watch.quietSince, now: now)
    var plan = watch.plan(at: now, graceUntil: graceUntil)
    // Each step changes what is left to do; there are never more rounds than kinds of steps.
    for _ in 0..<5 where !plan.steps.isEmpty {
      for step in plan.steps {
        try take(step, card, &watch, graceUntil: graceUntil, now: now, in: writer)
      }
      plan = watch.plan(at: now, graceUntil: graceUntil)
    }
    let soonest = now.adding(seconds: .minutes(1))
    try services.watches.keep(
      watch, of: person, next: plan.next.map { max($0, soonest) }, in: writer)
  }

  /// Notes when to look at a person again, after something about them has changed.
  func reschedule(_ person: ID<Person>, now: Instant, in writer: Writer) throws {
    guard let card = try services.people.card(person, in: writer.reader),
      let watch = try services.watch(over: card, now: now, in: writer.reader)
    else { return try services.watches.lookAgain(at: nil, person, in: writer) }
    try reschedule(person, watch, now: now, in: writer)
  }

  /// The same for who knows the watch over them, as it is after the change.
  func reschedule(
    _ person: ID<Person>, _ watch: Watch, now: Instant, in writer: Writer
  ) throws {
    let plan = watch.plan(at: now)
    // A clock that may be wrong puts nothing off: it is thought over by one that is right.
    let doubt = try services.outages.doubt(now: now, in: writer.reader)
    try services.watches.keep(
      watch, of: person, next: plan.steps.isEmpty ? plan.next.map { min($0, doubt ?? $0) } : now,
      in: writer)
  }

  private func take(
    _ step: WatchPlan.Step, _ card: PersonCard, _ watch: inout Watch, graceUntil: Instant?,
    now: Instant, in writer: Writer
  ) throws {
    switch step {
    case .remind:
      watch.remindedDay = watch.today(now)
      try write(step, to: card, watch, graceUntil: graceUntil, now: now, in: writer)
    case .warnInTheEvening:
      watch.skipDueReminder(at: now)
      watch.eveningFor = watch.countedFrom
      try write(step, to: card, watch, graceUntil: graceUntil, now: now, in: writer)
    case .warnAnHourBefore:
      watch.skipDueReminder(at: now)
      watch.eveningFor = watch.countedFrom
      watch.hourFor = watch.countedFrom
      try write(step, to: card, watch, graceUntil: graceUntil, now: now, in: writer)
    case .remindAfterOutage:
      watch.skipDueReminder(at: now)
      watch.graceFor = watch.countedFrom
      watch.eveningFor = watch.countedFrom
      try write(step, to: card, watch, graceUntil: graceUntil, now: now, in: writer)
    case .alert:
      try AlertDesk(services: services).raise(card, watch, now: now, in: writer)
      watch.alertedAt = now
    }
  }

  /// A letter to the person themself, with a page to tap on.
  private func write(
    _ step: WatchPlan.Step, to card: PersonCard, _ watch: Watch, graceUntil: Instant?,
    now: Instant, in writer: Writer
  ) throws {
    try services.news.reminded(card.id, step.word, now: now, in: writer)
    guard let address = card.address else { return }
    var facts = services.facts(card, watch, now: now)
    facts.alertAt = watch.alertMoment(graceUntil: graceUntil)
    facts.path = CheckInLinks.tap(
      services.links.token(for: card.id, until: now.adding(seconds: .days(7))))
    let language = services.language(of: card)
    let letters = services.letters
    let content =
      switch step {
      case .remind: letters.reminder(facts, in: language)
      case .warnAnHourBefore: letters.warning(facts, in: language, isLast: true)
      case .remindAfterOutage: letters.afterOutage(facts, in: language)
      default: letters.warning(facts, in: language, isLast: false)
      }
    let mail = try services.queue.add(content, to: address, now: now, in: writer)
    try services.alerts.note(
      mail, step == .remind ? .reminder : .warning, to: nil, of: card.id, now: now, in: writer)
  }
}

extension WatchPlan.Step {
  /// What it says to the person.
  fileprivate var word: CheckInWord {
    switch self {
    case .remind: .reminder
    case .warnInTheEvening: .warning
    case .warnAnHourBefore, .alert: .lastWarning
    case .remindAfterOutage: .outage
    }
  }
}
