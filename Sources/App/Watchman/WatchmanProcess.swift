import Backup
import CheckIn
import Core
import Database
import Foundation
import HTTPClient
import Logging
import Mail
import Secrets
import Synchronization
import Web

/// `pairspot watchman`: asks a server on another machine, and sends its alerts if it falls silent
/// (docs/operator/watchman.md).
public enum WatchmanProcess {
  /// The time between two questions, in s.
  static let every = 30

  /// Why a watchman cannot start.
  enum Failure: Error, CustomStringConvertible {
    case dataOfServer(String)
    case noKey(String)
    case noOperator

    var description: String {
      switch self {
      case .dataOfServer(let folder):
        "\(folder) has the data of a server: a watchman needs another machine, or at least a folder "
          + "of its own"
      case .noKey(let path):
        "\(path) is missing: copy it from the server, where “pairspot watchman key” makes it"
      case .noOperator: "PAIRSPOT_WATCHMAN_OPERATORS: missing"
      }
    }
  }

  /// Makes the key on the server, unless there is one; returns the path of its file.
  public static func makeKey(_ configuration: Configuration) throws -> String {
    _ = try SharedKey.loadOrMake(
      CheckInModule.watchmanKeyFile, in: configuration.secretsFolder)
    return keyPath(configuration)
  }

  /// Runs until asked to stop.
  public static func run(_ configuration: Configuration) throws {
    let signals = StopSignals()
    let isStopping = Atomic(false)
    let lock = try Folders.open(configuration) {
      FileHandle.standardError.write(Data("\($0)\n".utf8))
    }
    try Folders.make(configuration)
    let logger = Logger(label: "watchman") { _ in
      JSONLineLog(descriptor: configuration.logDescriptor, clock: configuration.clock)
    }
    let watchman = try watchman(configuration, lock: lock, logger: logger)
    withExtendedLifetime(isStopping) {
      signals.onArrival { isStopping.store(true, ordering: .relaxed) }
      var last = SuspendingClock.now
      logger.info("watching \(configuration.baseURL)")
      while !isStopping.load(ordering: .relaxed) {
        let now = SuspendingClock.now
        let elapsed = last.duration(to: now).components.seconds
        last = last.advanced(by: .seconds(elapsed))
        do {
          try watchman.tick(elapsed: elapsed)
        } catch {
          // A full disk or a locked database is temporary.
          logger.error("watchman: \(error)")
        }
        for _ in 0..<Self.every where !isStopping.load(ordering: .relaxed) { sleep(1) }
      }
    }
  }

  private static func watchman(
    _ configuration: Configuration, lock: FolderLock, logger: Logger
  ) throws -> Watchman {
    let path = "\(configuration.data)/watchman.sqlite"
    let files = FileManager.default
    let hasServer =
      switch configuration.database {
      case .sqlite(let file): files.fileExists(atPath: file)
      // A watchman makes its own keys after its database.
      case .postgresql:
        KeyRing.isKept(in: configuration.secretsFolder) && !files.fileExists(atPath: path)
      }
    guard !hasServer else { throw Failure.dataOfServer(configuration.data) }
    guard
      let key = try SharedKey.load(
        CheckInModule.watchmanKeyFile, in: configuration.secretsFolder)
    else { throw Failure.noKey(keyPath(configuration)) }
    guard !configuration.watchman.operators.isEmpty else { throw Failure.noOperator }
    let (catalogues, templates) = try Instance.read(in: configuration.templatesFolder)
    let database = try Database(path: path, holding: lock)
    try database.migrate(Watchman.migrations)
    let clocks = configuration.watchmanClocks
    return try Watchman(
      Watchman.Dependencies(
        database: database, settings: configuration.watchman, key: key,
        link: HTTPWatchmanLink(
          url: configuration.baseURL + Watchman.path, credential: Watchman.credential(key)),
        clock: configuration.clock, otherClocks: { clocks.compactMap(OtherClock.read) },
        mail: MailQueue(
          database: database, keys: try KeyRing.loadOrMake(in: configuration.secretsFolder),
          sender: Instance.sender(configuration, clock: configuration.clock),
          fromName: configuration.fromName, from: configuration.from),
        offers: configuration.channelOffers,
        channelSender: AllChannelsSender(
          appriseInterpreter: configuration.appriseInterpreter, clock: configuration.clock),
        templates: templates, catalogues: catalogues, baseURL: configuration.baseURL,
        language: configuration.language, logger: logger))
  }

  private static func keyPath(_ configuration: Configuration) -> String {
    "\(configuration.secretsFolder)/\(CheckInModule.watchmanKeyFile)"
  }
}

/// The way to the server by https.
private struct HTTPWatchmanLink: WatchmanLink {
  /// The largest answer, in bytes.
  private static let limit = 64 << 20

  let url: String
  let credential: String

  func ask(_ question: [UInt8]) throws -> [UInt8] {
    let answer = try HTTPClient(timeout: 60, bodyLimit: Self.limit).send(
      HTTPCall(
        "POST", url,
        headers: [
          ("Authorization", "Bearer \(credential)"), ("Content-Type", "application/json"),
        ], body: question))
    guard answer.status == 200 else {
      throw HTTPClientError.unreachable("it answered \(answer.status)")
    }
    return answer.body
  }
}

/// The clock of a web server (RFC 9110, section 6.6.1).
enum OtherClock {
  /// Nil if the server doesn't answer.
  static func read(_ url: String) -> Instant? {
    guard let answer = try? HTTPClient(timeout: 10).send(HTTPCall("HEAD", url)) else { return nil }
    return answer.date.flatMap(instant)
  }

  /// Parses a date like "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, section 5.6.7).
  static func instant(_ text: String) -> Instant? {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = .gmt
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return format.date(from: text).map { Instant(date: $0) }
  }
}
