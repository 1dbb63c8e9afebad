import Core
import Database
import Foundation
import Jobs

extension MailQueue {
  /// Sends one queued mail; called by the worker. The observers are called in the transaction that
  /// marks the mail.
  ///
  /// If a worker dies between sending and marking, the lease expires, and the mail is sent once
  /// more under the same Message-ID. A mark that fails (an observer threw) is repeated without
  /// sending again.
  public func deliver(
    _ job: Job, now: Instant, observers: [any DeliveryObserver] = []
  ) throws -> JobOutcome {
    guard let id = ID<QueuedMail>(job.payload), let mail = try load(id) else { return .done }
    if !mail.isTaken {
      if mail.retriesForever, let until = try heldUntil(id, now: now, by: observers) {
        // A job that is due at once would delay all others.
        return .again(at: max(until, now.adding(seconds: 1)))
      }
      do throws(MailSendError) {
        try send(mail, id: id)
      } catch {
        return try failed(
          id, error.withoutAddresses, mail, attempts: job.attempts, now: now, observers)
      }
    }
    do {
      try database.write { writer in
        try MailStore.markSent(id, now: now, in: writer)
        try MailServerHealth.noteTaken(in: writer)
        // A bounce can arrive before this mark; it is the final result of a mail.
        let hasComeBack = try MailStore.hasComeBack(id, in: writer)
        try notify(hasComeBack ? [] : observers, id, .sent, now: now, in: writer)
      }
    } catch {
      // The first error is the one to report; if this fails too, the mail is sent once more.
      try? database.write { try MailStore.markTaken(id, now: now, in: $0) }
      throw error
    }
    return .done
  }

  /// Records a bounce, once, regardless of earlier results; `reason` is for people. Mails are
  /// deleted after a week; observers may still know them, so they are called all the same. `isLost`
  /// if a server gave up on the way and the recipient may well exist.
  public func bounced(
    _ mail: ID<QueuedMail>, _ reason: String, isLost: Bool = false, now: Instant,
    observers: [any DeliveryObserver] = []
  ) throws {
    let reason = String(reason.asOneLine.withoutAddresses.prefix(Self.maximumReasonLength))
    try database.write { writer in
      let isNews = try MailStore.markBounced(mail, reason, now: now, in: writer)
      guard isNews ?? true else { return }
      try notify(
        observers, mail, isLost ? .lost(reason) : .bounced(reason), now: now, in: writer)
    }
  }

  /// Sends an unqueued mail, now and once: for an operator who tests whether mail works; success
  /// ends the health problem. Throws `MailSendError`.
  public func sendNow(
    _ content: MailContent, to recipient: MailAddress, now: Instant
  ) throws(MailSendError) {
    try send(content, ID(now: now), to: recipient, now: now)
    // The mail was sent, whether this can be recorded or not; then the next mail records it.
    try? database.write { try MailServerHealth.noteTaken(in: $0) }
  }

  /// Sends a mail of a queue that its caller has. Throws `MailSendError`.
  public func send(
    _ content: MailContent, _ id: ID<QueuedMail>, to recipient: MailAddress, now: Instant
  ) throws(MailSendError) {
    try send(content, id: id, to: recipient, date: now)
  }

  // MARK: Parts

  /// The maximum length of a stored reason, in characters.
  private static var maximumReasonLength: Int { 500 }

  private struct Waiting {
    let recipient: String
    let content: MailContent
    let createdAt: Instant
    let retriesForever: Bool
    let isTaken: Bool
  }

  /// The latest moment until which an observer holds a mail.
  private func heldUntil(
    _ id: ID<QueuedMail>, now: Instant, by observers: [any DeliveryObserver]
  ) throws -> Instant? {
    try database.read { reader in
      try observers.compactMap { try $0.heldUntil(id, now: now, in: reader) }.max()
    }
  }

  private func load(_ id: ID<QueuedMail>) throws -> Waiting? {
    guard let mail = try database.read({ try MailStore.waiting(id, in: $0) }) else { return nil }
    let body = try keys.open(mail.content, for: MailStore.content.context(id))
    return Waiting(
      recipient: try MailStore.recipient.open(mail.recipient, of: id, with: keys),
      content: try JSONDecoder().decode(MailContent.self, from: Data(body)),
      createdAt: mail.createdAt, retriesForever: mail.retriesForever, isTaken: mail.isTaken)
  }

  private func send(_ mail: Waiting, id: ID<QueuedMail>) throws(MailSendError) {
    guard let recipient = try? MailAddress(mail.recipient) else {
      throw .refusedRecipient(code: 553, text: "the recipient is not an address")
    }
    try send(mail.content, id: id, to: recipient, date: mail.createdAt)
  }

  private func send(
    _ content: MailContent, id: ID<QueuedMail>, to recipient: MailAddress, date: Instant
  ) throws(MailSendError) {
    let message = MailMessage(
      fromName: fromName, from: from, to: recipient, subject: content.subject,
      text: content.text, html: content.html, messageID: "\(id)@\(from.domain)", date: date,
      language: content.language, headers: content.headers)
    try sender.send(message, returnPath: returnAddress.make(for: id))
  }

  private func failed(
    _ id: ID<QueuedMail>, _ failure: MailSendError, _ mail: Waiting, attempts: Int, now: Instant,
    _ observers: [any DeliveryObserver]
  ) throws -> JobOutcome {
    let delay = RetryPlan.delay(
      afterAttempt: attempts, queuedAt: mail.createdAt, now: now,
      retriesForever: mail.retriesForever)
    let result: MailResult
    let outcome: JobOutcome
    switch (failure, delay) {
    case (.refusedRecipient, _): (result, outcome) = (.refused(failure), .done)
    case (_, let delay?):
      result = .postponed(failure, until: now.adding(seconds: delay))
      outcome = .retry(after: delay, because: failure.description)
    case (_, nil): (result, outcome) = (.givenUp(failure), .done)
    }
    let isOver = if case .done = outcome { true } else { false }
    let isNoted = try database.write { writer in
      try MailServerHealth.note(failure, now: now, in: writer)
      // Cancelled, or sent by another worker in the meantime: there is nothing to try again.
      guard
        try MailStore.markFailed(id, failure, isOver: isOver, now: now, in: writer)
      else { return false }
      try notify(observers, id, result, now: now, in: writer)
      return true
    }
    return isNoted ? outcome : .done
  }

  /// Counts the result of a mail, and calls its observers.
  private func notify(
    _ observers: [any DeliveryObserver], _ id: ID<QueuedMail>, _ result: MailResult, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try MailStore.count(result, in: writer)
    for observer in observers { try observer.attempted(id, result, now: now, in: writer) }
  }
}
