import Core
import Database
import Web

/// `/api/v1/notifications` (docs/api/README.md).
struct NoticeAPI {
  private static let list = "notifications"

  let services: NoticesEnvironment

  var routes: [Route] {
    [
      .api(
        .get, "/notifications", .atLeast(.guest),
        Operation("List your notices", .notices, note: "Newest first."), options: .noStore,
        handler: all),
      .api(
        .delete, "/notifications/:id", .atLeast(.guest), Operation("Remove a notice", .notices),
        handler: remove),
      .api(
        .get, "/notifications/settings", .atLeast(.guest),
        Operation("List the kinds of notices that you receive", .notices), options: .noStore,
        handler: settings),
      .api(
        .patch, "/notifications/settings", .atLeast(.guest),
        Operation(
          "Turn a kind of notices on or off", .notices, note: "Omitted fields stay unchanged."),
        options: .noStore, handler: set),
      .api(
        .post, "/notifications/read", .atLeast(.guest),
        Operation(
          "Mark notices as read", .notices,
          note: "Marks that notice and all earlier ones as read. Newer notices stay unread."),
        handler: read),
    ]
  }

  @Sendable private func all(_ query: NoticesQuery, _ context: Context) throws -> NoticesResponse {
    let viewer = try context.signedIn()
    let place = try context.place(of: query.cursor, in: Self.list, Notice.self)
    let (page, unread) = try services.site.database.read { reader in
      (
        try services.store.page(
          of: viewer.id, query.filter, after: place, limit: query.limit, in: reader),
        try NoticeStore.unread(of: viewer.id, in: reader)
      )
    }
    let formatter = NoticeFormatter(catalogues: context.site.catalogues, language: context.language)
    return NoticesResponse(
      notices: page.rows.map {
        NoticeResponse(notice: $0, text: formatter.line($0), baseURL: context.site.baseURL)
      }, unread: unread, next: context.nextCursor(page, in: Self.list))
  }

  @Sendable private func read(_ input: NoticesReadRequest, _ context: Context) throws -> NoContent {
    let viewer = try context.signedIn()
    try services.site.database.write {
      try services.store.markRead(upTo: input.upTo, of: viewer.id, now: context.now, in: $0)
    }
    return NoContent()
  }
}

extension NoticeAPI {
  @Sendable private func remove(_ context: Context) throws -> NoContent {
    let viewer = try context.signedIn()
    let isGone = try services.site.database.write {
      try services.store.remove(try context.id("id", Notice.self), of: viewer.id, in: $0)
    }
    guard isGone else { throw Problem.notFound }
    return NoContent()
  }

  @Sendable private func settings(_ context: Context) throws -> NoticeSettingsResponse {
    let viewer = try context.signedIn()
    return try services.site.database.read { try Self.settings(of: viewer, in: $0) }
  }

  @Sendable private func set(
    _ input: NoticeSettingRequest, _ context: Context
  ) throws -> NoticeSettingsResponse {
    let viewer = try context.signedIn()
    guard viewer.role >= input.kind.minimumRole else { throw Problem.forbidden }
    return try services.site.database.write { writer in
      var preference = try NoticePreferenceStore.preference(
        for: input.kind, of: viewer.id, in: writer)
      preference.onPage = input.onPage ?? preference.onPage
      preference.byPush = input.byPush ?? preference.byPush
      try NoticePreferenceStore.set(preference, for: input.kind, of: viewer.id, in: writer)
      try services.push.reached(viewer.id, context.now, writer)
      return try Self.settings(of: viewer, in: writer)
    }
  }

  private static func settings(
    of viewer: Viewer, in reader: ReadTransaction
  ) throws -> NoticeSettingsResponse {
    let stored = try NoticePreferenceStore.all(of: viewer.id, in: reader)
    return NoticeSettingsResponse(
      settings: NoticeKind.received(by: viewer).map {
        NoticeSettingResponse(kind: $0, preference: stored[$0] ?? NoticePreference())
      })
  }
}

/// The parameters of a list of notices.
struct NoticesQuery: ListRequest {
  var limit = 20
  var cursor: String?
  var unread: Bool?
  var kind: NoticeKind?

  var filter: NoticeFilter { NoticeFilter(isUnread: unread ?? false, kind: kind) }

  static let jsonFields: [InputField<Self>] =
    [
      .optional("unread", note: "True for only those that you have not read.") { $0.unread = $1 },
      .optional("kind", note: "Only notices of this kind.") { $0.kind = $1 },
    ] + listFields()
}

/// Turns a kind of notices on or off.
struct NoticeSettingRequest: JSONRequest {
  var kind = NoticeKind.message
  var onPage: Bool?
  var byPush: Bool?

  static let jsonName = "NotificationSettingChange"
  static let jsonFields: [InputField<Self>] = [
    .required("kind") { $0.kind = $1 },
    .optional("on_page", note: "In the list and its number.") { $0.onPage = $1 },
    .optional("by_push") { $0.byPush = $1 },
  ]
}

/// The setting of a kind of notices.
struct NoticeSettingResponse: JSONResponse {
  let kind: NoticeKind
  let preference: NoticePreference

  static let jsonName = "NotificationSetting"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("kind") { $0.kind },
    JSONField("on_page", note: "In the list and its number.") { $0.preference.onPage },
    JSONField("by_push") { $0.preference.byPush },
  ]
}

/// The settings of all kinds that a user can receive.
struct NoticeSettingsResponse: JSONResponse {
  let settings: [NoticeSettingResponse]

  static let jsonName = "NotificationSettings"
  static let jsonFields: [JSONField<Self>] = [JSONField("settings") { $0.settings }]
}

/// Marks notices as read up to this one.
struct NoticesReadRequest: JSONRequest {
  var upTo = ID<Notice>.random()

  static let jsonName = "NotificationsRead"
  static let jsonFields: [InputField<Self>] = [
    .required("up_to", note: "The `id` of one of your notices.") { $0.upTo = $1 }
  ]
}

extension NoticeKind: JSONEnum {}

/// A notice in the viewer's language.
struct NoticeResponse: JSONResponse {
  let notice: Notice
  let text: String
  let baseURL: String

  static let jsonName = "Notification"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.notice.id },
    JSONField("kind") { $0.notice.kind },
    JSONField("text", note: "In your language.", example: "Ann and 3 others liked your post") {
      $0.text
    },
    JSONField("url", note: "The page that the notice is about.") { $0.baseURL + $0.notice.path },
    JSONField("read") { $0.notice.isRead },
    JSONField("created_at") { $0.notice.createdAt },
  ]
}

/// A page of notices.
struct NoticesResponse: JSONResponse {
  let notices: [NoticeResponse]
  let unread: Int
  let next: String?

  static let jsonName = "Notifications"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("notifications", note: "Newest first.") { $0.notices },
    JSONField("unread", note: "100 means 100 or more.", example: 3) { $0.unread },
    JSONField("next_cursor", note: "For older notices; null on the last page.") { $0.next },
  ]
}
