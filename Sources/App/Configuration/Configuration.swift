import Album
import CheckIn
import Core
import Foundation
import Mail
import S3
import Wallet
import Web
import WebPush

/// The operator's settings of this instance: environment variables over a file of variables
/// (docs/operator/settings.md).
public struct Configuration: Sendable {
  /// The way in which mail is sent.
  public enum MailTransport: Sendable {
    case file
    case smtp(SMTPSender)
    case resend(ResendSender)
  }

  public let isDevelopment: Bool
  /// The folder with `templates/`, `public/` and `deploy/`.
  public let share: String
  public private(set) var data: String
  /// The connection URI of the database server; nil: the database is a file in the data folder.
  private(set) var databaseAddress: String?
  /// The folder of `PAIRSPOT_SECRETS`; nil: the secrets are in the data folder.
  private(set) var ownSecretsFolder: String?
  /// The Redis server of live streams; nil: this node has streams of its own.
  let redis: RedisServer?
  /// The addresses on which nginx listens.
  let listenAddresses: [ListenAddress]
  public let port: Int
  /// The port of plain http that leads to https; nil for none.
  let redirectPort: Int?
  public private(set) var baseURL: String
  public let threads: Int
  public let processes: Int
  public let countsRates: Bool
  public let mail: MailTransport
  /// The signature of Resend's bounce webhook; nil disables the webhook.
  let resendSignature: WebhookSignature?
  public let fromName: String
  public let from: MailAddress
  public let language: Language
  public let timeZone: String
  public let trustedProxies: TrustedProxies
  public let profile: InstanceProfile
  public let termsFile: String?
  public let privacyFile: String?
  public let hasDemo: Bool
  let tls: TLSMode
  /// The longest extension of alerts after an outage, in s; nil for the length of the outage
  /// (docs/developer/check-in.md#rules).
  public let maximumGracePeriod: Int64?
  /// The URL to request after each successful scan, so that an external monitor notices a dead
  /// server.
  public let pingURL: String?
  /// The services by which emergency contacts can be notified beside mail, and the Python interpreter
  /// with Apprise that sends by them.
  let channelOffers: ChannelOffers
  let appriseInterpreter: String
  /// The settings of `pairspot watchman`, and the web servers whose clocks it reads.
  let watchman: Watchman.Settings
  let watchmanClocks: [String]
  /// The map tile server; nil: there are no maps.
  public let tiles: TileServer?
  /// The number of reporters that hides a post or a couple until a moderator decides
  /// (docs/developer/moderation.md).
  public let reportThreshold: Int
  /// The bucket of `PAIRSPOT_S3_BUCKET`, and whether media are in it (`PAIRSPOT_MEDIA`).
  let knownBucket: S3Settings?
  let usesBucket: Bool
  /// The address from which pages load public pictures; nil for this instance's own
  /// (`PAIRSPOT_MEDIA_URL`).
  let mediaURL: String?
  /// The album quotas (`PAIRSPOT_GUEST_PHOTOS`, `PAIRSPOT_MEMBER_PHOTOS`, in MB).
  let photoQuota: PhotoQuota
  /// The push services that pushes may be sent to.
  public let pushServices: PushServices
  /// The contact address of the operator for push services (RFC 8292, section 2.1).
  public let vapidSubject: String
  /// The settings of buying and spending coins.
  public let wallet: WalletSettings
  /// The providers with which members may sign in.
  let providers: [ProviderSettings]
  /// The offset of the machine's clock, in ms (`PAIRSPOT_NOW`).
  public let clockOffset: Int64
  /// Every variable that was read, for the processes that `serve` starts.
  let variables: [String: String]

  /// All configuration errors, a line each.
  public struct Invalid: Error, CustomStringConvertible {
    public let problems: [String]
    public var description: String { problems.joined(separator: "\n") }
  }

