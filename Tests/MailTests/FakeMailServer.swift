import Core
import Database
import Foundation
import Jobs
import Logging
import Secrets
import Synchronization

@testable import Mail

/// A queue with a worker and a scripted sender; deleted with the test.
final class FakeMailServer {
  static let start = Instant(milliseconds: 1_772_409_600_000)

  let clock = ManualClock(FakeMailServer.start)
  let database: Database
  let keys: KeyRing
  let queue: MailQueue
  let sender = ScriptedSender()
  let observer = Notebook()
  private let folder = FileManager.default.temporaryDirectory.appending(path: "mail-\(UUID())")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    database = try Database(path: folder.appending(path: "mail.sqlite").path)
    try database.migrate(JobSchema.migrations + MailSchema.migrations + Notebook.migrations)
    keys = try KeyRing.loadOrMake(in: folder.appending(path: "secrets").path)
    queue = MailQueue(
      database: database, keys: keys, sender: sender, fromName: "PairSpot",
      from: try MailAddress("home@pairspot.example"))
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  @discardableResult
  func add(_ address: String = "mei@example.test", retriesForever: Bool = false) throws
    -> ID<QueuedMail>
  {
    try database.write {
      try queue.add(
        MailContent(
          subject: "Hello", text: "Good morning.\n", html: "<p>Good morning.</p>\n",
          language: .english, headers: []),
        to: address, retriesForever: retriesForever, now: clock.now(), in: $0)
    }
  }

  /// Runs the due jobs in a newly started worker.
  func work() throws {
    let (queue, observer) = (queue, observer)
    try Worker(
      store: JobStore(database: database),
      kinds: [
        JobKind(MailQueue.jobKind) { try queue.deliver($0, now: $1, observers: [observer]) }
      ], clock: clock, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ).runDue()
  }

  func work(after seconds: Int64) throws {
    clock.advance(seconds: seconds)
    try work()
  }

  func count(_ query: Query) throws -> Int { try database.read { try $0.count(query) } }

  /// Counts of each result.
  func results() throws -> [String: Int] {
    Dictionary(
      uniqueKeysWithValues: try database.read {
        try $0.rows("SELECT result, count FROM mail_results") {
          (try $0.next(String.self), try $0.next(Int.self))
        }
      })
  }
}

/// Fails as configured, then accepts everything.
final class ScriptedSender: MailSender {
  struct Sent {
    let message: MailMessage
    let returnPath: MailAddress
  }

  private let failures = Mutex<[MailSendError]>([])
  private let all = Mutex<[Sent]>([])
  private let meanwhile = Mutex<(@Sendable () -> Void)?>(nil)

  /// All attempts, failed ones included.
  var tried: [Sent] { all.withLock { $0 } }

  func fail(_ failure: MailSendError, times: Int = 1) {
    failures.withLock { $0 += [MailSendError](repeating: failure, count: times) }
  }

  /// Runs the body while the next mail is being sent.
  func meanwhile(_ body: @escaping @Sendable () -> Void) { meanwhile.withLock { $0 = body } }

  func send(_ message: MailMessage, returnPath: MailAddress) throws(MailSendError) {
    all.withLock { $0.append(Sent(message: message, returnPath: returnPath)) }
    let event = meanwhile.withLock { body in
      defer { body = nil }
      return body
    }
    event?()
    let failure = failures.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    if let failure { throw failure }
  }
}

/// An observer that records its calls in a table, as features do.
final class Notebook: DeliveryObserver {
  struct Refused: Error {}

  static let migrations = [
    Migration("notes 1: notes", "CREATE TABLE notes (words TEXT NOT NULL) STRICT")
  ]

  private let refusals = Mutex(0)

  func refuse(times: Int) { refusals.withLock { $0 = times } }

  func attempted(
    _ mail: ID<QueuedMail>, _ result: MailResult, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute("INSERT INTO notes (words) VALUES (\(Self.words(result, now)))")
    let refuses = refusals.withLock { left in
      defer { left = max(0, left - 1) }
      return left > 0
    }
    if refuses { throw Refused() }
  }

  private static func words(_ result: MailResult, _ now: Instant) -> String {
    switch result {
    case .sent: "sent"
    case .postponed(let failure, let until):
      "postponed \(until.seconds(since: now)) s: \(failure)"
    case .refused(let failure): "refused: \(failure)"
    case .givenUp(let failure): "given up: \(failure)"
    case .lost(let reason): "lost: \(reason)"
    case .bounced(let reason): "bounced: \(reason)"
    }
  }

  func words(in database: Database) throws -> [String] {
    try database.read { try $0.values("SELECT words FROM notes ORDER BY rowid", as: String.self) }
  }
}
