import Basics
import Templates
import Web

/// `/settings/sessions`: where one is signed in, and ending any of it.
struct SessionSettingsPages {
  private let services: AccountServices
  private let page: Template<SessionSettingsView>

  init(_ services: AccountServices) throws {
    self.services = services
    page = try services.site.templates.template("settings/sessions")
  }

  @Sendable func show(_ request: Request, _ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let sessions = try services.site.database.read {
      try services.settings.sessions.all(
        of: viewer.id, this: OwnSession.own(context), now: context.now, in: $0)
    }
    let when = When(context)
    let view = SessionSettingsView(
      page: PageView(context, title: "settings_sessions.title"),
      sessions: sessions.map {
        SessionView(
          handle: $0.handle, browser: Self.name($0, context),
          since: when.moment($0.since), seen: when.moment($0.seen), isThis: $0.isThis)
      })
    return .html(page.render(view, in: context.language))
  }

  /// `session` names one to end; `others` ends all but this one. What has ended already stays so.
  @Sendable func end(_ request: Request, _ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let (form, this) = (context.form, OwnSession.own(context))
    let ended = try services.site.database.write { writer in
      form.has("others")
        ? try services.settings.sessions.endOthers(of: viewer.id, butNot: this, in: writer) > 0
        : try services.settings.sessions.end(
          form["session"], of: viewer.id, butNot: this, in: writer)
    }
    if ended { context.say(form.has("others") ? "toast.sessions_ended" : "toast.session_ended") }
    return .seeOther(AccountLinks.sessionSettings)
  }

  /// A browser or an app in words.
  static func name(_ session: ListedSession, _ context: Context) -> String {
    session.isApp
      ? context.text("settings_sessions.app") : BrowserName(session.browser).words(context)
  }
}

struct SessionSettingsView: View {
  let page: PageView
  let sessions: [SessionView]

  static let fields: [String: Field<SessionSettingsView>] = [
    "page": .child { $0.page },
    "sessions": .list { $0.sessions },
    "has_others": .flag { $0.sessions.contains { !$0.isThis } },
  ]
}

struct SessionView: View {
  let handle: String
  let browser: String
  let since: String
  let seen: String
  let isThis: Bool

  static let fields: [String: Field<SessionView>] = [
    "handle": .text { $0.handle },
    "browser": .text { $0.browser },
    "since": .text { $0.since },
    "seen": .text { $0.seen },
    "this_one": .flag { $0.isThis },
  ]
}
