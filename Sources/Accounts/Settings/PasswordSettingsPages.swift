import Core
import Secrets
import Templates
import Web

/// `/settings/password`: changes the password; asks for the current one. All other sessions end,
/// and this one gets a new token.
struct PasswordSettingsPages {
  private let services: AccountsEnvironment
  private let page: Page<PasswordSettingsView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("settings/password", title: "settings_password.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    try asking.detour(next: AccountLinks.passwordSettings, context)
      ?? response(context, errors: [:], status: 200)
  }

  private var asking: ReauthenticationService {
    ReauthenticationService(.changePassword, services: services)
  }

  @Sendable func save(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let password = context.form["password"]
    let address = try services.site.database.read {
      try services.settings.store.address(of: viewer.id, in: $0)
    }
    var errors: [String: FieldError] = [:]
    try asking.check(context, &errors)
    let fits = services.accepts(
      password, email: address,
      names: [viewer.avatar.name] + (viewer.couple.map { [$0.name] } ?? []), &errors)
    if fits { try SecondFactorSettingsService(services: services).check(context, &errors) }
    guard errors.isEmpty, fits else { return try response(context, errors: errors, status: 422) }
    let hash = try AccountsEnvironment.mappingBusyTo503 { try services.hasher.hash(password) }
    let token = try change(viewer, to: hash, context)
    context.startSession(token, lifetime: SessionStore.lifetime(viewer.role))
    try services.remember(viewer.id, context)
    context.note(.passwordChanged, of: .person(viewer.id))
    context.flash("toast.password_changed")
    return .seeOther(AccountLinks.passwordSettings)
  }

  private func change(
    _ viewer: Viewer, to hash: String, _ context: Context
  ) throws -> Token {
    try services.site.database.write { writer in
      try services.people.setPassword(hash, of: viewer.id, in: writer)
      // Links may have been requested with the old password.
      try PasswordResetStore.links.revokeAll(of: viewer.id, now: context.now, in: writer)
      try EmailChangeStore.links.revokeAll(of: viewer.id, now: context.now, in: writer)
      // This browser keeps its session with a new token, so that its push subscription stays bound
      // to it.
      var token: Token?
      if case .browser(let own)? = CurrentSession.own(context) {
        token = try services.sessions.renew(own, of: viewer.id, in: writer)
      }
      if token == nil { try services.sessions.endAll(of: viewer.id, in: writer) }
      let recipient = try services.people.recipient(
        viewer.id, language: context.language, in: writer)
      if let recipient {
        try services.mails.passwordWasChanged(to: recipient, now: context.now, in: writer)
      }
      return try token
        ?? services.sessions.start(
          for: viewer.id, role: viewer.role, origin: .other,
          browser: context.request.headers[.userAgent] ?? "", now: context.now, in: writer)
    }
  }

  private func response(
    _ context: Context, errors: [String: FieldError], status: Int
  ) throws -> Response {
    let view = PasswordSettingsView(
      isConfirmed: asking.isConfirmed(context),
      asksForCode: try services.secondFactor.isOn(context.signedIn().id),
      errors: errors.texts(context))
    return page.response(view, context, status: .init(code: status))
  }
}

struct PasswordSettingsView: FormContent {
  let isConfirmed: Bool
  let asksForCode: Bool
  let errors: [String: String]

  static let fields: [String: Field<PasswordSettingsView>] =
    formFields(
      errors: ["current_password", "password", "code"],
      [
        "confirmed": .flag { $0.isConfirmed },
        "second_factor": .flag { $0.asksForCode },
      ])
}
