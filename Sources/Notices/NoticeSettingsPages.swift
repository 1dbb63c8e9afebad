import Accounts
import Core
import Templates
import Web

/// `/settings/notifications`: which kinds the user receives, in the list and by push.
struct NoticeSettingsPages {
  private let services: NoticesEnvironment
  private let page: Page<NoticeSettingsView>

  init(_ services: NoticesEnvironment) throws {
    self.services = services
    page = try Page("notices/settings", title: "notice_settings.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let (preferences, isPushed) = try services.site.database.read { reader in
      (
        try NoticePreferenceStore.all(of: viewer.id, in: reader),
        try PushOwner(context).map { try PushStore().isOn($0, in: reader) } ?? false
      )
    }
    let view = NoticeSettingsView(
      kinds: NoticeKind.received(by: viewer).map { kind in
        NoticePreferenceView(
          kind: kind, name: context.text("notice_settings.\(kind.rawValue)"),
          preference: preferences[kind] ?? NoticePreference(),
          // Guests get no mail.
          isMailed: kind == .checkIn && viewer.role >= .member)
      }, pushKey: services.push.publicKey, isPushed: isPushed)
    return page.response(view, context)
  }

  /// Browsers don't send unchecked boxes.
  @Sendable func save(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let (onPage, byPush) = (Set(context.form.all("on_page")), Set(context.form.all("by_push")))
    try services.site.database.write { writer in
      for kind in NoticeKind.received(by: viewer) {
        let preference = NoticePreference(
          onPage: onPage.contains(kind.rawValue), byPush: byPush.contains(kind.rawValue))
        try NoticePreferenceStore.set(preference, for: kind, of: viewer.id, in: writer)
      }
      try services.push.reached(viewer.id, context.now, writer)
    }
    context.flash("toast.saved")
    return .seeOther(NoticesLinks.settings)
  }
}

struct NoticeSettingsView: View {
  let kinds: [NoticePreferenceView]
  let pushKey: String
  /// Whether this browser has a push subscription.
  let isPushed: Bool

  static let fields: [String: Field<NoticeSettingsView>] = [
    "kinds": .list { $0.kinds },
    "push_key": .text { $0.pushKey },
    "pushed": .flag { $0.isPushed },
    "action": .text { _ in NoticesLinks.settings },
    "settings_link": .text { _ in AccountLinks.settings },
  ]
}

struct NoticePreferenceView: View {
  let kind: NoticeKind
  let name: String
  let preference: NoticePreference
  /// Whether mails of this kind have a settings page of their own.
  let isMailed: Bool

  static let fields: [String: Field<NoticePreferenceView>] = [
    "mail_link": .optionalText { $0.isMailed ? NoticesLinks.checkInSettings : nil },
    "kind": .text { $0.kind.rawValue },
    "name": .text { $0.name },
    "on_page": .flag { $0.preference.onPage },
    "by_push": .flag { $0.preference.byPush },
  ]
}
