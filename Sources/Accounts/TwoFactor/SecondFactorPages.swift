import Core
import Database
import Secrets
import Templates
import Web

/// `/settings/second-factor`: turning it on and off, and the recovery codes that are left.
struct SecondFactorPages {
  private let services: AccountsEnvironment
  private let page: Page<SecondFactorView>
  private let codesPage: Page<RecoveryCodesView>
  private let askPage: Page<SecondFactorAskView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("accounts/second-factor", title: "second_factor.title", in: services.site)
    codesPage = try Page(
      "accounts/recovery-codes", title: "recovery_codes.title", in: services.site)
    askPage = try Page("accounts/second-factor-ask", in: services.site)
  }

  /// Marks that this browser gave the password for turning it on: the page with the QR code, and
  /// that after a wrong code, ask for the code alone.
  private static let wasAsked = SealedCookie(name: "second-factor-asked", lifetime: .minutes(10))

  private var service: SecondFactorSettingsService {
    SecondFactorSettingsService(services: services)
  }

  // MARK: Status and turning on

  @Sendable func show(_ context: Context) throws -> Response {
    try response(context, isAsked: isAsked(context), errors: [:], status: 200)
  }

  @Sendable func turnOn(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    if context.form.has("begin") {
      let asking = asking(to: .turnSecondFactorOn)
      if let page = try asking.detour(next: AccountLinks.secondFactor, context) { return page }
      let errors = try ask(context)
      guard errors.isEmpty else {
        return try response(context, isAsked: false, errors: errors, status: 422)
      }
      try services.site.database.write {
        try services.secondFactor.begin(viewer.id, now: context.now, in: $0)
      }
      return .seeOther(AccountLinks.secondFactor)
    }
    var errors = try ask(context)
    let isAsked = errors.isEmpty
    let code = context.form["code"]
    if code.isEmpty { errors["code"] = .empty("code") }
    guard errors.isEmpty else {
      return try response(context, isAsked: isAsked, errors: errors, status: 422)
    }
    guard let codes = try service.turnOn(code, context) else {
      return try response(
        context, isAsked: isAsked, errors: ["code": FieldError("error.code_wrong")], status: 422)
    }
    Self.wasAsked.clear(context)
    return show(codes, next: AccountLinks.secondFactor, context)
  }

  /// Asks for the password, unless this browser gave it within the last minutes. Otherwise anyone at
  /// an open browser could lock the owner out permanently.
  private func ask(_ context: Context) throws -> [String: FieldError] {
    if try isAsked(context) { return [:] }
    var errors: [String: FieldError] = [:]
    try asking(to: .turnSecondFactorOn).check(context, &errors)
    if errors.isEmpty { try Self.wasAsked.set("1", for: context.signedIn().id, context) }
    return errors
  }

  private func isAsked(_ context: Context) throws -> Bool {
    try Self.wasAsked.read(for: context.signedIn().id, context) != nil
      || asking(to: .turnSecondFactorOn).isConfirmed(context)
  }

  /// Shows the recovery codes once: they are stored hashed and cannot be shown again.
  private func show(_ codes: [RecoveryCode], next: String, _ context: Context) -> Response {
    let view = RecoveryCodesView(codes: codes, next: next)
    return codesPage.response(view, context)
  }

  // MARK: Turning off and new recovery codes

  @Sendable func askOff(_ context: Context) throws -> Response {
    try asking(to: .turnSecondFactorOff).detour(next: AccountLinks.secondFactorOff, context)
      ?? asking(.off, context, errors: [:], status: 200)
  }

  @Sendable func turnOff(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let errors = try checked(.off, context) { writer in
      try services.secondFactor.turnOff(viewer.id, now: context.now, in: writer)
    }
    if let errors { return try asking(.off, context, errors: errors, status: 422) }
    context.flash("toast.second_factor_off")
    return .seeOther(AccountLinks.secondFactor)
  }

  @Sendable func askCodes(_ context: Context) throws -> Response {
    try asking(to: .renewRecoveryCodes).detour(next: AccountLinks.secondFactorCodes, context)
      ?? asking(.codes, context, errors: [:], status: 200)
  }

  @Sendable func makeCodes(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let set = try services.secondFactor.store.newCodes(for: viewer.id)
    let errors = try checked(.codes, context) { writer in
      try services.secondFactor.renewRecoveryCodes(
        of: viewer.id, with: set, now: context.now, in: writer)
    }
    if let errors { return try asking(.codes, context, errors: errors, status: 422) }
    return show(set.codes, next: AccountLinks.secondFactor, context)
  }

  /// Makes a change in the transaction that uses the code up, if password and code are right;
  /// returns the errors otherwise, or nil.
  private func checked(
    _ change: SecondFactorChange, _ context: Context, _ body: (WriteTransaction) throws -> Void
  ) throws -> [String: FieldError]? {
    let viewer = try context.signedIn()
    try service.allow(change, viewer)
    let code = context.form["code"]
    var errors: [String: FieldError] = [:]
    try asking(to: change.action).check(context, &errors)
    if code.isEmpty { errors["code"] = .empty("code") }
    // Judging a code uses it up, so all else is checked before.
    guard errors.isEmpty else { return errors }
    return try service.change(with: code, context, body)
      ? nil : ["code": FieldError("error.code_wrong")]
  }

  private func asking(to action: ProtectedAction) -> ReauthenticationService {
    ReauthenticationService(action, services: services)
  }

  // MARK: Views

  private func response(
    _ context: Context, isAsked: Bool, errors: [String: FieldError], status: Int
  ) throws -> Response {
    let viewer = try context.signedIn()
    let state = try services.site.database.read { reader in
      (
        isOn: try services.secondFactor.store.isOn(viewer.id, in: reader),
        waiting: try services.secondFactor.waiting(viewer.id, now: context.now, in: reader),
        left: try services.secondFactor.store.recoveryCodesLeft(viewer.id, in: reader),
        address: try services.people.address(of: viewer.id, in: reader),
        passkeys: try services.passkeys.count(of: viewer.id, in: reader)
      )
    }
    let setup = try state.waiting.map {
      try SecondFactorSetup(secret: $0.secret, account: state.address ?? viewer.avatar.name)
    }
    let view = SecondFactorView(
      isOn: state.isOn,
      isStaff: try services.staff.isStaff(viewer.id), hasPasskey: state.passkeys > 0, setup: setup,
      isAsked: isAsked, hasPassword: try services.people.passwordHash(of: viewer) != nil,
      codesLeft: state.left,
      errors: errors.texts(context))
    return page.response(view, context, status: .init(code: status))
  }

  private func asking(
    _ change: SecondFactorChange, _ context: Context, errors: [String: FieldError], status: Int
  ) throws -> Response {
    try service.allow(change, try context.signedIn())
    let view = SecondFactorAskView(
      change: change, isConfirmed: asking(to: change.action).isConfirmed(context),
      errors: errors.texts(context))
    return askPage.response(
      view, context,
      title: .key(change == .off ? "second_factor_off.title" : "second_factor_codes.title"),
      status: .init(code: status))
  }
}
