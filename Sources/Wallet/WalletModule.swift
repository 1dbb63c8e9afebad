import Accounts
import Core
import Database
import Jobs
import Web

/// What this module offers to the application.
public struct WalletModule: Sendable {
  /// What it needs from the application.
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

  /// Compiles the pages of this module; throws what is wrong with their templates.
  public init(_ needs: Dependencies) throws {
    let services = WalletEnvironment(
      site: needs.site, limits: needs.limits, settings: needs.settings, posts: needs.posts,
      log: needs.log)
    self.services = services
    routes = try Self.routes(services) + WalletAPI(services: services).routes
    gauges = [
      Gauge("pairspot_promotions_running") { now in
        // Those that somebody can see: others run on as well, and nobody gains anything by them.
        try services.site.database.read { reader in
          let running = try services.promotions.running(now: now, in: reader)
          return try services.posts.countOpen(running.map(\.post), in: reader)
        }
      }
    ]
  }

  /// Which posts are promoted at a moment, in the order of that minute: what the feed asks.
  public static func running(now: Instant, in reader: ReadTransaction) throws -> [RunningPromotion]
  {
    try PromotionStore().running(now: now, in: reader)
  }

  /// What of `running` is another as soon as one promotion begins, is extended or ends, or the
  /// minute does: as long as it is the same, so is their order.
  public static func promotionState(
    now: Instant, in reader: ReadTransaction
  ) throws -> PromotionState {
    try PromotionStore().state(now: now, in: reader)
  }

  /// Until when each of these posts is promoted; those that aren't at this moment are left out.
  public static func ends(
    of posts: [ID<PromotedPost>], now: Instant, in reader: ReadTransaction
  ) throws -> [ID<PromotedPost>: Instant] {
    try PromotionStore().ends(of: posts, now: now, in: reader)
  }

  /// Gives somebody coins without an admin: for the demonstration world.
  public func grant(_ coins: Int, to person: ID<Person>, at moment: Instant) throws {
    try VoucherService(services: services).give(coins, to: person, now: moment)
  }

  /// Promotes a post without a form: for the demonstration world.
  public func promote(_ post: ID<PromotedPost>, by viewer: Viewer, at moment: Instant) throws {
    guard let price = services.settings.prices.first else { return }
    _ = try PromotionService(services: services).promote(post, for: price, by: viewer, now: moment)
  }

  /// What the front page of staff leads to.
  public var staffEntries: [AdminMenuItem] {
    [AdminMenuItem(WalletLinks.vouchers, icon: "gift", "admin.vouchers", for: .admin)]
  }

  /// The addresses of this module (docs/developer/pages-and-forms.md#addresses).
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
