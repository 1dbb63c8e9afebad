import Accounts
import Core
import Database
import Foundation
import Jobs
import Logging
import OpenIDConnect
import PostgreSQLServer
import Secrets
import SignedTokens
import Testing
import Web

@testable import App
@testable import CheckIn

/// A whole instance in a folder of its own, called in process; deleted with the test.
final class TestInstance {
  /// 2026-03-02 08:00 in Taipei.
  static let start = Instant(milliseconds: 1_772_409_600_000)
  static let port = 8099
  static let host = "127.0.0.1:8099"

  let folder: URL
  let instance: Instance
  let clock: ManualClock
  /// The recorded pushes.
  let pushes = PushLog()
  private let worker: Worker
  private let options: Instance.Options
  private let environment: [String: String]
  /// The addresses of its databases on a server.
  private var addresses: [String] = []

  /// With `limits` the product's rate limits apply; `variables` are set in addition to those of
  /// every test. `pictureScript` is a shell command in place of the picture child process. Both
  /// logs write to `log`, security events to `securityLog`. `providers` stands in for OpenID providers,
  /// with the instance's `clock`. With `hasWatchman` there is the key of one. Without `hasFilmPrograms`
  /// neither ffmpeg nor ffprobe is installed.
  init(
    limits: Bool = false, statements: StatementLog? = nil, variables: [String: String] = [:],
    pictureScript: String? = nil, log: Int32? = nil, securityLog: Int32? = nil,
    clock: ManualClock = ManualClock(TestInstance.start),
    providers: (any ProviderTransport)? = nil,
    channels: (offers: ChannelOffers, sender: any ChannelSender)? = nil,
    hasWatchman: Bool = false, minimumPromotedFeed: Int = 0, hasFilmPrograms: Bool = true
  ) throws {
    self.clock = clock
    // As in every command.
    umask(0o077)
    folder = FileManager.default.temporaryDirectory.appending(path: "house-\(UUID())")
    // One with another share folder starts empty.
    let isNew = variables["PAIRSPOT_SHARE"] != nil
    if TestEngine.ofInstances == .postgresql {
      let server = try PostgreSQLServer.shared
      addresses = [try server.newDatabase(copyOf: isNew ? nil : Self.emptyServerDatabase.get())]
    }
    environment = [
      "PAIRSPOT_ENV": "development", "PAIRSPOT_SHARE": Self.checkout.path,
      "PAIRSPOT_DATA": folder.path, "PAIRSPOT_PORT": String(Self.port),
      "PAIRSPOT_RATE_LIMITS": limits ? "on" : "off", "PAIRSPOT_THREADS": "32",
      "PAIRSPOT_DATABASE_URL": addresses.first ?? "",
    ].merging(variables) { $1 }
    let configuration = try Configuration(
      environment: environment, now: Self.start, cores: 2)
    var options = Instance.Options()
    options.passwordCost = 4
    options.minimumPromotedFeed = minimumPromotedFeed
    if let pictureScript {
      options.pictureProgram = "/bin/sh"
      options.pictureArguments = ["-c", pictureScript, "sh"]
    }
    if !hasFilmPrograms { options.ffmpeg = "/none/ffmpeg" }
    options.clock = clock
    options.statementLog = statements
    if let log { (options.requestLogDescriptor, options.logDescriptor) = (log, log) }
    if let securityLog { options.securityLogDescriptor = securityLog }
    // Read once for all instances: reading takes as long as a test.
    if !isNew { options.readBefore = try Self.texts.get() }
    options.pushSender = pushes
    options.providerTransport = providers
    options.channelOffers = channels?.offers
    options.channelSender = channels?.sender
    options.resolve = { $0.hasPrefix("inside.") ? ["8.8.8.8", "::ffff:127.0.0.1"] : ["8.8.8.8"] }
    self.options = options
    // One key for all instances: generating takes as long as a test.
    try Folders.make(configuration)
    if hasWatchman { _ = try WatchmanProcess.makeKey(configuration) }
    try SecretFiles.replace(
      try Self.tokenKeys.get(), name: "token-keys.json", in: configuration.secretsFolder)
    if !isNew {
      _ = try KeyRing.loadOrMake(in: configuration.secretsFolder)
      if case .sqlite(let path) = configuration.database {
        try Self.emptyDatabase.get().write(to: URL(fileURLWithPath: path))
      }
    }
    instance = try Instance(configuration, options: options)
    worker = Worker(
      store: instance.jobStore, kinds: instance.jobs, clock: clock, logger: Logger(label: "test"))
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
    for address in addresses { try? PostgreSQLServer.shared.retire(address) }
  }

  static let checkout = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  static let texts = Result {
    try Instance.read(in: checkout.appending(path: "templates").path)
  }

