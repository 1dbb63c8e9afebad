import Certificates
import Core
import Foundation

/// Why a purchase isn't believed; the raw value is what the API calls it.
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

/// A transaction as Apple tells of it (JWSTransactionDecodedPayload).
struct AppleTransaction: Decodable, Sendable {
  let transactionId: String
  let bundleId: String
  let productId: String
  let environment: String
  let quantity: Int?
  let appAccountToken: String?
  let revocationDate: Int64?
  let signedDate: Int64

  /// Whether Apple had given the money back when it signed this.
  var isRevoked: Bool { revocationDate != nil }
  var signedAt: Instant { Instant(milliseconds: signedDate) }
}

/// Whether Apple has the money of a transaction, or gave it back.
enum ReceiptState: Sendable {
  case refunded
  case paid
}

/// What Apple's server tells ours (responseBodyV2DecodedPayload).
struct AppleNotification: Decodable, Sendable {
  /// What it is about; some are about nothing.
  struct Facts: Decodable, Sendable {
    let bundleId: String?
    let environment: String?
    let signedTransactionInfo: String?
  }

  private static let states: [String: ReceiptState] = [
    "REFUND": .refunded, "REVOKE": .refunded, "REFUND_REVERSED": .paid,
  ]

  let notificationType: String
  /// The same however often it is told.
  let notificationUUID: String?
  let data: Facts?

  /// What it says of its transaction; nil for what is heard and nothing else.
  var state: ReceiptState? { Self.states[notificationType] }
}

/// Reads what Apple signed and judges whether it is meant for us. Nothing here changes anything.
struct ReceiptReader: Sendable {
  /// So many of a pack at once, at most.
  private static let mostAtOnce = 1000
  /// Characters of a transaction's identifier, at most.
  private static let longestID = 64

  let shop: AppStoreSettings

  /// A transaction of our shop, whoever's.
  func transaction(_ text: String) throws(ReceiptError) -> AppleTransaction {
    let transaction = try read(text, as: AppleTransaction.self)
    guard transaction.bundleId == shop.bundle else { throw .bundle }
    guard transaction.environment == shop.environment else { throw .environment }
    guard 1...Self.longestID ~= transaction.transactionId.utf8.count else { throw .malformed }
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

  /// How many coins this person gets for it, unless Apple gave the money back.
  func coins(
    for transaction: AppleTransaction, to person: ID<Person>
  ) throws(ReceiptError) -> Int {
    guard let each = shop.products[transaction.productId] else { throw .product }
    let quantity = transaction.quantity ?? 1
    guard 1...Self.mostAtOnce ~= quantity else { throw .quantity }
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
