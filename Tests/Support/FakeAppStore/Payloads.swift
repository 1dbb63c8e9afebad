import Core
import Foundation

/// A purchase in the App Store's JSON format.
public struct FakeTransaction: Sendable {
  public var id: String
  public var product = "coins50"
  public var bundle = "app.pairspot"
  public var environment = "Production"
  public var quantity = 1
  public var person: String?
  public var isRevoked = false
  public var signedAt: Instant

  public init(_ id: String, at moment: Instant) {
    self.id = id
    signedAt = moment
  }

  public var json: String {
    var fields: [String: Any] = [
      "transactionId": id, "originalTransactionId": id, "productId": product,
      "bundleId": bundle, "environment": environment, "quantity": quantity,
      "type": "Consumable", "purchaseDate": signedAt.milliseconds,
      "signedDate": signedAt.milliseconds,
    ]
    if let person { fields["appAccountToken"] = person }
    if isRevoked { fields["revocationDate"] = signedAt.milliseconds }
    return Self.text(fields)
  }

  /// A notification of this kind about it ("REFUND"), a new one unless it has a name. As in Apple's
  /// format, the transaction inside says whether it is revoked.
  public func notification(
    _ kind: String, by apple: FakeAppStore, named name: String = UUID().uuidString.lowercased()
  ) throws -> String {
    var inside = self
    switch kind {
    case "REFUND", "REVOKE": inside.isRevoked = true
    case "REFUND_REVERSED": inside.isRevoked = false
    default: break
    }
    return try apple.sign(
      Self.text([
        "notificationType": kind, "notificationUUID": name,
        "version": "2.0", "signedDate": signedAt.milliseconds,
        "data": [
          "bundleId": bundle, "environment": environment,
          "signedTransactionInfo": try apple.sign(inside.json),
        ],
      ]))
  }

  private static func text(_ fields: [String: Any]) -> String {
    let data = try? JSONSerialization.data(withJSONObject: fields, options: [.sortedKeys])
    return String(decoding: data ?? Data(), as: UTF8.self)
  }
}
