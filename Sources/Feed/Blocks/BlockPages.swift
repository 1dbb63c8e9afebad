import Accounts
import Core
import Database
import Templates
import Web

/// Blocking, from pages and API (docs/developer/moderation.md#blocking): neither couple sees
/// anything of the other, and neither follows the other any more.
struct BlockService {
  let services: FeedEnvironment

  private var blocks: BlockStore { services.blocks }

  /// The other couple as the viewer sees it. Throws 404 if it is not visible, 422 for the viewer's
  /// own couple.
  func other(_ id: ID<Couple>, for viewer: Viewer) throws -> CoupleProfile {
    guard let card = try services.couples.visible(id, to: viewer) else { throw Problem.notFound }
    guard id != viewer.couple?.id else {
      throw Problem.invalid(["couple": FieldError("block.own")])
    }
    return card
  }

  /// Blocks a couple; idempotent. A member without a couple gets a couple of one, as when posting.
  func block(_ id: ID<Couple>, by viewer: Viewer, now: Instant) throws {
    if let own = viewer.couple?.id, try isBlocked(id, by: own) { return }
    _ = try other(id, for: viewer)
    try services.site.database.write { try blockSeen(id, by: viewer, now: now, in: $0) }
  }

  /// Blocks a couple that the viewer has seen, even if it is hidden by now.
  func blockSeen(
    _ id: ID<Couple>, by viewer: Viewer, now: Instant, in writer: WriteTransaction
  ) throws {
    let own =
      try viewer.couple?.id
      ?? services.couples.coupleForPosting(viewer, now: now, in: writer)
    try blocks.block(id, by: own, now: now, in: writer)
    try FollowService(services: services).end(between: own, and: id, in: writer)
    try services.observer.blocked(id, by: own, now: now, in: writer)
  }

  /// Unblocks a couple; no error if it was not blocked.
  func unblock(_ id: ID<Couple>, by viewer: Viewer) throws {
    guard let own = viewer.couple?.id else { return }
    try services.site.database.write { try blocks.unblock(id, by: own, in: $0) }
  }

  private func isBlocked(_ id: ID<Couple>, by own: ID<Couple>) throws -> Bool {
    try services.site.database.read { try blocks.isBlocked(id, by: own, in: $0) }
  }

  /// Couples that the viewer's couple has blocked, newest first.
  func list(
    of viewer: Viewer, after place: PageCursor<Couple>?, limit: Int
  ) throws -> [BlockStore.Blocked] {
    guard let own = viewer.couple?.id else { return [] }
    return try services.site.database.read {
      try blocks.blocked(by: own, after: place ?? .start, limit: limit, in: $0)
    }
  }
}

/// `/couples/{id}/block` and `/settings/blocks`.
struct BlockPages {
  /// Maximum number of rows on the page; more than a user blocks by hand.
  private static let listed = 200

  private let services: FeedEnvironment
  private let page: Page<BlockView>
  private let list: Page<BlocksView>

  private var service: BlockService { BlockService(services: services) }

  init(_ services: FeedEnvironment) throws {
    self.services = services
    page = try Page("couples/block", title: "block.title", in: services.site)
    list = try Page("couples/blocks", title: "blocks.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let card = try service.other(context.id(), for: context.signedIn())
    let view = BlockView(id: card.id, coupleName: card.name)
    return page.response(view, context)
  }

  @Sendable func block(_ context: Context) throws -> Response {
    try service.block(context.id(), by: context.signedIn(), now: context.now)
    context.flash("toast.blocked")
    return .seeOther(FeedLinks.blocks)
  }

  @Sendable func showAll(_ context: Context) throws -> Response {
    let when = DateFormatting(context)
    let found = try service.list(of: context.signedIn(), after: nil, limit: Self.listed)
    let view = BlocksView(
      blocks: found.map { BlockedView(id: $0.id, name: $0.name, age: when.age($0.at)) })
    return list.response(view, context)
  }

  @Sendable func unblock(_ context: Context) throws -> Response {
    guard let couple = ID<Couple>(context.form["couple_id"]) else { throw Problem.notFound }
    try service.unblock(couple, by: context.signedIn())
    context.flash("toast.unblocked")
    return .seeOther(FeedLinks.blocks)
  }
}

struct BlockView: View {
  let id: ID<Couple>
  let coupleName: String

  static let fields: [String: Field<BlockView>] = [
    "couple_name": .text { $0.coupleName },
    "action": .text { FeedLinks.block($0.id) },
    "cancel_link": .text { FeedLinks.couple($0.id) },
  ]
}

struct BlocksView: View {
  let blocks: [BlockedView]

  static let fields: [String: Field<BlocksView>] = [
    "blocks": .list { $0.blocks },
    "empty": .flag { $0.blocks.isEmpty },
    "action": .text { _ in FeedLinks.blocks },
  ]
}

struct BlockedView: View {
  let id: ID<Couple>
  let name: String
  let age: String

  static let fields: [String: Field<BlockedView>] = [
    "id": .text { $0.id.description },
    "name": .text { $0.name },
    "age": .text { $0.age },
  ]
}
