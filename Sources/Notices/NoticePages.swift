import Core
import Database
import Templates
import Web

/// `/notifications`: notices by day, newest first.
struct NoticePages {
  private static let list = "notices"

  private let services: NoticesEnvironment
  private let page: Page<NoticesView>

  init(_ services: NoticesEnvironment) throws {
    self.services = services
    page = try Page("notices/notices", title: "notices.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let place = try context.place(
      of: context.request.queryValue("after"), in: Self.list, Notice.self)
    let filter = NoticeFilter(isUnread: context.request.queryValue("unread") == "1")
    let (notices, unread, isPushed) = try services.site.database.read { reader in
      (
        try services.store.page(
          of: viewer.id, filter, after: place, limit: NoticeRules.pageSize, in: reader),
        try NoticeStore.unread(of: viewer.id, in: reader),
        try PushOwner(context).map { try PushStore().isOn($0, in: reader) } ?? false
      )
    }
    let view = NoticesView(
      days: NoticeDayView.days(notices.rows, context), isFirstPage: place == nil,
      isUnread: filter.isUnread,
      newest: unread > 0 ? notices.rows.first?.id : nil,
      older: context.nextCursor(notices, in: Self.list).map {
        NoticesLinks.older($0, isUnread: filter.isUnread)
      },
      pushKey: services.push.publicKey, isPushed: isPushed,
      isPushDismissed: context.cookies.value(named: "push-dismissed") != nil)
    return page.response(view, context)
  }

  /// Marks all notices up to the newest one on the page as read; later ones stay unread.
  @Sendable func markRead(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    guard let id = ID<Notice>(context.form["up_to"]) else { throw Problem.notFound }
    try services.site.database.write {
      try services.store.markRead(upTo: id, of: viewer.id, now: context.now, in: $0)
    }
    context.flash("toast.notices_read")
    return .seeOther(context.next(NoticesLinks.notices))
  }

  /// Removes one of the viewer's notices; one that is gone already is no error.
  @Sendable func remove(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    guard let id = ID<Notice>(context.form["notice"]) else { throw Problem.notFound }
    _ = try services.site.database.write { try services.store.remove(id, of: viewer.id, in: $0) }
    context.flash("toast.notice_removed")
    return .seeOther(context.next(NoticesLinks.notices))
  }

  /// Redirects to the subject of a notice and marks only this notice as read. A deleted notice, or
  /// one replaced under a new id because it has new actors, redirects to the list.
  @Sendable func open(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let id = try context.id("id", Notice.self)
    let found = try services.site.database.read {
      try services.store.find(id, of: viewer.id, in: $0)
    }
    guard let found else { return .seeOther(NoticesLinks.notices) }
    if !found.isRead {
      try services.site.database.write {
        try services.store.markRead(id, of: viewer.id, now: context.now, in: $0)
      }
    }
    return .seeOther(found.path)
  }
}
