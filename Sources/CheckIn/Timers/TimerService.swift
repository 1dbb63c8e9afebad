import Accounts
import Core
import Database
import Web

/// Starts, extends and ends timers, and takes their steps.
struct TimerService {
  /// The number of timers that a user may start a day.
  static let started = RateLimit("timers", maximum: 50, window: .days(1))
  /// The number of extensions of a user a day.
  static let extended = RateLimit("timer-extensions", maximum: 100, window: .days(1))
  /// The number of calls for help of a user a day.
  static let calls = RateLimit("help-calls", maximum: 10, window: .days(1))

  let services: CheckInEnvironment

  /// Why a timer cannot be started.
  enum Rejection: Error {
    case running
    /// No contact would be notified.
    case noContact
  }

  // MARK: Actions of the user

  /// Starts a timer. Throws `Rejection`, and 429 beyond the limit.
  func start(
    minutes: Int, graceMinutes: Int, note: String, sharesPlace: Bool = false,
    of card: UserSummary, now: Instant, in writer: WriteTransaction
  ) throws {
    guard try services.timers.find(of: card.id, in: writer) == nil else {
      throw Rejection.running
    }
    guard try services.contacts.all(of: card.id, in: writer).contains(where: \.counts) else {
      throw Rejection.noContact
    }
    if let wait = try services.limits.add(Self.started, card.id.description, now: now, in: writer) {
      throw Problem.tooMany(retryAfter: wait)
    }
    let timer = CheckInTimer(
      id: ID<CheckInTimer>(now: now), person: card.id, note: note, startedAt: now,
      endsAt: now.adding(seconds: Int64(minutes) * 60), grace: Int64(graceMinutes) * 60,
      sharesPlace: sharesPlace)
    try services.timers.set(timer, in: writer)
    try services.record.add(
      .timerStarted, detail: String(minutes), of: card.id, now: now, in: writer)
  }

  /// Notifies the contacts at once that the user needs help. A running timer ends; its note is kept.
  /// Throws `Rejection` without a contact, and if they were notified by a timer already; 429 beyond
  /// the limit.
  func callForHelp(
    note: String, sharesPlace: Bool, of card: UserSummary, now: Instant, in writer: WriteTransaction
  ) throws {
    let running = try services.timers.find(of: card.id, in: writer)
    guard running?.alertedAt == nil else { throw Rejection.running }
    guard try services.contacts.all(of: card.id, in: writer).contains(where: \.counts) else {
      throw Rejection.noContact
    }
    if let wait = try services.limits.add(Self.calls, card.id.description, now: now, in: writer) {
      throw Problem.tooMany(retryAfter: wait)
    }
    if running != nil { try remove(of: card.id, in: writer) }
    let notes = [note, running?.note ?? ""].filter { !$0.isEmpty }.joined(separator: "\n")
    try services.timers.set(
      CheckInTimer(
        id: ID<CheckInTimer>(now: now), person: card.id,
        note: CheckInTimer.noteLimits.beginning(of: notes), startedAt: now, endsAt: now, grace: 0,
        sharesPlace: sharesPlace || running?.sharesPlace == true, isHelp: true),
      in: writer)
    try advance(card.id, .none, now: now, in: writer)
  }

