import Certificates
import Core
import Foundation

/// Reason why a purchase is rejected; the raw value is the API's name.
enum ReceiptError: String, Error, Sendable, CaseIterable {
  case notConfigured = "not_configured"
  case malformed
  case algorithm
  case wrongRoot = "wrong_root"
  case chain
  case missingMarker = "missing_marker"
  case notValidThen = "not_valid_at_signing"
  case signature
  case bundle
  case environment
  case product
  case quantity
  case otherPerson = "other_person"
  case revoked

  init(_ problem: X5CSignedJWSError) {
    self =
      switch problem {
      case .malformed, .undated: .malformed
      case .algorithm: .algorithm
      case .signature: .signature
      case .certificate(.wrongRoot): .wrongRoot
      case .certificate(.missingMarker): .missingMarker
      case .certificate(.notValidThen): .notValidThen
      case .certificate: .chain
      }
  }
}

/// A transaction as signed by Apple (JWSTransactionDecodedPayload).
struct AppleTransaction: Decodable, Sendable {
  let transactionId: String
  let bundleId: String
  let productId: String
  let environment: String
  let quantity: Int?
  let appAccountToken: String?
  let revocationDate: Int64?
  let signedDate: Int64

  /// Whether Apple had refunded it at the time of signing.
  var isRevoked: Bool { revocationDate != nil }
  var signedAt: Instant { Instant(milliseconds: signedDate) }
}

/// Whether a transaction is paid or refunded.
enum ReceiptState: Sendable {
  case refunded
  case paid
}

/// A server notification of Apple (responseBodyV2DecodedPayload).
struct AppleNotification: Decodable, Sendable {
  /// The notification's data; absent in some types.
  struct Facts: Decodable, Sendable {
    let bundleId: String?
    let environment: String?
    let signedTransactionInfo: String?
  }

  private static let states: [String: ReceiptState] = [
    "REFUND": .refunded, "REVOKE": .refunded, "REFUND_REVERSED": .paid,
  ]

  let notificationType: String
  /// Identifies the notification; equal for repeated deliveries.
  let notificationUUID: String?
  let data: Facts?

  /// New state of its transaction; nil for types that are only acknowledged.
  var state: ReceiptState? { Self.states[notificationType] }
}

/// Parses and verifies data signed by Apple for this app. Changes nothing.
struct ReceiptReader: Sendable {
  /// Maximum quantity of a pack per purchase.
  private static let maximumQuantity = 1000
  /// Maximum length of a transaction's identifier, in bytes.
  private static let maximumIDLength = 64

  let shop: AppStoreSettings

  /// A transaction of this app, of any user.
  func transaction(_ text: String) throws(ReceiptError) -> AppleTransaction {
    let transaction = try read(text, as: AppleTransaction.self)
    guard transaction.bundleId == shop.bundle else { throw .bundle }
    guard transaction.environment == shop.environment else { throw .environment }
    guard 1...Self.maximumIDLength ~= transaction.transactionId.utf8.count else { throw .malformed }
    return transaction
  }

  func notification(_ text: String) throws(ReceiptError) -> AppleNotification {
    let notification = try read(text, as: AppleNotification.self)
    guard notification.data?.bundleId ?? shop.bundle == shop.bundle else { throw .bundle }
    guard notification.data?.environment ?? shop.environment == shop.environment else {
      throw .environment
    }
    return notification
  }

  /// Number of coins that this user gets for it, unless it was refunded.
  func coins(
    for transaction: AppleTransaction, to person: ID<Person>
  ) throws(ReceiptError) -> Int {
    guard let each = shop.products[transaction.productId] else { throw .product }
    let quantity = transaction.quantity ?? 1
    guard 1...Self.maximumQuantity ~= quantity else { throw .quantity }
    if let token = transaction.appAccountToken, ID<Person>(token) != person {
      throw .otherPerson
    }
    return each * quantity
  }

  private func read<Payload: Decodable>(
    _ text: String, as: Payload.Type
  ) throws(ReceiptError) -> Payload {
    let payload: [UInt8]
    do throws(X5CSignedJWSError) {
      payload = try X5CSignedJWS(text, root: shop.root, markers: .appStore).payload
    } catch {
      throw ReceiptError(error)
    }
    guard let found = try? JSONDecoder().decode(Payload.self, from: Data(payload)) else {
      throw .malformed
    }
    return found
  }
}
