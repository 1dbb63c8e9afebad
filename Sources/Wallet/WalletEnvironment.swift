import Core
import Database
import Web

/// What the parts of this module share.
struct WalletEnvironment: Sendable {
  let site: AppEnvironment
  let limits: RateLimitStore
  let settings: WalletSettings
  let posts: any PromotablePosts
  let log: any VoucherLog
  let wallets = WalletStore()
  let receipts = ReceiptStore()
  let vouchers = VoucherStore()
  let promotions = PromotionStore()
  let answers = FormReplayStore()
}

/// A post as its couple may promote it.
public struct PromotableCard: Sendable {
  public let id: ID<PromotedPost>
  /// Whether it is of the viewer's couple.
  public let isOwn: Bool
  /// Whether everybody may see it, as things stand.
  public let isOpen: Bool
  public let words: String
  /// The address of its first picture, as a small square.
  public let thumb: String?
  public let createdAt: Instant

  public init(
    id: ID<PromotedPost>, isOwn: Bool, isOpen: Bool, words: String, thumb: String?,
    createdAt: Instant
  ) {
    self.id = id
    self.isOwn = isOwn
    self.isOpen = isOpen
    self.words = words
    self.thumb = thumb
    self.createdAt = createdAt
  }
}

/// What this module asks of the one that keeps posts, which it doesn't know
/// (docs/developer/architecture.md#modules).
public protocol PromotablePosts: Sendable {
  /// A post that this viewer sees; nil for all others.
  func card(
    _ id: ID<PromotedPost>, for viewer: Viewer, in reader: ReadTransaction
  ) throws -> PromotableCard?

  /// The newest posts of the viewer's couple that everybody may see, at most `limit`.
  func promotable(
    by viewer: Viewer, limit: Int, in reader: ReadTransaction
  ) throws -> [PromotableCard]

  /// The first words of those of these posts that this viewer sees, in one question for all.
  func words(
    of ids: [ID<PromotedPost>], for viewer: Viewer, in reader: ReadTransaction
  ) throws -> [ID<PromotedPost>: String]

  /// How many of these posts everybody may see, as things stand.
  func countOpen(_ ids: [ID<PromotedPost>], in reader: ReadTransaction) throws -> Int
}

/// What an admin did with vouchers, for the log of staff.
public enum VoucherAction: Sendable {
  case made
  case ended
}

/// Where that is noted, in the transaction that does it.
public protocol VoucherLog: Sendable {
  func note(
    _ action: VoucherAction, _ voucher: Voucher, by viewer: Viewer, now: Instant,
    in writer: WriteTransaction
  ) throws
}
