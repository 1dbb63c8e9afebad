import Core
import Database
import Web
import WebPush

/// `/api/v1/push/…`: push subscriptions of browsers and apps (docs/developer/notifications.md).
struct PushAPI {
  /// Resolving a host name blocks a thread until the answer comes.
  private static let rateLimit = RateLimit("push-subscriptions", maximum: 30, window: .hours(1))

  let services: NoticesEnvironment
  let push: PushDependencies

  private let store = PushStore()

  init(services: NoticesEnvironment, push: PushDependencies) {
    self.services = services
    self.push = push
  }

  var routes: [Route] {
    [
      .api(
        .get, "/push/key", .atLeast(.guest),
        Operation(
          "Get the key for push subscriptions", .notices,
          note: "`applicationServerKey` of the Push API (RFC 8292)."), handler: key),
      .api(
        .post, "/push/subscriptions", .atLeast(.guest),
        Operation(
          "Add a push subscription", .notices,
          note: """
            Takes the browser's subscription as JSON. Each session has one subscription: a new one \
            replaces it, and it is removed when the session ends. The endpoint must belong to a \
            known push service. A `renewal` is 409 unless the session has a subscription: another \
            user may be signed in by now.
            """, errors: [.conflict]), options: .noStore, handler: add),
      .api(
        .delete, "/push/subscriptions", .atLeast(.guest),
        Operation("Remove a push subscription", .notices, note: "No error if it does not exist."),
        options: .noStore, handler: remove),
    ]
  }

  @Sendable private func key(_ context: Context) throws -> PushKeyResponse {
    PushKeyResponse(key: push.publicKey)
  }

  @Sendable private func add(_ input: SubscriptionRequest, _ context: Context) throws -> NoContent {
    let viewer = try context.signedIn()
    guard let owner = PushOwner(context) else { throw Problem(.unauthorized, "invalid_token") }
    try services.limits.count(Self.rateLimit, viewer.id.description, now: context.now)
    let (endpoint, keys) = try check(input)
    try services.site.database.write {
      // The subscription goes with its sign-in, so the old one was of this user only if it is there.
      if input.isRenewal, try !store.isOn(owner, in: $0) { throw Problem(.conflict) }
      try store.add(
        endpoint, (keys.point, keys.secret), of: viewer.id, owner, now: context.now, in: $0)
      try push.reached(viewer.id, context.now, $0)
    }
    return NoContent()
  }

  /// Validates all fields. Resolving the host name blocks, so it comes last.
  private func check(_ input: SubscriptionRequest) throws -> (PushEndpoint, PushKeys) {
    var errors: [String: FieldError] = [:]
    var endpoint: PushEndpoint?
    do throws(PushEndpointError) {
      endpoint = try push.services.read(input.endpoint)
    } catch {
      errors["endpoint"] = FieldError(error.text)
    }
    let point = PushKeys.point(input.keys.p256dh)
    if point == nil { errors["keys.p256dh"] = FieldError("api.field_push_point") }
    let secret = PushKeys.secret(input.keys.auth)
    if secret == nil { errors["keys.auth"] = FieldError("api.field_push_auth") }
    if let endpoint, errors.isEmpty, endpoint.leadsInside(resolve: push.resolve) {
      errors["endpoint"] = FieldError("api.field_push_inside")
    }
    guard let endpoint, let point, let secret, errors.isEmpty,
      let keys = PushKeys(point: point, secret: secret)
    else { throw Problem.invalid(errors) }
    return (endpoint, keys)
  }

  @Sendable private func remove(_ input: EndpointRequest, _ context: Context) throws -> NoContent {
    let viewer = try context.signedIn()
    try services.site.database.write {
      try store.remove(input.endpoint, of: viewer.id, in: $0)
    }
    return NoContent()
  }
}

extension PushEndpointError {
  fileprivate var text: String {
    switch self {
    case .long: "api.field_push_long"
    case .address: "api.field_push_address"
    case .https: "api.field_push_https"
    case .endpoint: "api.field_push_endpoint"
    }
  }
}

/// Dependencies of push.
struct PushDependencies: Sendable {
  let publicKey: String
  let services: PushServices
  let resolve: @Sendable (String) -> [String]
  /// Called when a user becomes reachable by push.
  let reached: @Sendable (ID<Person>, Instant, WriteTransaction) throws -> Void
}

/// A subscription in the format of a browser's `toJSON()`.
struct SubscriptionRequest: JSONRequest {
  var endpoint = ""
  var keys = SubscriptionKeys()
  /// Whether the browser made it by itself, in place of an old one.
  var isRenewal = false

  static let jsonName = "PushSubscription"
  static let jsonFields: [InputField<Self>] = [
    .required("endpoint", example: "https://fcm.googleapis.com/fcm/send/abc") {
      $0.endpoint = $1
    },
    .required("keys") { $0.keys = $1 },
    .optional(
      "renewal", note: "Whether the browser has replaced the session's subscription by itself.",
      example: false
    ) { $0.isRenewal = $1 },
  ]
}

struct SubscriptionKeys: JSONRequest {
  var p256dh = ""
  var auth = ""

  static let jsonName = "PushSubscriptionKeys"
  static let jsonFields: [InputField<Self>] = [
    .required(
      "p256dh", note: "A point on P-256, 65 bytes in base64url.",
      example:
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    ) { $0.p256dh = $1 },
    .required("auth", note: "16 bytes in base64url.", example: "BTBZMqHH6r4Tts7J_aSIgg") {
      $0.auth = $1
    },
  ]
}

struct EndpointRequest: JSONRequest {
  var endpoint = ""

  static let jsonName = "PushEndpoint"
  static let jsonFields: [InputField<Self>] = [
    .required("endpoint", example: "https://fcm.googleapis.com/fcm/send/abc") {
      $0.endpoint = $1
    }
  ]
}

struct PushKeyResponse: JSONResponse {
  let key: String

  static let jsonName = "PushKey"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("public_key", note: "65 bytes in base64url.") { $0.key }
  ]
}
