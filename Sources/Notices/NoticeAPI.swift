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
        .post, "/notifications/read", .atLeast(.guest),
        Operation(
          "Mark notices as read", .notices,
          note: "Marks that notice and all earlier ones as read. Newer notices stay unread."),
        handler: read),
    ]
  }

  @Sendable private func all(_ query: ListQuery, _ context: Context) throws -> NoticesResponse {
    let viewer = try context.signedIn()
    let place = try context.place(of: query.cursor, in: Self.list, Notice.self)
    let (page, unread) = try services.site.database.read { reader in
      (
        try services.store.page(of: viewer.id, after: place, limit: query.limit, in: reader),
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
