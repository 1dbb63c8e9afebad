import Core
import Web

/// Limits of a batch of vouchers.
enum VoucherRules {
  static let coins = 1...10_000
  static let count = 1...500
  /// Validity, in days.
  static let days = 1...730
}

/// Reason why a code is rejected; the raw value is the API's name.
enum VoucherError: String, Sendable, CaseIterable {
  case unknown
  case expired
  /// By another user.
  case used
  case usedByYou = "used_by_you"

  /// The error text.
  var error: FieldError {
    switch self {
    case .unknown: FieldError("error.voucher_unknown")
    case .expired: FieldError("error.voucher_expired")
    case .used: FieldError("error.voucher_used")
    case .usedByYou: FieldError("error.voucher_used_by_you")
    }
  }
}

/// A batch of voucher codes.
public struct Voucher: Sendable {
  public let id: ID<Voucher>
  /// Per code.
  public let coins: Int
  public let count: Int
  let used: Int
  let expiresAt: Instant
  let createdAt: Instant
}
