import Core
import Foundation
import Mail
import Secrets
import WebPush

/// A contact's browser that shows notifications. As text, it is the recipient of a channel.
struct PushTarget: Sendable, Equatable {
  let endpoint: String
  /// The browser's keys (RFC 8291), in base64url.
  let p256dh: String
  let auth: String

  init(endpoint: String, p256dh: String, auth: String) {
    self.endpoint = endpoint
    self.p256dh = p256dh
    self.auth = auth
  }

  /// Parses the stored text; nil if it is not one.
  init?(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3 else { return nil }
    self.init(endpoint: parts[0], p256dh: parts[1], auth: parts[2])
    guard keys != nil else { return nil }
  }

  /// The stored text; none of the parts contains spaces.
  var text: String { "\(endpoint) \(p256dh) \(auth)" }

  var keys: PushKeys? {
    guard let point = PushKeys.point(p256dh), let secret = PushKeys.secret(auth) else { return nil }
    return PushKeys(point: point, secret: secret)
  }
}

/// The key and the services with which contacts turn on notifications.
public struct ContactPush: Sendable {
  let publicKey: String
  let services: PushServices
  let resolve: @Sendable (String) -> [String]

  public init(
    publicKey: String, services: PushServices, resolve: @escaping @Sendable (String) -> [String]
  ) {
    self.publicKey = publicKey
    self.services = services
    self.resolve = resolve
  }

  /// Checks what a browser sent; nil unless it belongs to a push service outside. Resolves a name,
  /// which blocks.
  func target(endpoint: String, p256dh: String, auth: String) -> PushTarget? {
    let target = PushTarget(endpoint: endpoint, p256dh: p256dh, auth: auth)
    guard target.keys != nil, let checked = services.endpoint(endpoint),
      !checked.leadsInside(resolve: resolve)
    else { return nil }
    return target
  }
}

/// Sends to contacts' browsers.
public struct PushChannelSender: Sendable {
  /// How long a push service keeps a message for a device that is off, in s.
  static let life: Int64 = .days(1)

  let sender: any PushSender
  let services: PushServices
  let clock: any Clock

  public init(sender: any PushSender, services: PushServices, clock: any Clock) {
    self.sender = sender
    self.services = services
    self.clock = clock
  }

  /// Returns whether the push service took the message over.
  func send(_ message: OutgoingMessage, to target: PushTarget) -> Bool {
    guard let endpoint = services.endpoint(target.endpoint), let keys = target.keys else {
      return false
    }
    let outcome = sender.send(
      PushMessage(
        endpoint: endpoint, keys: keys, content: Content(message).json, life: Self.life,
        urgency: .high, topic: Base64URL.text(message.id.bytes)),
      now: clock.now())
    return outcome == .sent
  }

  /// The payload that the service worker reads (docs/developer/notifications.md).
  private struct Content: Encodable {
    let title: String
    let body: String
    let url: String
    let tag: String
    let lang: String

    init(_ message: OutgoingMessage) {
      title = message.title
      body = message.body
      url = message.path
      tag = message.path
      lang = message.language.rawValue
    }

    /// Strings are always encodable.
    var json: [UInt8] { (try? JSONEncoder().encode(self)).map(Array.init) ?? [] }
  }
}
