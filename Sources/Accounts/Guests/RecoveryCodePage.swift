import Core
import Templates
import Web

/// `/settings/recovery-code`: a guest's code, shown once when it is new.
struct RecoveryCodePage {
  private let services: AccountsEnvironment
  private let page: Page<RecoveryCodeView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("accounts/recovery-code", title: "recovery_code.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    try response(context, errors: [:], status: 200)
  }

  private func response(
    _ context: Context, errors: [String: FieldError], status: Int
  ) throws -> Response {
    let guest = try guest(context)
    let code = GuestCreator.newCode.read(for: guest.id, context)
    // The code is shown once; after a reload the page only has the date of the code.
    GuestCreator.newCode.clear(context)
    let view = RecoveryCodeView(
      code: code,
      since: try services.guests.codeMade(of: guest).map { DateFormatting(context).moment($0) },
      errors: errors.texts(context))
    return page.response(view, context, status: .init(code: status))
  }

  /// Asks for the old code, or for a confirmation that it is lost: without a code and an address, a
  /// guest has no proof other than the open session.
  @Sendable func renew(_ context: Context) throws -> Response {
    let guest = try guest(context)
    var errors: [String: FieldError] = [:]
    if !context.form.has("lost") {
      try ReauthenticationService(.renewRecoveryCodes, services: services).checkGuest(
        context, &errors)
    }
    guard errors.isEmpty else { return try response(context, errors: errors, status: 422) }
    let code = GuestCode.random()
    let hashed = try services.guests.hashed(code)
    try services.site.database.write {
      try services.guests.setCode(hashed, of: guest.id, now: context.now, in: $0)
    }
    try GuestCreator.newCode.set(code.text, for: guest.id, context)
    return .seeOther(AccountLinks.recoveryCode)
  }

  /// The viewer if a guest. Throws 404 for members, who have an address instead.
  private func guest(_ context: Context) throws -> Viewer {
    let viewer = try context.signedIn()
    guard viewer.role == .guest else { throw Problem.notFound }
    return viewer
  }
}

struct RecoveryCodeView: FormContent {
  let code: String?
  let since: String?
  let errors: [String: String]

  static let fields: [String: Field<RecoveryCodeView>] = formFields(
    errors: ["recovery_code"],
    [
      "code": .optionalText { $0.code },
      "since": .optionalText { $0.since },
      "action": .text { _ in AccountLinks.recoveryCode },
      "member_link": .text { _ in AccountLinks.becomeMember },
    ])
}
