import Core
import Database
import Secrets
import Web
import WebPush

/// Type of the identifier of a push subscription.
enum PushSubscription {}

/// The sign-in that owns a subscription.
enum PushOwner {
  case browser(Token)
  case app(ID<TokenFamily>)

  /// The sign-in of a request; nil if there is none.
  init?(_ context: Context) {
    if let family = context.tokenFamily {
      self = .app(family)
    } else if let token = context.cookies["session"].flatMap({ Token($0) }) {
      self = .browser(token)
    } else {
      return nil
    }
  }

  fileprivate var session: [UInt8]? {
    if case .browser(let token) = self { token.sha256 } else { nil }
  }

  fileprivate var family: ID<TokenFamily>? {
    if case .app(let family) = self { family } else { nil }
  }
}

/// Push subscriptions of browsers and apps.
struct PushStore: Sendable {
  /// Maximum number per user; the oldest is deleted first.
  static let maximumCount = 20

  /// Each sign-in has one subscription, and each endpoint belongs to its latest subscriber: a
  /// browser with a new user notifies that user only.
  func add(
    _ endpoint: PushEndpoint, _ keys: (point: [UInt8], secret: [UInt8]), of person: ID<Person>,
    _ owner: PushOwner, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      DELETE FROM push_subscriptions WHERE endpoint = \(endpoint.address)
        OR session_hash = \(owner.session) OR family_id = \(owner.family)
      """)
    try writer.execute(
      """
      INSERT INTO push_subscriptions
        (id, user_id, session_hash, family_id, endpoint, host, point, secret, created_at)
      VALUES (\(ID<PushSubscription>(now: now)), \(person), \(owner.session), \(owner.family),
        \(endpoint.address), \(endpoint.service), \(keys.point), \(keys.secret), \(now))
      """)
    try writer.execute(
      """
      DELETE FROM push_subscriptions WHERE user_id = \(person) AND id NOT IN (
        SELECT id FROM push_subscriptions WHERE user_id = \(person) ORDER BY id DESC
        LIMIT \(Self.maximumCount))
      """)
  }

  func remove(_ endpoint: String, of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute(
      "DELETE FROM push_subscriptions WHERE endpoint = \(endpoint) AND user_id = \(person)")
  }

  /// Whether the sign-in of a request has a subscription.
  func isOn(_ owner: PushOwner, in reader: ReadTransaction) throws -> Bool {
    try reader.exists(
      """
      SELECT 1 FROM push_subscriptions WHERE session_hash = \(owner.session)
        OR family_id = \(owner.family)
      """)
  }

  func all(of person: ID<Person>, in reader: ReadTransaction) throws -> [ID<PushSubscription>] {
    try reader.values("SELECT id FROM push_subscriptions WHERE user_id = \(person)")
  }
}