  /// Reads the environment over the file in `PAIRSPOT_CONFIG`, and that over `defaults`. Throws
  /// `Invalid` with every unknown, missing or invalid variable. `now` is the machine's time, `cores`
  /// its number of processors.
  public init(
    environment: [String: String], defaults: [String: String] = [:], now: Instant, cores: Int
  ) throws {
    var reader = try ConfigurationReader(environment: environment, defaults: defaults)
    let isDevelopment =
      reader.choice("PAIRSPOT_ENV", ["production", "development"], "production") == "development"
    self.isDevelopment = isDevelopment
    let share = reader.folder("PAIRSPOT_SHARE", "/usr/local/share/pairspot")
    self.share = share
    data = reader.folder("PAIRSPOT_DATA", "var", below: share)
    databaseAddress = reader.databaseAddress("PAIRSPOT_DATABASE_URL")
    ownSecretsFolder = reader.secretsFolder("PAIRSPOT_SECRETS")
    redis = reader.redis("PAIRSPOT_REDIS_URL")
    tls = reader.tls()
    listenAddresses = reader.listenAddresses(tls)
    port = reader.number("PAIRSPOT_PORT", tls.isPublic ? 443 : 8080, 1...65_535)
    let redirectPort = reader.number("PAIRSPOT_HTTP_PORT", tls.isPublic ? 80 : 0, 0...65_535)
    self.redirectPort = redirectPort == 0 ? nil : redirectPort
    baseURL = reader.baseURL("\(tls == .off ? "http" : "https")://127.0.0.1:\(port)")
    reader.checkTLS(tls, baseURL: baseURL, redirectPort: redirectPort, port: port)
    threads = reader.number("PAIRSPOT_THREADS", max(4, 2 * cores), 1...512)
    processes = reader.number("PAIRSPOT_PROCESSES", 1, 1...64)
    countsRates = reader.choice("PAIRSPOT_RATE_LIMITS", ["on", "off"], "on") == "on"
    mail = reader.mail(isDevelopment: isDevelopment)
    resendSignature = reader.webhookSignature("RESEND_WEBHOOK_SECRET")
    fromName = reader.text("FROM_NAME", "PairSpot")
    let sender = reader.sender(isDevelopment: isDevelopment)
    language = reader.language("PAIRSPOT_LANGUAGE")
    timeZone = reader.timeZone("PAIRSPOT_TIME_ZONE", "Asia/Taipei")
    trustedProxies = reader.proxies("PAIRSPOT_TRUSTED_PROXIES")
    profile = reader.profile()
    termsFile = reader.file("PAIRSPOT_TERMS_FILE")
    privacyFile = reader.file("PAIRSPOT_PRIVACY_FILE")
    hasDemo = reader.choice("PAIRSPOT_DEMO", ["0", "1"], "0") == "1"
    maximumGracePeriod = reader.hours("PAIRSPOT_OUTAGE_GRACE")
    pingURL = reader.address("PAIRSPOT_PING_URL")
    (channelOffers, appriseInterpreter) = reader.channels()
    (watchman, watchmanClocks) = reader.watchman(channelOffers)
    tiles = reader.tiles("PAIRSPOT_TILE_URL")
    (knownBucket, usesBucket) = reader.bucket()
    mediaURL = reader.mediaURL("PAIRSPOT_MEDIA_URL")
    photoQuota = PhotoQuota(
      guestBytes: Int64(reader.number("PAIRSPOT_GUEST_PHOTOS", 2048, 1...1_000_000)) << 20,
      memberBytes: Int64(reader.number("PAIRSPOT_MEMBER_PHOTOS", 20_480, 1...1_000_000)) << 20)
    reportThreshold = reader.number("PAIRSPOT_REPORT_THRESHOLD", 3, 1...1000)
    pushServices = reader.pushServices("PAIRSPOT_PUSH_HOSTS", isTrial: isDevelopment)
    vapidSubject = reader.vapidSubject(
      "PAIRSPOT_VAPID_SUBJECT", baseURL: baseURL, sender: sender?.description)
    wallet = reader.wallet()
    providers = reader.providers()
    clockOffset = reader.clockOffset(machine: now)
    if !isDevelopment { reader.refuseInProduction(baseURL: baseURL, hasDemo: hasDemo) }
    variables = reader.variables
    let problems = reader.problems
    guard problems.isEmpty, let sender else { throw Invalid(problems: problems) }
    from = sender
  }

  /// The configuration with the address of the `serve` that runs on this data folder, if one does:
  /// its port may be set in its own environment alone.
  public func atRunningServer() -> Configuration {
    var configuration = self
    if let address = ServerLock.address(self) { configuration.baseURL = address }
    return configuration
  }

  /// The configuration of a copy of the data in another folder, with its own secrets, and on a
  /// server if it is there.
  func withData(_ folder: String, databaseAddress: String? = nil) -> Configuration {
    var configuration = self
    configuration.data = folder
    configuration.databaseAddress = databaseAddress
    configuration.ownSecretsFolder = nil
    return configuration
  }

  // MARK: Paths

  public var databasePath: String { "\(data)/pairspot.sqlite" }
  public var mediaFolder: String { "\(data)/media" }
  public var mailFolder: String { "\(data)/mail" }
  public var secretsFolder: String { ownSecretsFolder ?? "\(data)/secrets" }
  public var runFolder: String { "\(data)/run" }
  public var logFolder: String { "\(data)/logs" }
  public var uploadFolder: String { "\(runFolder)/uploads" }
  public var templatesFolder: String { "\(share)/templates" }
  public var cataloguesFolder: String { Self.cataloguesFolder(of: templatesFolder) }
  public var publicFolder: String { "\(share)/public" }

  static func cataloguesFolder(of templates: String) -> String { "\(templates)/locales" }

  /// The socket of handler process `number`, from 0.
  public func socketPath(_ number: Int) -> String { "\(runFolder)/handlers-\(number).sock" }

  /// The socket on which nginx receives the messages of its streams.
  var liveSocketPath: String { "\(runFolder)/live.sock" }

  /// The host with its port, as in the Host header.
  var host: String {
    String(baseURL.drop { $0 != ":" }.dropFirst(3))
  }

  /// The host without its port.
  var hostName: String { String(host.prefix { $0 != ":" }) }

  /// The port of the base URL, if it is plain http: it is the same on all nodes, wherever they
  /// listen.
  var publicPort: Int { host.split(separator: ":").last.flatMap { Int($0) } ?? 80 }

  var isSecure: Bool { baseURL.hasPrefix("https:") }

  /// The clock of this instance, which tests may have shifted.
  public var clock: SystemClock { SystemClock(offset: clockOffset) }
}
