import Core
import Foundation
import Secrets

/// Verifies the signature of a webhook: the scheme of Svix, which Resend signs its webhooks with
/// (docs.svix.com, "Verifying webhooks manually").
public struct WebhookSignature: Sendable {
  /// The maximum difference between the sender's clock and the local one, in s.
  private static let tolerance: Int64 = .minutes(5)
  private static let minimumSecretBytes = 16
  /// While a secret is being replaced, calls have one signature for each.
  private static let maximumSignatures = 10

  private let secret: [UInt8]

  /// Parses "whsec_" and at least 16 bytes of base64; nil for any other text.
  public init?(secret text: String) {
    guard text.hasPrefix("whsec_"),
      let bytes = Data(base64Encoded: String(text.dropFirst("whsec_".count))),
      bytes.count >= Self.minimumSecretBytes
    else { return nil }
    secret = Array(bytes)
  }

  /// `id`, `timestamp` (s since 1970) and `signatures` ("v1,<base64>", separated by spaces) are the
  /// headers `svix-id`, `svix-timestamp` and `svix-signature`; nil if absent.
  public func isGood(
    id: String?, timestamp: String?, signatures: String?, body: [UInt8], now: Instant
  ) -> Bool {
    guard let id, !id.isEmpty, let timestamp, let signatures,
      let seconds = Int64(timestamp), "\(seconds)" == timestamp
    else { return false }
    let (age, overflow) = (now.milliseconds / 1000).subtractingReportingOverflow(seconds)
    guard !overflow, -Self.tolerance...Self.tolerance ~= age else { return false }
    let expected = Digests.hmac(Array("\(id).\(timestamp).".utf8) + body, key: secret)
    return signatures.split(separator: " ").prefix(Self.maximumSignatures).contains { word in
      guard word.hasPrefix("v1,"), let bytes = Data(base64Encoded: String(word.dropFirst(3)))
      else { return false }
      return ConstantTime.equal(Array(bytes), expected)
    }
  }
}
