import Core
import Secrets
import Templates
import Web

/// `/staff/enrol`: the link that `pairspot admin create` printed. It sets a password, if the
/// account is new, and a second factor. Opening it changes nothing; finishing uses it up.
struct StaffSetupPages {
  private let services: AccountsEnvironment
  private let page: Page<StaffSetupView>
  private let codesPage: Page<RecoveryCodesView>
  let link: EmailLinkPage

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("staff/enrol", title: "staff_setup.title", in: services.site)
    codesPage = try Page(
      "accounts/recovery-codes", title: "recovery_codes.title", in: services.site)
    link = try EmailLinkPage(
      expired: "accounts/links/expired", title: "verify_expired.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response? {
    guard let token = context.linkToken,
      let enrolment = try enrolment(token, context)
    else { return nil }
    return try response(token, enrolment, context, errors: [:], status: 200)
  }

  @Sendable func send(_ context: Context) throws -> Response? {
    guard let token = context.linkToken, let enrolment = try enrolment(token, context)
    else { return nil }
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
  ) throws -> Response? {
    enum Result {
      case expired
      case wrongCode(StaffSetup)
      case done(ID<Person>, [RecoveryCode])
    }
    guard let waiting = try enrolment(token, context) else { return nil }
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
      try StaffStore.links.revokeAll(of: person, now: context.now, in: writer)
      return .done(person, set.codes)
    }
    switch end {
    case .expired: return nil
    case .wrongCode(let enrolment):
      return try response(
        token, enrolment, context, errors: ["code": FieldError("error.code_wrong")], status: 422)
    case .done(let person, let codes):
      // An existing member must also sign in with the password, since others may have seen the
      // link.
      if chosen != nil { try services.signIn(person, role: .member, context) }
      let view = RecoveryCodesView(codes: codes, next: AccountLinks.admin)
      return codesPage.response(view, context)
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
      token: token.text, address: address,
      needsPassword: enrolment.needsPassword,
      setup: try waiting.map { try SecondFactorSetup(secret: $0.secret, account: address) },
      entered: context.form.entered, errors: errors.texts(context))
    return page.response(view, context, status: .init(code: status))
  }
}

struct StaffSetupView: FormContent {
  let token: String
  let address: String
  let needsPassword: Bool
  let setup: SecondFactorSetup?
  let entered: FormFields
  let errors: [String: String]

  static let fields: [String: Field<StaffSetupView>] =
    formFields(
      errors: ["display_name", "password", "accept", "code"],
      [
        "action": .text { _ in AccountLinks.enrolStaff },
        "token": .text { $0.token },
        "address": .text { $0.address },
        "needs_password": .flag { $0.needsPassword },
        "begin": .flag { $0.setup == nil },
        "setup": .optional { $0.setup },
        "display_name": .text { $0.entered["display_name"] },
        "accept": .flag { $0.entered.has("accept") },
      ])
}
