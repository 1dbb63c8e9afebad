import Basics
import Database
import Feed
import Moderation
import Wallet
import Web

/// Which posts the wallet says are promoted: what the feed asks.
struct FeedPromotions: Promotions {
  func running(now: Instant, in reader: Reader) throws -> [FeedPromotion] {
    try WalletModule.running(now: now, in: reader).map {
      FeedPromotion(post: $0.post.cast(to: Post.self), until: $0.until)
    }
  }
}

/// Posts as the wallet asks for them.
struct WalletPosts: PromotablePosts {
  /// Characters of a post's words that its name in a wallet has, at most.
  private static let mostWords = 60

  let promotion: PostPromotion

  func card(
    _ id: ID<PromotedPost>, for viewer: Viewer, in reader: Reader
  ) throws -> PromotableCard? {
    guard let (post, isOpen) = try promotion.find(id.cast(to: Post.self), for: viewer, in: reader)
    else { return nil }
    return PromotableCard(
      id: id, isOwn: post.couple == viewer.couple?.id, isOpen: isOpen,
      words: post.content.asOneLine.excerpt(Self.mostWords),
      thumb: promotion.thumb(of: post), createdAt: post.createdAt)
  }
}

/// What admins do with vouchers, in the log of staff.
struct VoucherNotes: VoucherLog {
  let moderation: ModerationModule

  func note(
    _ action: VoucherAction, by viewer: Viewer, now: Instant, in writer: Writer
  ) throws {
    switch action {
    case .made(let count, let coins):
      try moderation.noteVouchers(made: "\(count) × \(coins)", by: viewer, now: now, in: writer)
    case .ended:
      try moderation.noteVouchers(made: nil, by: viewer, now: now, in: writer)
    }
  }
}
