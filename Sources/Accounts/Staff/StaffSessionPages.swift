import Core
import HTTPTypes
import Templates
import Web

/// `/admin/users/{id}/sessions`: an admin ends all sessions of a user, in browsers and apps, after
/// entering the password.
struct StaffSessionPages {
  private let services: AccountsEnvironment
  private let page: Page<StaffSessionView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("staff/sessions", in: services.site)
  }

  /// The user in the path. Throws 404 for deleted users, and for the viewer, who uses the settings
  /// instead.
  private func person(_ context: Context) throws -> UserModerationStatus {
    let id = try context.id("id", Person.self)
    let found = try services.site.database.read {
      try ModerationStatuses().person(id, now: context.now, in: $0)
    }
    guard let found, found.id != context.viewer?.id else { throw Problem.notFound }
    return found
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let person = try person(context)
    return try asking.detour(next: AccountLinks.adminSessions(person.id), context)
      ?? show(person, [:], context)
  }

  private var asking: ReauthenticationService {
    ReauthenticationService(.endSessions, services: services)
  }

  @Sendable func end(_ context: Context) throws -> Response {
    let (viewer, person) = (try context.signedIn(), try person(context))
    var errors: [String: FieldError] = [:]
    try asking.check(context, &errors)
    guard errors.isEmpty else {
      return try show(person, errors, context, .unprocessableContent)
    }
    try StaffRoleService(services).endSessions(of: person.id, by: viewer, now: context.now)
    context.note(.sessionsEnded, of: .person(person.id))
    context.flash("toast.sessions_ended_of")
    return .seeOther(AccountLinks.adminPerson(person.id))
  }

  private func show(
    _ person: UserModerationStatus, _ errors: [String: FieldError], _ context: Context,
    _ status: HTTPResponse.Status = .ok
  ) throws -> Response {
    let count = try services.site.database.read {
      try services.settings.sessions.count(of: person.id, now: context.now, in: $0)
    }
    let view = StaffSessionView(
      person: person,
      count: context.text("admin.sessions.count", count: count),
      isConfirmed: asking.isConfirmed(context), errors: errors.texts(context))
    return page.response(view, context, title: .named(person.name), status: status)
  }
}

struct StaffSessionView: FormContent {
  let person: UserModerationStatus
  let count: String
  let isConfirmed: Bool
  let errors: [String: String]

  static let fields: [String: Field<StaffSessionView>] = formFields(
    errors: ["current_password"],
    [
      "name": .text { $0.person.name },
      "count": .text { $0.count },
      "confirmed": .flag { $0.isConfirmed },
      "action": .text { AccountLinks.adminSessions($0.person.id) },
      "back_link": .text { AccountLinks.adminPerson($0.person.id) },
    ])
}
