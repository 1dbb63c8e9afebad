import Core
import Database
import Web

/// Dependencies shared by the parts of this module.
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

/// A post, with the facts needed for a promotion.
public struct PromotableCard: Sendable {
  public let id: ID<PromotedPost>
  /// Whether it belongs to the viewer's couple.
  public let isOwn: Bool
  /// Whether it is visible to everyone now.
  public let isOpen: Bool
  public let text: String
  /// URL of its first picture, as a small square.
  public let thumb: String?
  public let createdAt: Instant

  public init(
    id: ID<PromotedPost>, isOwn: Bool, isOpen: Bool, text: String, thumb: String?,
    createdAt: Instant
  ) {
    self.id = id
    self.isOwn = isOwn
    self.isOpen = isOpen
    self.text = text
    self.thumb = thumb
    self.createdAt = createdAt
  }
}

/// Access to posts, implemented with Feed, on which this module does not depend
/// (docs/developer/architecture.md#modules).
public protocol PromotablePosts: Sendable {
  /// A post visible to this viewer; nil for all others.
  func card(
    _ id: ID<PromotedPost>, for viewer: Viewer, in reader: ReadTransaction
  ) throws -> PromotableCard?

  /// The newest posts of the viewer's couple that are visible to everyone, at most `limit`.
  func promotable(
    by viewer: Viewer, limit: Int, in reader: ReadTransaction
  ) throws -> [PromotableCard]

  /// The beginnings of the texts of those of these posts that this viewer sees, in one query.
  func texts(
    of ids: [ID<PromotedPost>], for viewer: Viewer, in reader: ReadTransaction
  ) throws -> [ID<PromotedPost>: String]

  /// Whether enough posts are visible to everyone that feeds show promotions.
  func feedShowsPromotions(in reader: ReadTransaction) throws -> Bool

  /// Number of these posts that are visible to everyone now.
  func countOpen(_ ids: [ID<PromotedPost>], in reader: ReadTransaction) throws -> Int
}

/// An admin's action on vouchers, for the audit log.
public enum VoucherAction: Sendable {
  case made
  case ended
}

/// Writes to the audit log, in the transaction of the action.
public protocol VoucherLog: Sendable {
  func note(
    _ action: VoucherAction, _ voucher: Voucher, by viewer: Viewer, now: Instant,
    in writer: WriteTransaction
  ) throws
}
