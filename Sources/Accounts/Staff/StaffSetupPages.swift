import Core
import Secrets
import Templates
import Web

/// `/staff/enrol`: the link that `pairspot admin create` printed. It sets a password, if the
/// account is new, and a second factor. Opening it changes nothing; finishing uses it up.
struct StaffSetupPages {
  private let services: AccountsEnvironment
  private let page: Template<StaffSetupView>
  private let codesPage: Template<RecoveryCodesView>
  private let expired: Template<StaticPageView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try services.site.templates.template("staff/enrol")
    codesPage = try services.site.templates.template("accounts/recovery-codes")
    expired = try services.site.templates.template("accounts/verify-expired")
  }

  @Sendable func show(_ context: Context) throws -> Response {
    guard let token = context.request.queryValue("token").flatMap({ Token($0) }),
      let enrolment = try enrolment(token, context)
    else { return linkExpired(context) }
    return try response(token, enrolment, context, errors: [:], status: 200)
  }

  @Sendable func send(_ context: Context) throws -> Response {
    guard let token = Token(context.form["token"]), let enrolment = try enrolment(token, context)
    else { return linkExpired(context) }
    if context.form.has("begin") {
      try services.site.database.write {
        try services.secondFactor.begin(enrolment.person, now: context.now, in: $0)
      }
      return .seeOther(AccountLinks.enrolStaff(token.text))
    }
    var errors: [String: FieldError] = [:]
    let chosen = try enrolment.needsPassword ? account(enrolment, context, &errors) : nil
    if context.form["code"].isEmpty { errors["code"] = .empty("code") }
    guard errors.isEmpty else {
      return try response(token, enrolment, context, errors: errors, status: 422)
    }
    return try finish(token, chosen, context)
  }

  /// The choices for an account that was created by the command.
  private struct Account {
    let name: String
    let passwordHash: String
  }

  private func account(
    _ enrolment: StaffSetup, _ context: Context, _ errors: inout [String: FieldError]
  ) throws -> Account? {
    let name = AccountRules.name(
      context.form["display_name"], limits: AccountRules.displayNameLimits, field: "display_name",
      &errors)
    let address = try services.site.database.read {
      try services.people.address(of: enrolment.person, in: $0)
    }
    let hash = try services.hash(
      context.form["password"], email: address, names: [name], &errors)
    if !context.form.has("accept") { errors["accept"] = FieldError("error.accept") }
    return hash.map { Account(name: name, passwordHash: $0) }
  }

  private func finish(
    _ token: Token, _ chosen: Account?, _ context: Context
  ) throws -> Response {
    enum Result {
      case expired
      case wrongCode(StaffSetup)
      case done(ID<Person>, [RecoveryCode])
    }
    guard let waiting = try enrolment(token, context) else { return linkExpired(context) }
    let set = try services.secondFactor.store.newCodes(for: waiting.person)
    let end: Result = try services.site.database.write { writer in
      // Checks the link again, since it may have been used in the meantime.
      guard
        let enrolment = try services.staff.enrolment(token, now: context.now, in: writer),
        enrolment.person == waiting.person, enrolment.needsPassword == (chosen != nil)
      else { return .expired }
      let person = enrolment.person
      guard
        try services.secondFactor.turnOn(
          person, code: context.form["code"], codes: set, now: context.now, in: writer)
      else { return .wrongCode(enrolment) }
      if let chosen {
        try services.staff.complete(
          person, displayName: chosen.name, passwordHash: chosen.passwordHash,
          termsVersion: services.legal.termsVersion, now: context.now, in: writer)
      }
      try services.sessions.endAll(of: person, in: writer)
      try services.staff.endLinks(of: person, in: writer)
      return .done(person, set.codes)
    }
    switch end {
    case .expired: return linkExpired(context)
    case .wrongCode(let enrolment):
      return try response(
        token, enrolment, context, errors: ["code": FieldError("error.code_wrong")], status: 422)
    case .done(let person, let codes):
      // An existing member must also sign in with the password, since others may have seen the
      // link.
      if chosen != nil { try services.signIn(person, role: .member, context) }
      let view = RecoveryCodesView(
        page: PageView(context, title: "recovery_codes.title"), codes: codes,
        next: AccountLinks.admin)
      return .html(codesPage.render(view, in: context.language))
    }
  }

  // MARK: Helpers

  private func enrolment(_ token: Token, _ context: Context) throws -> StaffSetup? {
    try services.site.database.read {
      try services.staff.enrolment(token, now: context.now, in: $0)
    }
  }

  private func response(
    _ token: Token, _ enrolment: StaffSetup, _ context: Context, errors: [String: FieldError],
    status: Int
  ) throws -> Response {
    let (waiting, address) = try services.site.database.read { reader in
      (
        try services.secondFactor.waiting(enrolment.person, now: context.now, in: reader),
        try services.people.address(of: enrolment.person, in: reader) ?? ""
      )
    }
    let view = StaffSetupView(
      page: PageView(context, title: "staff_setup.title"), token: token.text, address: address,
      needsPassword: enrolment.needsPassword,
      setup: try waiting.map { try SecondFactorSetup(secret: $0.secret, account: address) },
      entered: context.form.entered, errors: errors.texts(context))
    return .html(page.render(view, in: context.language), status: .init(code: status))
  }

  private func linkExpired(_ context: Context) -> Response {
    let view = StaticPageView(page: PageView(context, title: "verify_expired.title"))
    return .html(expired.render(view, in: context.language), status: .gone)
  }
}

struct StaffSetupView: View {
  let page: PageView
  let token: String
  let address: String
  let needsPassword: Bool
  let setup: SecondFactorSetup?
  let entered: FormFields
  let errors: [String: String]

  static let fields: [String: Field<StaffSetupView>] = [
    "page": .child { $0.page },
    "action": .text { _ in AccountLinks.enrolStaff },
    "token": .text { $0.token },
    "address": .text { $0.address },
    "needs_password": .flag { $0.needsPassword },
    "begin": .flag { $0.setup == nil },
    "setup": .optional { $0.setup },
    "display_name": .text { $0.entered["display_name"] },
    "display_name_error": .optionalText { $0.errors["display_name"] },
    "password_error": .optionalText { $0.errors["password"] },
    "accept": .flag { $0.entered.has("accept") },
    "accept_error": .optionalText { $0.errors["accept"] },
    "code_error": .optionalText { $0.errors["code"] },
    "errors": .optional {
      ErrorsView($0.errors, order: ["display_name", "password", "accept", "code"])
    },
  ]
}
