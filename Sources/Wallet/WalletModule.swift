import Accounts
import Core
import Database
import Jobs
import Web

/// Routes, gauges, checks and menu entries of the Wallet module.
public struct WalletModule: Sendable {
  /// Dependencies injected by the application.
  public struct Dependencies: Sendable {
    public let site: AppEnvironment
    public let limits: RateLimitStore
    public let settings: WalletSettings
    public let posts: any PromotablePosts
    public let log: any VoucherLog

    public init(
      site: AppEnvironment, limits: RateLimitStore, settings: WalletSettings,
      posts: any PromotablePosts, log: any VoucherLog
    ) {
      self.site = site
      self.limits = limits
      self.settings = settings
      self.posts = posts
      self.log = log
    }
  }

  public static let migrations = WalletSchema.migrations
  public let routes: [Route]
  public let participant: any AccountParticipant = WalletParticipant()
  public let doctorChecks = WalletDoctor.checks
  public let gauges: [Gauge]
  let services: WalletEnvironment

  /// Compiles the pages of this module. Throws the errors of their templates.
  public init(_ needs: Dependencies) throws {
    let services = WalletEnvironment(
      site: needs.site, limits: needs.limits, settings: needs.settings, posts: needs.posts,
      log: needs.log)
    self.services = services
    let api = WalletAPI(services: services)
    routes =
      needs.settings.isOn ? try Self.routes(services) + api.routes : [api.notifications]
    gauges = [
      Gauge("pairspot_promotions_running", "Promotions of public posts that are running.") { now in
        // Counts promotions of visible posts only: those of hidden posts continue to run without
        // being shown.
        try services.site.database.read { reader in
          let running = try services.promotions.running(now: now, in: reader)
          return try services.posts.countOpen(running.map(\.post), in: reader)
        }
      }
    ]
  }

  /// The running promotions in the order of the current minute, for the feed.
  public static func running(now: Instant, in reader: ReadTransaction) throws -> [RunningPromotion]
  {
    try PromotionStore().running(now: now, in: reader)
  }

  /// Changes whenever a promotion starts, is extended or ends, and with every minute. While it is
  /// equal, the result of `running` is equal.
  public static func promotionState(
    now: Instant, in reader: ReadTransaction
  ) throws -> PromotionState {
    try PromotionStore().state(now: now, in: reader)
  }

  /// The ends of these posts' promotions; posts without a running promotion are left out.
  public static func ends(
    of posts: [ID<PromotedPost>], now: Instant, in reader: ReadTransaction
  ) throws -> [ID<PromotedPost>: Instant] {
    try PromotionStore().ends(of: posts, now: now, in: reader)
  }

  /// Gives a user coins without an admin, for the demo data.
  public func grant(_ coins: Int, to person: ID<Person>, at moment: Instant) throws {
    try VoucherService(services: services).issue(coins, to: person, now: moment)
  }

  /// Promotes a post without a form, for the demo data.
  public func promote(_ post: ID<PromotedPost>, by viewer: Viewer, at moment: Instant) throws {
    guard let price = services.settings.prices.first else { return }
    _ = try PromotionService(services: services).promote(post, for: price, by: viewer, now: moment)
  }

  /// Entries of the admin menu.
  public static let staffEntries = [
    AdminMenuItem(WalletLinks.vouchers, icon: "gift", "admin.vouchers", for: .admin)
  ]

  /// The routes of this module (docs/developer/pages-and-forms.md#addresses).
  private static func routes(_ services: WalletEnvironment) throws -> [Route] {
    let wallet = try WalletPages(services)
    let promotion = try PromotionPages(services)
    let promotable = try PromotablePage(services)
    let vouchers = try VoucherPages(services)
    let promote = "/posts/:id/promote"
    let end = "\(WalletLinks.vouchers)/:id/end"
    let closed: Route.Options = [.noStore, .closedToSuspended]
    return [
      Route(.get, WalletLinks.wallet, .atLeast(.member), options: .noStore, handler: wallet.show),
      Route(.get, WalletLinks.redeem, .atLeast(.member), options: .noStore, handler: wallet.ask),
      Route(
        .post, WalletLinks.redeem, .atLeast(.member), options: .noStore, handler: wallet.redeem),
      Route(
        .get, WalletLinks.promotable, .atLeast(.member), options: .noStore,
        handler: promotable.show),
      Route(.get, promote, .atLeast(.member), options: closed, handler: promotion.show),
      Route(.post, promote, .atLeast(.member), options: closed, handler: promotion.promote),
      Route(
        .get, WalletLinks.vouchers, .atLeast(.admin), options: .noStore, handler: vouchers.show),
      Route(
        .post, WalletLinks.vouchers, .atLeast(.admin), options: .noStore, handler: vouchers.send),
      Route(.get, end, .atLeast(.admin), options: .noStore, handler: vouchers.askEnd),
      Route(.post, end, .atLeast(.admin), options: .noStore, handler: vouchers.end),
    ]
  }
}