  /// Moves the end of a running timer by half an hour, or from now on if it is over. Returns false
  /// if none runs, it is a call for help, or the contacts were notified. Throws 429 beyond the limit.
  func extend(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws -> Bool {
    guard var timer = try services.timers.find(of: person, in: writer), timer.alertedAt == nil,
      !timer.isHelp
    else { return false }
    if let wait = try services.limits.add(Self.extended, person.description, now: now, in: writer) {
      throw Problem.tooMany(retryAfter: wait)
    }
    timer.endsAt = max(timer.endsAt, now).adding(seconds: CheckInTimer.extensionTime)
    try services.timers.extend(timer, in: writer)
    try services.record.add(.timerExtended, of: person, now: now, in: writer)
    return true
  }

  /// Ends the timer: the user is back. Contacts who were notified are told. Returns the timer; nil if
  /// none runs, or another one than `only`.
  func end(
    _ card: UserSummary, only: ID<CheckInTimer>? = nil, now: Instant, in writer: WriteTransaction
  ) throws -> CheckInTimer? {
    guard let timer = try services.timers.find(of: card.id, in: writer),
      only ?? timer.id == timer.id
    else { return nil }
    try remove(of: card.id, in: writer)
    try services.record.add(.timerEnded, of: card.id, now: now, in: writer)
    guard timer.alertedAt != nil,
      let monitor = try services.monitor(over: card, now: now, in: writer)
    else { return timer }
    try AlertService(services: services).end(
      timer: timer.id, card, monitor, now: now, in: writer)
    return timer
  }

  /// Removes the timer, its notices, and its warnings that wait to be sent.
  func remove(of person: ID<Person>, in writer: WriteTransaction) throws {
    try services.timers.remove(of: person, in: writer)
    try services.observer.timerEnded(person, in: writer)
    try services.queue.cancel(
      try services.alerts.recallTimerWarnings(of: person, in: writer), in: writer)
  }

  // MARK: Steps

  /// Takes the due step of a user's timer, and schedules the next one.
  func advance(
    _ person: ID<Person>, _ grace: AlertGracePeriod, now: Instant, in writer: WriteTransaction
  ) throws {
    guard let timer = try services.timers.find(of: person, in: writer) else { return }
    guard let card = try services.people.card(person, in: writer),
      let monitor = try services.monitor(over: card, now: now, in: writer)
    else {
      // A deleted account has no timer any more.
      return try services.timers.remove(of: person, in: writer)
    }
    let heldUntil = grace.end(
      forAlertDue: timer.alertAt, quietSince: timer.startedAt, now: now)
    let plan = timer.plan(at: now, heldUntil: heldUntil)
    var next = plan.next
    switch plan.step {
    case nil: break
    case .alert:
      // A watchman knows nothing of a call that begins now.
      guard try timer.isHelp || WatchmanService(services: services).isSettled(now: now, in: writer)
      else {
        next = now.adding(seconds: CheckInScan.every)
        break
      }
      guard try AlertService(services: services).open(timer, card, monitor, now: now, in: writer)
      else {
        // Tried again.
        try recordNoContact(person, now: now, in: writer)
        next = now.adding(seconds: CheckInScan.retry)
        break
      }
      try services.timers.took(.alert, of: person, now: now, in: writer)
    case .warn, .warnAtEnd:
      let step: CheckInTimer.Step = plan.step == .warn ? .warn : .warnAtEnd
      try warn(timer, card, monitor, isLast: step == .warnAtEnd, now: now, in: writer)
      try services.timers.took(step, of: person, now: now, in: writer)
    }
    try services.timers.scheduleNext(at: next, of: person, in: writer)
  }

  /// Records once that an alert waits because no contact can be reached.
  private func recordNoContact(
    _ person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    let last = try services.record.last(of: person, in: writer)
    guard last?.event != .held || last?.detail != RecordEvent.noContact else { return }
    try services.record.add(
      .held, detail: RecordEvent.noContact, of: person, now: now, in: writer)
  }

  private func warn(
    _ timer: CheckInTimer, _ card: UserSummary, _ monitor: CheckInMonitor, isLast: Bool,
    now: Instant, in writer: WriteTransaction
  ) throws {
    try services.observer.reminded(card.id, .timer, now: now, in: writer)
    try services.record.add(.warned, of: card.id, now: now, in: writer)
    guard let address = card.address else { return }
    var model = services.model(card, monitor, now: now)
    model.timerEnd = timer.endsAt
    model.alertAt = timer.alertAt
    model.path = CheckInLinks.timer(
      services.links.token(
        for: timer.id, of: card.id, until: now.adding(seconds: MailLinks.lifetime)))
    let content = services.mailer.timer(
      model, in: services.language(of: card), isLast: isLast)
    let mail = try services.queue.add(content, to: address, now: now, in: writer)
    try services.alerts.note(mail, .timerWarning, to: nil, of: card.id, now: now, in: writer)
  }
}
