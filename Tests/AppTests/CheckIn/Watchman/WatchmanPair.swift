import Core
import Database
import Foundation
import HTTPTypes
import Logging
import Mail
import Secrets
import Synchronization
import Testing
import Web

@testable import App
@testable import CheckIn

/// Mails that a watchman sends.
final class CollectedMail: MailSender {
  private let state = Mutex((sent: [MailMessage](), isDown: false))

  var sent: [MailMessage] { state.withLock { $0.sent } }

  func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

  func send(_ message: MailMessage, returnPath: MailAddress) throws(MailSendError) {
    let isDown = state.withLock { state in
      if !state.isDown { state.sent.append(message) }
      return state.isDown
    }
    if isDown { throw .unreachable("the mail server is down") }
  }

  func count(to name: String) -> Int {
    sent.count { $0.to.description == "\(name)@example.test" }
  }
}

/// The network between a server and its watchman.
final class TestLink: WatchmanLink {
  enum Mode {
    case open
    /// Questions don't arrive.
    case closed
    /// Answers don't arrive.
    case deaf
  }

  struct Down: Error {}

  private let mode = Mutex(Mode.open)
  private let application: Application
  private let credential: String

  init(_ server: TestInstance, credential: String) {
    application = server.instance.application

    self.credential = credential
  }

  func set(_ new: Mode) { mode.withLock { $0 = new } }

  func ask(_ question: [UInt8]) throws -> [UInt8] {
    let mode = mode.withLock { $0 }
    if mode == .closed { throw Down() }
    let answer = TestClient(application).send(
      .post, Watchman.path, headers: [.authorization: "Bearer \(credential)"], body: question)
    guard mode == .open, answer.status == 200 else { throw Down() }
    return answer.body
  }
}

/// The right time, and the clocks of others, which are right unless set.
final class OtherClocks: Sendable {
  private let state = Mutex((time: TestInstance.start, errors: [Int64(0), 0]))

  var time: Instant { state.withLock { $0.time } }

  func advance(_ seconds: Int64) { state.withLock { $0.time = $0.time.adding(seconds: seconds) } }

  /// Sets by how many s each is wrong; none answers if empty.
  func set(errors: [Int64]) { state.withLock { $0.errors = errors } }

  func read() -> [Instant] {
    state.withLock { state in state.errors.map { state.time.adding(seconds: $0) } }
  }
}

/// A server and its watchman, in this process.
final class WatchmanPair {
  static let after: Int64 = .hours(2)
  static let grace: Int64 = .hours(12)

  static let offers = """
    [{"name": "sms", "label": {"en": "SMS", "zh-Hant": "簡訊", "zh-Hans": "短信"},
      "url": "json://sms.example/{to}", "to": "\\\\+[0-9]{8,15}", "example": "+886912345678"}]
    """

  let server: TestInstance
  let serverChannels = RecordingSender()
  let others = OtherClocks()
  let clock = ManualClock(TestInstance.start)
  let mail = CollectedMail()
  let channels = RecordingSender()
  let link: TestLink
  /// By how many s the clocks of the server and of the watchman are wrong.
  var serverError: Int64 = 0
  var watchmanError: Int64 = 0
  var isServerUp = true
  var serverMailIsDown = false
  var isWatchmanUp = true
  let database: Database
  private let folder: URL
  private let watchman: Watchman
  /// The time since the watchman looked last, in s.
  private var elapsed: Int64 = 0

  init(grace: Int64 = WatchmanPair.grace) throws {
    let offers = try ChannelOffers(json: Data(Self.offers.utf8))
    server = try TestInstance(channels: (offers, serverChannels), hasWatchman: true)
    let key = try #require(
      try SharedKey.load(
        CheckInModule.watchmanKeyFile, in: server.instance.configuration.secretsFolder))
    link = TestLink(server, credential: Watchman.credential(key))
    folder = FileManager.default.temporaryDirectory.appending(path: "watchman-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    database = try Database(path: folder.appending(path: "watchman.sqlite").path)
    try database.migrate(Watchman.migrations)
    let texts = try TestInstance.texts.get()
    watchman = try Watchman(
      Watchman.Dependencies(
        database: database,
        settings: Watchman.Settings(
          after: Self.after, grace: grace,
          operators: [
            .mail(try MailAddress("operator@example.test")),
            .channel(offer: "sms", recipient: "+886900000001"),
          ]),
        key: key, link: link, clock: clock, otherClocks: others.read,
        mail: MailQueue(
          database: database, keys: server.instance.keys, sender: mail, fromName: "PairSpot",
          from: try MailAddress("pairspot@example.test")),
        offers: offers, channelSender: channels, templates: texts.templates,
        catalogues: texts.catalogues, baseURL: server.instance.site.baseURL, language: .english,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var time: Instant { others.time }

  /// Lets time pass in steps of at most half an hour; both programs do what is due.
  func pass(_ seconds: Int64) throws {
    var left = seconds
    while left > 0 {
      let step = min(left, .minutes(30))
      left -= step
      others.advance(step)
      elapsed += step
      server.clock.set(time.adding(seconds: serverError))
      clock.set(time.adding(seconds: watchmanError))
      if isServerUp { try server.beat() }
      if isWatchmanUp { try look() }
      if isServerUp {
        let queues =
          [WorkerQueues.scan, WorkerQueues.everythingElse]
          + (serverMailIsDown ? [] : [WorkerQueues.mail])
        for queue in queues { try server.work(queue) }
        try server.instance.features.checkIn.channelDispatcher.sendDue()
        // In truth it asks every 30 s.
        if isWatchmanUp { try look() }
      }
    }
  }

  func look() throws {
    try watchman.tick(elapsed: elapsed)
    elapsed = 0
  }

  /// The watchman's program ends, and forgets how long ago it looked.
  func restartWatchman() { elapsed = 0 }

  /// The server is off: it neither works nor answers.
  func stopServer() {
    isServerUp = false
    link.set(.closed)
  }

  func startServer() {
    isServerUp = true
    link.set(.open)
  }

  /// The number of alert mails to a contact that the server has sent, and the watchman.
  func alerts(to name: String) throws -> [Int] {
    let contact = try server.contact(name).id
    return [
      try server.number(
        """
        SELECT count(*) FROM contact_mails WHERE kind = 'alert' AND state = 'sent'
          AND contact_id = \(contact) AND channel_id IS NULL AND by_watchman = 0
        """), mail.count(to: name),
    ]
  }
}
