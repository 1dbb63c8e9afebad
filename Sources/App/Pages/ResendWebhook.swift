import Core
import HTTPTypes
import Logging
import Mail
import Web

/// The webhook by which Resend reports bounces (docs/operator/README.md: exempt from CSRF, since it
/// is signed).
struct ResendWebhook: Sendable {
  static let path = "/webhooks/resend"
  /// The maximum size of a body, in bytes; real ones have some hundreds.
  static let bodyLimit = 256 << 10

  let signature: WebhookSignature
  let queue: MailQueue
  let observers: [any DeliveryObserver]
  let logger: Logger

  /// 204 for everything with a valid signature, so that it is not sent again; internal failures are
  /// 5xx, and are sent again.
  @Sendable func take(_ context: Context) throws -> Response {
    let body = try context.request.wholeBody(limit: Self.bodyLimit)
    let isGood = signature.isGood(
      id: context.request.headers[.svixID], timestamp: context.request.headers[.svixTimestamp],
      signatures: context.request.headers[.svixSignature], body: body, now: context.now)
    guard isGood else {
      context.note(.signatureRefused)
      return .text("invalid signature\n", status: .unauthorized)
    }
    switch ResendEvent(body) {
    case nil: return .text("not an event\n", status: .badRequest)
    case .other(let type):
      logger.debug("Resend event “\(type)”")
    case .bounced(let mail, let reason):
      try queue.bounced(mail, reason, now: context.now, observers: observers)
    }
    return .noContent()
  }
}

extension HTTPField.Name {
  fileprivate static func svix(_ part: String) -> HTTPField.Name {
    HTTPField.Name("svix-\(part)") ?? .server
  }

  fileprivate static let svixID = svix("id")
  fileprivate static let svixTimestamp = svix("timestamp")
  fileprivate static let svixSignature = svix("signature")
}
