import Core
import Secrets
import Web

/// `/api/v1/account/sessions`: where the viewer is signed in.
struct SessionAPI {
  private let services: AccountsEnvironment

  init(_ services: AccountsEnvironment) {
    self.services = services
  }

  var routes: [Route] {
    [
      .api(
        .get, "/account/sessions", .atLeast(.guest),
        Operation(
          "List your sessions", .account,
          note: "Browsers and apps; the current session comes first."),
        options: .noStore, handler: list),
      .api(
        .delete, "/account/sessions/:session", .atLeast(.guest),
        Operation(
          "End a session", .account, note: "To end the current session, sign out.",
          errors: [.conflict], path: ["session": "The `id` from the list."]), handler: end),
    ]
  }

  struct SessionsResponse: JSONResponse {
    let sessions: [SessionResponse]

    static let jsonName = "Sessions"
    static let jsonFields: [JSONField<Self>] = [JSONField("sessions") { $0.sessions }]
  }

  struct SessionResponse: JSONResponse {
    let session: ListedSession
    let name: String

    static let jsonName = "Session"
    static let jsonFields: [JSONField<Self>] = [
      JSONField("id", note: "Cannot be used to authenticate.") { $0.session.handle },
      JSONField("name", note: "In your language.", example: "Firefox on Linux") { $0.name },
      JSONField("is_app", example: false) { $0.session.isApp },
      JSONField("created_at") { $0.session.since },
      JSONField("last_seen_at") { $0.session.seen },
      JSONField("current") { $0.session.isCurrent },
    ]
  }

  @Sendable private func list(_ context: Context) throws -> SessionsResponse {
    SessionsResponse(
      sessions: try all(context).map {
        SessionResponse(session: $0, name: SessionSettingsPages.name($0, context))
      })
  }

  @Sendable private func end(_ context: Context) throws -> NoContent {
    let handle = context.parameters["session"] ?? ""
    let found = try all(context).first { $0.handle == handle }
    guard let found else { throw Problem.notFound }
    if found.isCurrent { throw Problem(.conflict) }
    let person = try context.signedIn().id
    let ended = try services.site.database.write {
      try services.settings.sessions.end(
        handle, of: person, butNot: CurrentSession.own(context), in: $0)
    }
    guard ended else { throw Problem.notFound }
    return NoContent()
  }

  private func all(_ context: Context) throws -> [ListedSession] {
    let person = try context.signedIn().id
    return try services.site.database.read {
      try services.settings.sessions.all(
        of: person, this: CurrentSession.own(context), now: context.now, in: $0)
    }
  }
}

extension CurrentSession {
  /// The session of a request, by access token or cookie.
  static func own(_ context: Context) -> CurrentSession? {
    context.tokenFamily.map(CurrentSession.app)
      ?? context.cookies["session"].flatMap { Token($0) }.map(CurrentSession.browser)
  }
}