  private static let tokenKeys = Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "token-keys-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try TokenKeys.loadOrMake(in: folder.path, now: TestInstance.start)
    return Array(try Data(contentsOf: folder.appending(path: "token-keys.json")))
  }

  /// A database with all tables, made once: migrating takes as long as a test.
  private static let emptyDatabase = Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "empty-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "empty.sqlite")
    // Closing it moves the log into the file.
    try Database(path: file.path).migrate(Migrations.all)
    return try Data(contentsOf: file)
  }

  private static let emptyServerDatabase = Result {
    let address = try PostgreSQLServer.shared.newDatabase()
    try Database(server: address).migrate(Migrations.all)
    return address
  }

  var database: Database { instance.database }

  func count(_ query: Query) throws -> Int { try database.read { try $0.count(query) } }

  /// Runs statements in the words of migrations: tables and triggers of tests.
  func migrate(_ sql: String) throws {
    try database.migrate([Migration("test \(UUID())", sql)])
  }

  func browser() -> TestClient { TestClient(instance.application) }

  /// Runs all due jobs of all lanes.
  func work() throws {
    for queue in WorkerQueues.all { try instance.jobStore.beat(queue.heartbeat, now: clock.now()) }
    try worker.runDue()
  }

  /// Does the due work of one queue.
  func work(_ queue: JobQueue) throws {
    try Worker(
      store: instance.jobStore, kinds: instance.jobs, queue: queue, clock: clock,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ).runDue()
  }

  /// The same folder opened again, as after a restart.
  func reopened() throws -> Instance { try Instance(instance.configuration, options: options) }

  /// Runs `pairspot doctor`.
  func look(repair: Bool, printLine: (String) -> Void) throws -> Bool {
    try Doctor.examine(
      at: instance.configuration, options: options, repair: repair, printLine: printLine)
  }

  /// Runs `pairspot drill` with the last backup of the test, as an instance on `data` if given.
  /// Returns the output.
  @discardableResult
  func drill(in folder: String? = nil, data: String? = nil) throws -> [String] {
    var said: [String] = []
    let configuration = try data.map { try self.configuration(data: $0) } ?? instance.configuration
    try DrillCommands(configuration, options: options).run(of: directory, in: folder) {
      said.append($0)
    }
    return said
  }

  /// This instance with another data folder and database, and other settings.
  func configuration(data: String, _ variables: [String: String] = [:]) throws -> Configuration {
    var others = ["PAIRSPOT_DATA": data]
    if !addresses.isEmpty, variables["PAIRSPOT_DATABASE_URL"] == nil {
      let address = try PostgreSQLServer.shared.newDatabase()
      addresses.append(address)
      others["PAIRSPOT_DATABASE_URL"] = address
    }
    return try Configuration(
      environment: environment.merging(variables) { $1 }.merging(others) { $1 },
      now: Self.start, cores: 2)
  }

  func opened(_ configuration: Configuration) throws -> Instance {
    try Instance(configuration, options: options)
  }

  func work(in instance: Instance) throws {
    try Worker(
      store: instance.jobStore, kinds: instance.jobs, clock: clock, logger: Logger(label: "test")
    ).runDue()
  }

  // MARK: Mails

  /// Every mail sent to this address, in order.
  func mails(to address: String) throws -> [SentMail] {
    try work()
    return try allMails().filter { $0.recipient == address }
  }

  func allMails() throws -> [SentMail] {
    let folder = instance.configuration.mailFolder
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    return try files.filter { $0.hasSuffix(".eml") }.compactMap { name in
      let bytes = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
      return ReceivedMail(Array(bytes)).map { SentMail(mail: $0) }
    }
  }

  /// The link of the last mail to this address, without the host.
  func link(to address: String) throws -> String {
    try #require(try mails(to: address).last?.link)
  }

  // MARK: Users

  static let password = "lantern river seven"

  /// The active couple of Ann and Ben, made without mails.
  @discardableResult
  func couple(
    _ name: String = "Ann & Ben", _ first: String = "ann", _ second: String = "ben"
  ) throws -> [Viewer] {
    try instance.features.accounts.seeder.found(
      [
        (first.capitalized, "\(first)@example.test"),
        (second.capitalized, "\(second)@example.test"),
      ],
      couple: name, anniversary: LocalDay(number: 19_000), password: Self.password,
      now: clock.now())
  }

  @discardableResult
  func alone(_ name: String) throws -> Viewer {
    let made = try instance.features.accounts.seeder.found(
      [(name.capitalized, "\(name)@example.test")], password: Self.password, now: clock.now())
    return try #require(made.first)
  }

  /// A browser in which this member is signed in.
  func signedIn(_ name: String) throws -> TestClient {
    let browser = browser()
    let answer = browser.signIn("\(name)@example.test", Self.password)
    try #require(answer.status == 303, "\(answer.text)")
    return browser
  }
}

/// A mail as its reader sees it.
struct SentMail {
  let mail: ReceivedMail

  var recipient: String { mail.header("to") }
  var subject: String { mail.header("subject") }
  var text: String { mail.text }
  /// The text without the invisible joiners that prevent names from becoming links.
  var visibleText: String { mail.text.replacing("\u{2060}", with: "") }

  /// The path of the first link in it.
  var link: String? {
    mail.text.split(whereSeparator: \.isWhitespace)
      .first { $0.hasPrefix("http://\(TestInstance.host)/") }
      .map { String($0.dropFirst("http://\(TestInstance.host)".count)) }
  }
}

/// A PNG of 8 × 8 px.
enum SmallPicture {
  static let png = Array(
    Data(
      base64Encoded: """
        iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAMUlEQVR4nG3CQRGAQADEsMpAAnJ4rxLk\
        IKdyTgIGmgnMfs/MMzPvzHwz48ycmblm/gFlZGOBsc9FpQAAAABJRU5ErkJggg==
        """) ?? Data())
}
