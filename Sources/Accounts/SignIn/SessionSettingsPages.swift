import Core
import Templates
import Web

/// `/settings/sessions`: where the viewer is signed in, and ending sessions.
struct SessionSettingsPages {
  private let services: AccountsEnvironment
  private let page: Page<SessionSettingsView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("settings/sessions", title: "settings_sessions.title", in: services.site)
  }

  /// Shows the list. `end` is a session's handle or "others", and asks for reauthentication.
  @Sendable func show(_ context: Context) throws -> Response {
    try response(
      context, ending: context.request.queryValue("end"),
      isMailed: context.request.queryValue("mailed") != nil,
      errors: [:], status: 200)
  }

  private func response(
    _ context: Context, ending: String?, isMailed: Bool, errors: [String: FieldError],
    status: Int
  ) throws -> Response {
    let viewer = try context.signedIn()
    let sessions = try services.site.database.read {
      try services.settings.sessions.all(
        of: viewer.id, this: CurrentSession.own(context), now: context.now, in: $0)
    }
    let when = DateFormatting(context)
    let named = sessions.first { $0.handle == ending && !$0.isCurrent }
    let hasPassword = try services.people.passwordHash(of: viewer) != nil
    let view = SessionSettingsView(
      sessions: sessions.map {
        SessionView(
          handle: $0.handle, browser: Self.name($0, context),
          since: when.moment($0.since), seen: when.moment($0.seen), isCurrent: $0.isCurrent)
      },
      ending: named.map { .init(handle: $0.handle, browser: Self.name($0, context)) }
        ?? (ending == "others" && sessions.count > 1 ? .init(handle: nil, browser: "") : nil),
      isGuest: viewer.role == .guest,
      byCode: viewer.role >= .member && (isMailed || !hasPassword),
      errors: errors.texts(context))
    return page.response(view, context, status: .init(code: status))
  }

  /// `session` is the one to end; `others` ends all but the current one. Ending one twice has no
  /// effect.
  @Sendable func end(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let (form, this) = (context.form, CurrentSession.own(context))
    let ending = form.has("others") ? "others" : form["session"]
    let asking = ReauthenticationService(.endSessions, services: services)
    if form.has("mail_code"), viewer.role >= .member {
      try asking.mailCode(context)
      context.flash("toast.code_mailed")
      return .seeOther(AccountLinks.sessionSettings(ending: ending, isMailed: true))
    }
    var errors: [String: FieldError] = [:]
    try asking.checkAny(context, &errors)
    guard errors.isEmpty else {
      return try response(
        context, ending: ending, isMailed: form.has("code"), errors: errors, status: 422)
    }
    let ended = try services.site.database.write { writer in
      form.has("others")
        ? try services.settings.sessions.endOthers(of: viewer.id, butNot: this, in: writer) > 0
        : try services.settings.sessions.end(
          form["session"], of: viewer.id, butNot: this, in: writer)
    }
    if ended { context.note(.sessionsEnded, of: .person(viewer.id)) }
    if ended { context.flash(form.has("others") ? "toast.sessions_ended" : "toast.session_ended") }
    return .seeOther(AccountLinks.sessionSettings)
  }

  /// The readable name of a session's browser or app.
  static func name(_ session: ListedSession, _ context: Context) -> String {
    session.isApp
      ? context.text("settings_sessions.app") : BrowserName(session.browser).description(context)
  }
}

struct SessionSettingsView: FormContent {
  let sessions: [SessionView]
  let ending: EndingSessionView?
  let isGuest: Bool
  let byCode: Bool
  let errors: [String: String]

  static let fields: [String: Field<SessionSettingsView>] =
    formFields(
      errors: ["current_password", "code", "recovery_code"],
      [
        "sessions": .list { $0.sessions },
        "has_others": .flag { $0.sessions.contains { !$0.isCurrent } },
        "action": .text { _ in AccountLinks.sessionSettings },
        "ending": .optional { $0.ending },
        "guest": .flag { $0.isGuest },
        "by_code": .flag { $0.byCode },
        "by_password": .flag { !$0.isGuest && !$0.byCode },
        "code_link": .text { _ in AccountLinks.recoveryCode },
      ])
}

/// The session to end; without a handle, all but the viewer's own.
struct EndingSessionView: View {
  let handle: String?
  let browser: String

  static let fields: [String: Field<EndingSessionView>] = [
    "handle": .optionalText { $0.handle },
    "browser": .text { $0.browser },
  ]
}

struct SessionView: View {
  let handle: String
  let browser: String
  let since: String
  let seen: String
  let isCurrent: Bool

  static let fields: [String: Field<SessionView>] = [
    "handle": .text { $0.handle },
    "browser": .text { $0.browser },
    "since": .text { $0.since },
    "seen": .text { $0.seen },
    "this_one": .flag { $0.isCurrent },
    "end_link": .text { AccountLinks.sessionSettings(ending: $0.handle, isMailed: false) },
  ]
}
