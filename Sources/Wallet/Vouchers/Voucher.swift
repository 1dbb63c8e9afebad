import Core
import Web

/// The bounds of what an admin makes at once.
enum VoucherRules {
  static let coins = 1...10_000
  static let count = 1...500
  /// For how long they work, in days.
  static let days = 1...730
}

/// Why a code brings no coins; the raw value is what the API calls it.
enum VoucherError: String, Sendable, CaseIterable {
  case unknown
  case expired
  /// By somebody else.
  case used
  case usedByYou = "used_by_you"

  /// What to say of it.
  var error: FieldError {
    switch self {
    case .unknown: FieldError("error.voucher_unknown")
    case .expired: FieldError("error.voucher_expired")
    case .used: FieldError("error.voucher_used")
    case .usedByYou: FieldError("error.voucher_used_by_you")
    }
  }
}

/// Codes that were made together.
public struct Voucher: Sendable {
  public let id: ID<Voucher>
  /// Of each code.
  public let coins: Int
  public let count: Int
  let used: Int
  let expiresAt: Instant
  let createdAt: Instant
}
