import Core
import Database
import Logging
import Mail
import Secrets

/// Sends the messages of a watchman, one after the other.
struct WatchmanPost: Sendable {
  /// The number of messages that are read at once.
  static let batch = 25
  /// The time after which the server is asked again before the rest is sent, in s.
  static let longest = 30
  /// Delays before retries of a mail, in s; then the last one, for ever.
  static let mailDelays: [Int64] = [60, .minutes(2), .minutes(5), .minutes(15), .minutes(30)]

  let database: Database
  let key: SharedKey
  let settings: Watchman.Settings
  let writer: WatchmanWriter
  let mail: MailQueue
  let channels: any ChannelSender
  let logger: Logger
  private let store = WatchedAlertStore()

  init(
    database: Database, key: SharedKey, settings: Watchman.Settings, writer: WatchmanWriter,
    mail: MailQueue, channels: any ChannelSender, logger: Logger
  ) {
    self.database = database
    self.key = key
    self.settings = settings
    self.writer = writer
    self.mail = mail
    self.channels = channels
    self.logger = logger
  }

  /// Sends what is due, for `longest` at most.
  func sendDue(now: Instant) throws {
    let end = ContinuousClock.now.advanced(by: .seconds(Self.longest))
    try database.write {
      // Postponed by a clock that was ahead.
      try store.makeDue(now: now, latest: Self.mailDelays.last ?? 0, in: $0)
    }
    // Neither a mail server that hangs nor a service keeps the other way waiting.
    var mailIsDown = false
    for mails in [false, true] {
      while ContinuousClock.now < end, !(mails && mailIsDown) {
        let due = try database.read {
          try store.dueMessages(mails: mails, now: now, limit: Self.batch, in: $0)
        }
        if due.isEmpty { break }
        var outgoing: [String: [(message: WatchedAlertStore.Message, text: OutgoingMessage)]] = [:]
        for message in due where ContinuousClock.now < end {
          switch try written(message, now: now) {
          case nil: try finish(message, .recalled)
          case .mail(let address, let content):
            if mailIsDown {
              try postpone(message, by: Self.mailDelays[0], now: now)
            } else {
              mailIsDown = try !send(message, to: address, content, now: now)
            }
          case .channel(let offer, let text): outgoing[offer, default: []].append((message, text))
          }
        }
        for messages in outgoing.values { try send(messages, now: now) }
      }
    }
  }

  // MARK: Texts

  private enum Written {
    case mail(String, MailContent)
    /// With the name of the service.
    case channel(String, OutgoingMessage)
  }

  private func written(
    _ message: WatchedAlertStore.Message, now: Instant
  ) throws -> Written? {
    if let number = message.operatorNumber {
      return try writtenToOperator(message, number, now: now)
    }
    guard let id = message.alert,
      let content = try database.read({ try store.content(of: id, in: $0) }),
      let alert = try? WatchedAlert.open(
        content.alert.sealed, of: content.alert.person, at: content.alert.moment, with: key)
    else { return nil }
    if let channel = message.channel {
      return writer.message(
        message.id, alert, to: message.contact, by: channel, silentSince: content.silentSince,
        now: now
      ).map { .channel($0.offer, $0.message) }
    }
    return writer.mail(alert, to: message.contact, silentSince: content.silentSince, now: now)
      .map { .mail($0.address, $0.content) }
  }

  private func writtenToOperator(
    _ message: WatchedAlertStore.Message, _ number: Int, now: Instant
  ) throws -> Written? {
    guard settings.operators.indices.contains(number) else { return nil }
    let (silent, alerts) = try database.read { reader in
      (
        try store.server(in: reader).silent,
        try store.count(
          before: now.adding(seconds: .days(1) - settings.grace), in: reader)
      )
    }
    let mail = WatchmanMail(
      baseURL: writer.baseURL, isBack: message.isBack, minutes: Int(silent / 60), alerts: alerts)
    switch settings.operators[number] {
    case .mail(let address): return .mail(address.description, writer.mail(mail))
    case .channel(let offer, let recipient):
      return writer.message(message.id, mail, to: recipient, by: offer).map {
        .channel(offer, $0)
      }
    }
  }

  // MARK: Sending

  /// Sends a mail. Returns false if no server takes any.
  private func send(
    _ message: WatchedAlertStore.Message, to address: String, _ content: MailContent, now: Instant
  ) throws -> Bool {
    var state = ContactMailState.sent
    do {
      try mail.send(content, message.id, to: MailAddress(address), now: now)
    } catch is MailAddressError {
      state = .refused
    } catch MailSendError.refusedRecipient {
      state = .refused
    } catch {
      logger.error("a mail was not sent: \(error)")
      let delays = Self.mailDelays
      try postpone(message, by: delays[min(message.attempts, delays.count - 1)], now: now)
      if case MailSendError.unreachable = error { return false }
      return true
    }
    try finish(message, state)
    return true
  }

  private func send(
    _ outgoing: [(message: WatchedAlertStore.Message, text: OutgoingMessage)], now: Instant
  ) throws {
    let results = channels.results(of: outgoing.map(\.text), logger)
    for ((message, _), result) in zip(outgoing, results) {
      switch result {
      case .sent: try finish(message, .sent)
      case .untried: break
      case .failed where message.attempts < ChannelDispatcher.delays.count:
        try postpone(message, by: ChannelDispatcher.delays[message.attempts], now: now)
      case .failed: try finish(message, .givenUp)
      }
    }
  }

  private func finish(
    _ message: WatchedAlertStore.Message, _ state: ContactMailState
  ) throws {
    try database.write { try store.end(message.id, state, in: $0) }
  }

  private func postpone(
    _ message: WatchedAlertStore.Message, by delay: Int64, now: Instant
  ) throws {
    try database.write {
      try store.postpone(message.id, to: now.adding(seconds: delay), in: $0)
    }
  }
}
