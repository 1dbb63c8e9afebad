import Core
import Foundation
import HTTPClient
import Mail
import Secrets

/// A webhook of the operator, and the recipient that it is to reach.
struct ChannelWebhook: Sendable, Equatable {
  let url: String
  /// The key of the signature.
  let secret: [UInt8]
  /// The number or name that the user entered.
  let recipient: String

  static let secretPrefix = "whsec_"

  /// Parses a secret: `whsec_` and 24 to 64 bytes in Base64 (https://www.standardwebhooks.com).
  static func secret(_ text: String) -> [UInt8]? {
    guard text.hasPrefix(secretPrefix),
      let bytes = Data(base64Encoded: String(text.dropFirst(secretPrefix.count))),
      24...64 ~= bytes.count
    else { return nil }
    return Array(bytes)
  }
}

/// Sends to webhooks of the operator, signed as Standard Webhooks
/// (https://www.standardwebhooks.com), with a JSON body (docs/operator/channels.md#webhooks).
struct WebhookSender: Sendable {
  /// The time that one call may take, in s.
  static let timeout: Double = 10

  let clock: any Clock

  /// Returns whether the webhook answered with 2xx.
  func send(_ message: OutgoingMessage, to webhook: ChannelWebhook) -> Bool {
    let call = Self.call(message, webhook, now: clock.now())
    let answer = try? HTTPClient(timeout: Self.timeout).send(call)
    return answer.map { 200..<300 ~= $0.status } ?? false
  }

  /// The signed request of a message. A repeated one has the same `webhook-id`.
  static func call(
    _ message: OutgoingMessage, _ webhook: ChannelWebhook, now: Instant
  ) -> HTTPCall {
    let body = Body(
      timestamp: now.rfc3339,
      data: Body.Content(to: webhook.recipient, title: message.title, text: message.body)
    ).json
    let id = message.id.description
    let seconds = String(now.milliseconds / 1000)
    let signature = Digests.hmac(Array("\(id).\(seconds).".utf8) + body, key: webhook.secret)
    return HTTPCall(
      "POST", webhook.url,
      headers: [
        ("Content-Type", "application/json"), ("webhook-id", id), ("webhook-timestamp", seconds),
        ("webhook-signature", "v1,\(Data(signature).base64EncodedString())"),
      ], body: body)
  }

  private struct Body: Encodable {
    struct Content: Encodable {
      let to: String
      let title: String
      let text: String
    }

    let type = "contact.message"
    let timestamp: String
    let data: Content

    /// Strings are always encodable.
    var json: [UInt8] { (try? JSONEncoder().encode(self)).map(Array.init) ?? [] }
  }
}
