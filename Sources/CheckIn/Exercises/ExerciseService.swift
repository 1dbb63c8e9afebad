import Accounts
import Core
import Database
import Mail
import Web

/// Sends exercises: messages like those of an alert that say at once that they are none, so that a
/// user sees which contacts would answer (docs/developer/check-in-contacts.md#exercises).
struct ExerciseService {
  /// The number of exercises that a user may start a day.
  static let started = RateLimit("exercises", maximum: 10, window: .days(1))
  /// The time after which an exercise is suggested again, in s.
  static let interval: Int64 = .days(90)
  /// How long an exercise can be answered, in s.
  static let answerTime: Int64 = .days(7)

  let services: CheckInEnvironment

  /// Sends an exercise to contacts, by mail and by all proven channels at once. Returns how many
  /// contacts it went to; throws 429 beyond the limit.
  func start(
    with contacts: [Contact], of card: UserSummary, now: Instant, in writer: WriteTransaction
  ) throws -> Int {
    let reachable = contacts.filter(\.counts)
    guard !reachable.isEmpty, let monitor = try services.monitor(over: card, now: now, in: writer)
    else { return 0 }
    if let wait = try services.limits.add(Self.started, card.id.description, now: now, in: writer) {
      throw Problem.tooMany(retryAfter: wait)
    }
    let language =
      try services.monitors.settings(of: card.id, in: writer)?.contactLanguage
      ?? services.language(of: card)
    let channels = try services.channels.all(of: card.id, in: writer)
    for contact in reachable {
      try services.contacts.exercised(contact.id, now: now, in: writer)
      try services.record.add(
        .exercise, contact: contact.id, of: card.id, now: now, in: writer)
      if contact.receivesMail {
        let content = services.mailer.exercise(
          services.model(card, monitor, to: contact, now: now), in: language)
        let mail = try services.queue.add(content, to: contact.email, now: now, in: writer)
        try services.alerts.note(
          mail, .exercise, to: contact.id, of: card.id, now: now, in: writer)
      }
      for channel in channels where channel.contact == contact.id && channel.provenAt != nil {
        try services.channels.queue(.exercise, by: channel, now: now, in: writer)
      }
    }
    return reachable.count
  }

  /// Records the answer of a contact; a repeat changes nothing.
  func answer(
    _ contact: Contact, now: Instant, in writer: WriteTransaction
  ) throws {
    guard contact.exercise(at: now) == .waiting else { return }
    try services.contacts.answeredExercise(contact.id, now: now, in: writer)
    try services.record.add(
      .answered, contact: contact.id, of: contact.person, now: now, in: writer)
  }
}

extension Contact {
  enum Exercise: Sendable {
    case never
    case waiting
    case answered
    case unanswered
  }

  /// The state of the latest exercise.
  func exercise(at now: Instant) -> Exercise {
    guard let exerciseAt else { return .never }
    if let answeredAt, answeredAt >= exerciseAt { return .answered }
    return now.seconds(since: exerciseAt) < ExerciseService.answerTime ? .waiting : .unanswered
  }
}
