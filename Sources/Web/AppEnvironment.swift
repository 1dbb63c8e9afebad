import Core
import Database
import Logging
import Secrets
import Templates

/// Configuration and tools of one instance, constant during its requests.
public struct AppEnvironment: Sendable {
  /// One of the modules in the tab bar and the rail.
  public struct NavigationItem: Sendable {
    public let path: String
    public let icon: String
    public let textKey: String

    public init(path: String, icon: String, textKey: String) {
      self.path = path
      self.icon = icon
      self.textKey = textKey
    }
  }

  /// "https://pairspot.example", without a slash at the end.
  public let baseURL: String
  /// The host with its port, as the Host header must name it.
  public let host: String
  public let cookieStyle: Cookies.Style
  /// In development, loopback names are accepted as hosts too.
  public let isDevelopment: Bool
  /// Whether changed templates are compiled again, which every request checks.
  public var reloadsTemplates: Bool
  /// Whether rate limits per person and address are enforced (`PAIRSPOT_RATE_LIMITS`).
  public let countsRates: Bool
  public let trustedProxies: TrustedProxies
  public let profile: InstanceProfile
  public let defaultLanguage: Language
  public let defaultTimeZone: String
  public let clock: any Clock
  public let database: Database
  public let keys: KeyRing
  /// The key of users' pseudonyms for scripts.
  let browserUserKey: HMACKey
  public let catalogues: Catalogues
  public let templates: TemplateSet
  /// The base path of styles and scripts: "/assets/<hash of public/>".
  public let assets: @Sendable () -> String
  /// The folder of uploaded files while they are read.
  public let uploadFolder: String
  public let sessions: any SessionAuthenticator
  /// The authenticator of the API's access tokens.
  public var access: any AccessTokenAuthenticator
  public let tabs: [NavigationItem]
  /// The address from which pages load public pictures; nil for this instance's own.
  public var mediaURL: String?
  /// Whether there are coins (`PAIRSPOT_COINS`).
  public var hasCoins = true
  /// Counts unread notices and messages; nil if there are none.
  public let unread: (any UnreadCounter)?
  /// The pages of staff; nil if there are none.
  public let staffMenu: (any StaffMenu)?
  /// The list of settings; nil if there is none.
  public let settingsMenu: (any SettingsMenu)?
  /// The map tile server; nil if there are no maps.
  public let tiles: TileServer?
  public let metrics: Metrics
  public let logger: Logger
  public let securityLog: SecurityLog

  public init(
    baseURL: String, host: String, cookieStyle: Cookies.Style, isDevelopment: Bool,
    countsRates: Bool, trustedProxies: TrustedProxies, profile: InstanceProfile,
    defaultLanguage: Language,
    defaultTimeZone: String, clock: any Clock, database: Database, keys: KeyRing,
    catalogues: Catalogues, templates: TemplateSet, assets: @escaping @Sendable () -> String,
    uploadFolder: String, sessions: any SessionAuthenticator, access: any AccessTokenAuthenticator,
    tabs: [NavigationItem],
    unread: (any UnreadCounter)? = nil,
    staffMenu: (any StaffMenu)? = nil, settingsMenu: (any SettingsMenu)? = nil,
    tiles: TileServer? = nil, metrics: Metrics, logger: Logger, securityLog: SecurityLog
  ) {
    self.baseURL = baseURL
    self.host = host
    self.cookieStyle = cookieStyle
    self.isDevelopment = isDevelopment
    reloadsTemplates = isDevelopment
    self.countsRates = countsRates
    self.trustedProxies = trustedProxies
    self.profile = profile
    self.defaultLanguage = defaultLanguage
    self.defaultTimeZone = defaultTimeZone
    self.clock = clock
    self.database = database
    self.keys = keys
    browserUserKey = HMACKey(keys.derivedKey(purpose: "browser-user"))
    self.catalogues = catalogues
    self.templates = templates
    self.assets = assets
    self.uploadFolder = uploadFolder
    self.sessions = sessions
    self.access = access
    self.tabs = tabs
    self.unread = unread
    self.staffMenu = staffMenu
    self.settingsMenu = settingsMenu
    self.tiles = tiles
    self.metrics = metrics
    self.logger = logger
    self.securityLog = securityLog
  }
}
