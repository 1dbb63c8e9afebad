import Core
import HTTPTypes
import Templates
import Web

/// `/admin/users/{id}/role`: an admin makes a user a moderator or an admin, or revokes that
/// (docs/developer/moderation.md#roles), after entering the password.
struct StaffRolePages {
  /// The roles to choose from; guests have no password and no second factor.
  private static let roles: [Role] = [.member, .moderator, .admin]

  private let services: AccountsEnvironment
  private let page: Page<StaffRoleView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("staff/role", in: services.site)
  }

  /// The member in the path. Throws 404 for guests and deleted users.
  private func person(_ context: Context) throws -> UserModerationStatus {
    let id = try context.id("id", Person.self)
    let found = try services.site.database.read {
      try ModerationStatuses().person(id, now: context.now, in: $0)
    }
    guard let found, found.role >= .member else { throw Problem.notFound }
    return found
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let person = try person(context)
    return try asking.detour(next: AccountLinks.adminRole(person.id), context)
      ?? show(person, chosen: person.role, [:], context)
  }

  private var asking: ReauthenticationService {
    ReauthenticationService(.changeRole, services: services)
  }

  @Sendable func save(_ context: Context) throws -> Response {
    let (viewer, person) = (try context.signedIn(), try person(context))
    let chosen = Self.roles.first { "\($0)" == context.form["role"] }
    var errors: [String: FieldError] = [:]
    if chosen == nil { errors["role"] = FieldError("admin.role.missing") }
    // Admins cannot change their own role, so one always remains.
    if person.id == viewer.id { errors["role"] = FieldError("admin.role.own") }
    if person.suspension != nil { errors["role"] = FieldError("admin.role.suspended") }
    if errors.isEmpty {
      try asking.check(context, &errors)
    }
    guard let chosen, errors.isEmpty else {
      return show(person, chosen: chosen, errors, context, .unprocessableContent)
    }
    try StaffRoleService(services).assign(chosen, to: person.id, by: viewer, now: context.now)
    context.note(.roleChanged, of: .person(person.id))
    context.flash("toast.saved")
    return .seeOther(AccountLinks.adminPerson(person.id))
  }

  private func show(
    _ person: UserModerationStatus, chosen: Role?, _ errors: [String: FieldError],
    _ context: Context,
    _ status: HTTPResponse.Status = .ok
  ) -> Response {
    let view = StaffRoleView(
      person: person,
      choices: Self.roles.map { role in
        ChoiceView(
          value: "\(role)", name: context.text("admin.status.\(role)"),
          hint: context.text("admin.role.\(role)_hint"), isChosen: role == chosen)
      },
      isConfirmed: asking.isConfirmed(context), errors: errors.texts(context))
    return page.response(view, context, title: .named(person.name), status: status)
  }
}

struct StaffRoleView: FormContent {
  let person: UserModerationStatus
  let choices: [ChoiceView]
  let isConfirmed: Bool
  let errors: [String: String]

  static let fields: [String: Field<StaffRoleView>] =
    formFields(
      errors: ["role", "current_password"],
      [
        "name": .text { $0.person.name },
        "choices": .list { $0.choices },
        "confirmed": .flag { $0.isConfirmed },
        "action": .text { AccountLinks.adminRole($0.person.id) },
        "back_link": .text { AccountLinks.adminPerson($0.person.id) },
      ])
}
