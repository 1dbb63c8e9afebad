import Core
import HTTPClient

/// One message for one browser.
public struct PushMessage: Sendable {
  /// The urgency, which decides how soon a phone wakes for it (RFC 8030, section 5.3).
  public enum Urgency: String, Sendable {
    case low
    case normal
    case high
  }

  public let endpoint: PushEndpoint
  public let keys: PushKeys
  /// The content, which the service worker reads.
  public let content: [UInt8]
  /// How long the service keeps it for an offline phone, in s.
  public let life: Int64
  public let urgency: Urgency
  /// A later message with the same topic replaces an undelivered one; up to 32 characters of
  /// base64url.
  public let topic: String

  public init(
    endpoint: PushEndpoint, keys: PushKeys, content: [UInt8], life: Int64, urgency: Urgency,
    topic: String
  ) {
    self.endpoint = endpoint
    self.keys = keys
    self.content = content
    self.life = life
    self.urgency = urgency
    self.topic = topic
  }
}

/// The result of a push.
public enum PushOutcome: Sendable, Equatable {
  case sent
  /// The browser has unsubscribed: the endpoint must not be used again (404, 410).
  case gone
  /// Try again later, after `after` s if the service sets that.
  case later(after: Int64?, because: String)
  /// The service rejects this one for good.
  case refused(Int)
}

/// Sends pushes to their services.
public protocol PushSender: Sendable {
  func send(_ message: PushMessage, now: Instant) -> PushOutcome
}

/// Sends over the network, each push to the addresses that its host had when it was checked.
public struct WebPushSender: PushSender {
  private let key: VapidKey
  private let subject: String
  private let timeout: Double

  /// `subject` is the operator's contact address for push services; `timeout` in s.
  public init(key: VapidKey, subject: String, timeout: Double = 10) {
    self.key = key
    self.subject = subject
    self.timeout = timeout
  }

  public func send(_ message: PushMessage, now: Instant) -> PushOutcome {
    guard let addresses = message.endpoint.addresses() else {
      return .later(after: nil, because: "no public address")
    }
    do {
      let call = HTTPCall(
        "POST", message.endpoint.address,
        headers: [
          ("Content-Type", "application/octet-stream"), ("Content-Encoding", "aes128gcm"),
          ("TTL", String(message.life)), ("Urgency", message.urgency.rawValue),
          ("Topic", message.topic),
          (
            "Authorization",
            try key.authorization(
              origin: message.endpoint.origin, subject: subject, now: now)
          ),
        ], body: try PushEncryption.seal(message.content, for: message.keys))
      let client = HTTPClient(timeout: timeout, bodyLimit: 1 << 16, addresses: addresses)
      return Self.outcome(of: try client.send(call))
    } catch {
      return .later(after: nil, because: "\(error)")
    }
  }

  static func outcome(of answer: HTTPAnswer) -> PushOutcome {
    switch answer.status {
    case 200..<300: .sent
    case 404, 410: .gone
    case 429, 500...599:
      .later(after: answer.retryAfter, because: "it answers \(answer.status)")
    default: .refused(answer.status)
    }
  }
}
