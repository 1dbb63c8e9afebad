import Basics
import Web
import WebPush

/// `/api/v1/push/…`: which browsers and apps are told while nobody looks (feed.md, "Follow,
/// notices").
struct PushAPI {
  let services: NoticeServices
  let push: PushNeeds

  private let store = PushStore()

  init(services: NoticeServices, push: PushNeeds) {
    self.services = services
    self.push = push
  }

  var routes: [Route] {
    [
      .api(
        .get, "/push/key", .atLeast(.guest),
        Operation(
          "The key to subscribe with", .notices,
          note: "`applicationServerKey` of the Push API (RFC 8292)."), handler: key),
      .api(
        .post, "/push/subscriptions", .atLeast(.guest),
        Operation(
          "Be told by push where you are signed in", .notices,
          note: """
            The browser's own JSON. One for each sign-in: another one takes its place, and it ends \
            with the sign-in. The endpoint is that of a known push service.
            """), options: .noStore, handler: add),
      .api(
        .delete, "/push/subscriptions", .atLeast(.guest),
        Operation("Be told no more", .notices, note: "No error when it isn't there."),
        options: .noStore, handler: remove),
    ]
  }

  @Sendable private func key(_ context: Context) throws -> PushKeyRecord {
    PushKeyRecord(key: push.publicKey)
  }

  @Sendable private func add(_ input: SubscriptionInput, _ context: Context) throws -> Done {
    let viewer = try context.signedIn()
    guard let owner = PushOwner(context) else { throw Problem(.unauthorized, "invalid_token") }
    guard let endpoint = push.services.endpoint(input.endpoint),
      !endpoint.leadsInside(resolve: push.resolve)
    else { throw Problem.invalid(["endpoint": FieldError("api.field_push_endpoint")]) }
    guard let keys = PushKeys(p256dh: input.keys.p256dh, auth: input.keys.auth) else {
      throw Problem.invalid(["keys": FieldError("api.field_push_keys")])
    }
    try services.site.database.write {
      try store.add(
        endpoint, (keys.point, keys.secret), of: viewer.id, owner, now: context.now, in: $0)
    }
    return Done()
  }

  @Sendable private func remove(_ input: EndpointInput, _ context: Context) throws -> Done {
    let viewer = try context.signedIn()
    try services.site.database.write {
      try store.remove(input.endpoint, of: viewer.id, in: $0)
    }
    return Done()
  }
}

/// What pushing needs to know.
struct PushNeeds: Sendable {
  let publicKey: String
  let services: PushServices
  let resolve: @Sendable (String) -> [String]
}

/// A subscription as a browser's `toJSON()` says it.
struct SubscriptionInput: JSONInput {
  var endpoint = ""
  var keys = SubscriptionKeys()

  static let jsonName = "PushSubscription"
  static let jsonFields: [InputField<Self>] = [
    .required("endpoint", example: "https://fcm.googleapis.com/fcm/send/abc") {
      $0.endpoint = $1
    },
    .required("keys") { $0.keys = $1 },
  ]
}

struct SubscriptionKeys: JSONInput {
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

struct EndpointInput: JSONInput {
  var endpoint = ""

  static let jsonName = "PushEndpoint"
  static let jsonFields: [InputField<Self>] = [
    .required("endpoint", example: "https://fcm.googleapis.com/fcm/send/abc") {
      $0.endpoint = $1
    }
  ]
}

struct PushKeyRecord: JSONRecord {
  let key: String

  static let jsonName = "PushKey"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("public_key", note: "65 bytes in base64url.") { $0.key }
  ]
}
