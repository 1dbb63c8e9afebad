import Core
import Database
import Feed
import Moderation
import Synchronization
import Wallet
import Web

/// The promoted posts, from the wallet, for the feed.
final class WalletPromotionAdapter: Promotions {
  private struct CachedOrder {
    let state: PromotionState
    let order: FeedPromotionRotation
  }

  private let kept = Mutex<CachedOrder?>(nil)

  func running(now: Instant, in reader: ReadTransaction) throws -> FeedPromotionRotation {
    let state = try WalletModule.promotionState(now: now, in: reader)
    if state.isEmpty { return .none }
    if let kept = kept.withLock({ $0 }), kept.state == state { return kept.order }
    let order = FeedPromotionRotation(
      try WalletModule.running(now: now, in: reader).map {
        FeedPromotion(post: $0.post.cast(to: Post.self), until: $0.until)
      })
    kept.withLock { $0 = CachedOrder(state: state, order: order) }
    return order
  }

  func ends(
    of posts: [ID<Post>], now: Instant, in reader: ReadTransaction
  ) throws -> [ID<Post>: Instant] {
    let ends = try WalletModule.ends(
      of: posts.map { $0.cast(to: PromotedPost.self) }, now: now, in: reader)
    return Dictionary(uniqueKeysWithValues: ends.map { ($0.key.cast(to: Post.self), $0.value) })
  }
}

/// The promotions of an instance without coins: none, even of posts that were promoted before.
struct NoPromotions: Promotions {
  func running(now: Instant, in reader: ReadTransaction) throws -> FeedPromotionRotation { .none }

  func ends(
    of posts: [ID<Post>], now: Instant, in reader: ReadTransaction
  ) throws -> [ID<Post>: Instant] { [:] }
}

/// Posts for the wallet, from the feed.
struct WalletPostAdapter: PromotablePosts {
  /// The maximum length of a post's title in the wallet, in characters.
  private static let maximumTitleLength = 60

  let promotion: PostPromotion

  func card(
    _ id: ID<PromotedPost>, for viewer: Viewer, in reader: ReadTransaction
  ) throws -> PromotableCard? {
    guard let (post, isOpen) = try promotion.find(id.cast(to: Post.self), for: viewer, in: reader)
    else { return nil }
    return card(post, isOwn: post.couple == viewer.couple?.id, isOpen: isOpen)
  }

  func promotable(
    by viewer: Viewer, limit: Int, in reader: ReadTransaction
  ) throws -> [PromotableCard] {
    try promotion.newestOpen(of: viewer, limit: limit, in: reader).map {
      card($0, isOwn: true, isOpen: true)
    }
  }

  private func card(_ post: Post, isOwn: Bool, isOpen: Bool) -> PromotableCard {
    PromotableCard(
      id: post.id.cast(to: PromotedPost.self), isOwn: isOwn, isOpen: isOpen,
      text: Self.text(post), thumb: promotion.thumb(of: post), createdAt: post.createdAt)
  }

  func texts(
    of ids: [ID<PromotedPost>], for viewer: Viewer, in reader: ReadTransaction
  ) throws -> [ID<PromotedPost>: String] {
    let posts = try promotion.find(ids.map { $0.cast(to: Post.self) }, for: viewer, in: reader)
    return Dictionary(
      posts.map { ($0.id.cast(to: PromotedPost.self), Self.text($0)) }, uniquingKeysWith: { $1 })
  }

  func feedShowsPromotions(in reader: ReadTransaction) throws -> Bool {
    try promotion.isShown(in: reader)
  }

  func countOpen(_ ids: [ID<PromotedPost>], in reader: ReadTransaction) throws -> Int {
    try promotion.countOpen(ids.map { $0.cast(to: Post.self) }, in: reader)
  }

  private static func text(_ post: Post) -> String {
    post.content.asOneLine.excerpt(maximumTitleLength)
  }
}

/// Writes the admins' actions on vouchers to the staff log.
struct VoucherAuditLog: VoucherLog {
  let moderation: ModerationModule

  func note(
    _ action: VoucherAction, _ voucher: Voucher, by viewer: Viewer, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try moderation.noteVouchers(
      ended: action == .ended, batch: voucher.id.bytes,
      details: "\(voucher.count) × \(voucher.coins)", by: viewer, now: now, in: writer)
  }
}
