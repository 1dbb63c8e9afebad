import Core
import Database
import Foundation
import Logging
import Mail
import Secrets
import Templates
import Web

/// The way to the server of a watchman.
public protocol WatchmanLink: Sendable {
  /// Sends a question and returns the answer, both JSON. Throws if there is none.
  func ask(_ question: [UInt8]) throws -> [UInt8]
}

/// A program on another machine that sends the alerts of a server that has fallen silent
/// (docs/developer/watchman.md).
public struct Watchman: Sendable {
  /// An address of the operator.
  public enum Recipient: Sendable {
    case mail(MailAddress)
    /// By a service of the file of channels.
    case channel(offer: String, recipient: String)
  }

  public struct Settings: Sendable {
    /// The silence of the server after which the watchman acts, in s.
    let after: Int64
    /// The time between a user's own moment and the alert, in s.
    let grace: Int64
    public let operators: [Recipient]

    public init(after: Int64, grace: Int64, operators: [Recipient]) {
      self.after = after
      self.grace = grace
      self.operators = operators
    }
  }

  /// How long what was sent is known, in s.
  static let keptFor: Int64 = .days(90)
  /// The number of alerts in one transaction.
  static let batch = 100

  public static let migrations = WatchmanSchema.migrations
  /// The server's address for questions.
  public static let path = WatchmanHook.path

  /// The credential of the questions.
  public static func credential(_ key: SharedKey) -> String { WatchmanHook.credential(key) }

  /// The parts of a watchman, injected by App.
  public struct Dependencies: Sendable {
    /// A database of its own, with `migrations`.
    public let database: Database
    public let settings: Settings
    public let key: SharedKey
    public let link: any WatchmanLink
    public let clock: any Clock
    /// The times of other clocks, as many as answer.
    public let otherClocks: @Sendable () -> [Instant]
    public let mail: MailQueue
    public let offers: ChannelOffers
    public let channelSender: any ChannelSender
    public let templates: TemplateSet
    public let catalogues: Catalogues
    /// The address of the server.
    public let baseURL: String
    /// The language of messages to the operator.
    public let language: Language
    public let logger: Logger

    public init(
      database: Database, settings: Settings, key: SharedKey, link: any WatchmanLink,
      clock: any Clock, otherClocks: @escaping @Sendable () -> [Instant], mail: MailQueue,
      offers: ChannelOffers, channelSender: any ChannelSender, templates: TemplateSet,
      catalogues: Catalogues, baseURL: String, language: Language, logger: Logger
    ) {
      self.database = database
      self.settings = settings
      self.key = key
      self.link = link
      self.clock = clock
      self.otherClocks = otherClocks
      self.mail = mail
      self.offers = offers
      self.channelSender = channelSender
      self.templates = templates
      self.catalogues = catalogues
      self.baseURL = baseURL
      self.language = language
      self.logger = logger
    }
  }

  private let needs: Dependencies
  private let post: WatchmanPost
  private let store = WatchedAlertStore()

  /// Compiles the mails. Throws `TemplateError`.
  public init(_ needs: Dependencies) throws {
    self.needs = needs
    post = WatchmanPost(
      database: needs.database, key: needs.key, settings: needs.settings,
      writer: WatchmanWriter(
        mailer: try CheckInMailer(
          templates: needs.templates, catalogues: needs.catalogues, baseURL: needs.baseURL),
        catalogues: needs.catalogues, baseURL: needs.baseURL, offers: needs.offers,
        language: needs.language),
      mail: needs.mail, channels: needs.channelSender, logger: needs.logger)
  }

  private var database: Database { needs.database }
  private var settings: Settings { needs.settings }

  /// Asks the server, counts its silence, and sends what is due. `elapsed` are the seconds since the
  /// last call while this program ran, by a clock that is never set.
  public func tick(elapsed: Int64) throws {
    let now = needs.clock.now()
    let isAlive = try ask(now: now)
    let silent = try database.write { writer in
      let server = try store.server(in: writer)
      let silent = isAlive ? 0 : server.silent + elapsed
      try store.setSilent(silent, in: writer)
      let isSilent = silent >= settings.after
      if isSilent != server.isReported, isSilent || isAlive {
        for number in settings.operators.indices {
          try store.add(toOperator: number, isBack: isAlive, now: now, in: writer)
        }
        try store.setReported(isSilent, in: writer)
      }
      if isAlive {
        try store.purge(before: now.adding(seconds: -Self.keptFor), in: writer)
      }
      return silent
    }
    if silent >= settings.after, try tellDue(silent: silent, now: now) {
      // A server that answers without evaluating alerts may have begun again.
      _ = try ask(now: now)
    }
    try post.sendDue(now: now)
  }

  // MARK: Asking

  /// Asks until all is known. Returns whether the server answers and evaluates alerts.
  private func ask(now: Instant) throws -> Bool {
    while true {
      let question = try database.read { reader in
        let told = try store.unsettled(limit: WatchmanQuestion.maximumReports, in: reader)
        return WatchmanQuestion(
          after: try store.server(in: reader).version, silentAfter: settings.after, told: told,
          isComplete: try store.unreported(in: reader) <= told.count)
      }
      let answer: WatchmanAnswer
      do {
        let bytes = try needs.link.ask(Array(try JSONEncoder().encode(question)))
        answer = try JSONDecoder().decode(WatchmanAnswer.self, from: Data(bytes))
      } catch {
        needs.logger.warning("the server does not answer: \(error)")
        return false
      }
      try database.write { writer in
        try store.setReported(question.told, now: now, in: writer)
        try store.apply(answer, in: writer)
      }
      if !answer.hasMore, question.isComplete, !answer.replacesAll { return answer.isScanning }
    }
  }

  // MARK: Telling

  /// Decides which alerts are sent now. Returns whether any are.
  private func tellDue(silent: Int64, now: Instant) throws -> Bool {
    guard let time = WatchmanTime.agreed(own: now, others: needs.otherClocks()) else {
      needs.logger.error("no two clocks agree, so no alert is sent")
      return false
    }
    let moment = time.adding(seconds: -settings.grace)
    let heldUntil = try database.read { try store.server(in: $0).heldUntil }
    if let heldUntil, heldUntil > moment { return false }
    let since = time.adding(seconds: -silent)
    var hasTold = false
    while true {
      let due = try database.read {
        try store.due(before: moment, limit: Self.batch, in: $0)
      }
      if due.isEmpty { return hasTold }
      try database.write { writer in
        for alert in due {
          try tell(alert, silentSince: since, time: time, now: now, in: writer)
        }
      }
      hasTold = true
    }
  }

  private func tell(
    _ due: WatchedAlertStore.Due, silentSince: Instant, time: Instant, now: Instant,
    in writer: WriteTransaction
  ) throws {
    guard
      let alert = try? WatchedAlert.open(
        due.sealed, of: due.person, at: due.moment, with: needs.key)
    else {
      needs.logger.error("an alert cannot be decrypted with this key")
      try store.remove(due, in: writer)
      return
    }
    guard let id = try store.tell(due, silentSince: silentSince, now: time, in: writer) else {
      return
    }
    for contact in alert.contacts {
      guard let contactID = ID<Contact>(contact.id) else { continue }
      if !contact.email.isEmpty {
        try store.add(to: contactID, by: nil, of: id, now: now, in: writer)
      }
      for channel in contact.channels {
        guard let channelID = ID<ContactChannel>(channel.id) else { continue }
        try store.add(to: contactID, by: channelID, of: id, now: now, in: writer)
      }
    }
  }
}
