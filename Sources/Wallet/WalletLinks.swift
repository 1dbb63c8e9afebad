import Core
import Web

/// Paths of these pages; always built here, never written by hand.
public enum WalletLinks {
  public static let wallet = WebLinks.wallet
  static let redeem = "/wallet/redeem"
  /// The posts that can be promoted.
  static let promotable = "/wallet/promote"
  static let vouchers = "/admin/vouchers"

  static func end(_ voucher: ID<Voucher>) -> String { "\(vouchers)/\(voucher)/end" }

  static func vouchers(before voucher: ID<Voucher>) -> String { "\(vouchers)?before=\(voucher)" }

  static func wallet(before number: Int) -> String { "\(wallet)?before=\(number)" }

  public static func promote(_ post: ID<PromotedPost>) -> String { "/posts/\(post)/promote" }
  static func post(_ post: ID<PromotedPost>) -> String { "/posts/\(post)" }
}
