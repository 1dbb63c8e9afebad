import Certificates
import Core
import Web

/// A wallet with a page of its lines.
struct WalletResponse: JSONResponse {
  let balance: Int
  let lines: [LedgerEntryResponse]
  let nextCursor: String?

  static let jsonName = "Wallet"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("balance", note: "Whole coins; never negative.", example: 115) { $0.balance },
    JSONField("transactions", note: "Newest first.") { $0.lines },
    JSONField("next_cursor", note: "For older transactions; null on the last page.") {
      $0.nextCursor
    },
  ]
}

extension CoinReason: JSONEnum {}

/// A line of a wallet.
struct LedgerEntryResponse: JSONResponse {
  private let line: LedgerEntry

  init(_ line: LedgerEntry) { self.line = line }

  static let jsonName = "CoinTransaction"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.line.id },
    JSONField("type") { $0.line.reason },
    JSONField(
      "amount", note: "Negative for debits. A positive `refund` is one that Apple reversed.",
      example: -30
    ) { $0.line.amount },
    JSONField("balance_after", example: 115) { $0.line.balanceAfter },
    JSONField("reference_id", note: "The promoted post, or null.") { $0.line.post },
    JSONField("created_at") { $0.line.createdAt },
  ]
}

/// Result of redeeming a purchase or voucher.
struct RedeemResponse: JSONResponse {
  let credit: RedeemResult

  static let jsonName = "Credit"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("balance", example: 165) { $0.credit.balance },
    JSONField("credited", note: "0 if it was already credited.", example: 50) {
      $0.credit.credited
    },
  ]
}

/// Result of a promotion.
struct PromotedResponse: JSONResponse {
  let promoted: Promoted

  static let jsonName = "Promotion"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("success", note: "Always.", example: true) { _ in true },
    JSONField("balance", example: 85) { $0.promoted.balance },
    JSONField("promoted_until") { $0.promoted.until },
  ]
}

/// Acknowledges a notification of Apple's server.
struct AcknowledgementResponse: JSONResponse {
  static let jsonName = "Heard"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("heard", note: "Always.", example: true) { _ in true }
  ]
}

/// A purchase as received by the app; both names mean the same.
struct SignedTransaction: JSONRequest {
  var camel: String?
  var snake: String?

  /// Limit of data signed by Apple.
  static let statement = FieldLimits(bytes: X5CSignedJWS.maximumBytes)

  static let jsonFields: [InputField<Self>] = [
    .optional(
      "signedTransaction", limits: statement,
      note: "StoreKit's `jwsRepresentation`. This or `signed_transaction` is required.",
      example: "eyJhbGciOiJFUzI1NiIsIng1YyI6…"
    ) { $0.camel = $1 },
    .optional("signed_transaction", limits: statement, note: "Alternative name of this field.") {
      $0.snake = $1
    },
  ]
}

/// The body of a notification of Apple's server.
struct SignedNotification: JSONRequest {
  var payload = ""

  static let jsonFields: [InputField<Self>] = [
    .required(
      "signedPayload", limits: SignedTransaction.statement, note: "The payload signed by Apple."
    ) {
      $0.payload = $1
    }
  ]
}

/// A code as typed.
struct VoucherRequest: JSONRequest {
  var code = ""

  static let jsonName = "VoucherCode"
  static let jsonFields: [InputField<Self>] = [
    .required(
      "code", note: "Case, spaces and hyphens are ignored.",
      example: "ABCD-2345-JKLM-6789"
    ) { $0.code = $1 }
  ]
}

/// An entry of the price list.
struct PromotionRequest: JSONRequest {
  var coins = 0
  var days = 0

  static let jsonName = "PromotionWish"
  static let jsonFields: [InputField<Self>] = [
    .required("coins", example: 30) { $0.coins = $1 },
    .required("days", note: "Must be a combination from the price list.", example: 3) {
      $0.days = $1
    },
  ]
}
