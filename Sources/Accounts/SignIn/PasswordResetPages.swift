import Core
import Secrets
import Templates
import Web

/// `/reset` and `/reset/confirm`: resetting a password by mail. The response is the same whether or
/// not the address is known (docs/developer/sessions-and-tokens.md#signing-in).
struct PasswordResetPages {
  private let services: AccountsEnvironment
  private let ask: Page<PasswordResetView>
  private let sent: Page<EmptyContent>
  private let confirm: Page<ConfirmPasswordResetView>
  let link: EmailLinkPage

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    ask = try Page("accounts/reset", title: "reset.title", in: services.site)
    sent = try Page("accounts/reset-sent", title: "reset_sent.title", in: services.site)
    confirm = try Page("accounts/reset-confirm", title: "reset_confirm.title", in: services.site)
    link = try EmailLinkPage(
      expired: "accounts/links/expired", title: "verify_expired.title", in: services.site)
  }

  @Sendable func show(_ context: Context) -> Response {
    asking(context, errors: [:], status: 200)
  }

  @Sendable func send(_ context: Context) throws -> Response {
    var errors: [String: FieldError] = [:]
    guard let email = AccountRules.address(context.form["email"], field: "email", &errors) else {
      return asking(context, errors: errors, status: 422)
    }
    context.note(.resetAsked, of: .email(email))
    try PasswordResetService(services: services).ask(
      email, language: context.language, from: context.address, now: context.now)
    return sent.response(EmptyContent(), context)
  }

  @Sendable func showConfirm(_ context: Context) throws -> Response? {
    guard let token = context.linkToken,
      try services.site.database.read({
        try PasswordResetStore.person(token, now: context.now, in: $0)
      }) != nil
    else { return nil }
    return confirming(token, context, errors: [:], status: 200)
  }

  @Sendable func save(_ context: Context) throws -> Response? {
    guard let token = context.linkToken else { return nil }
    var errors: [String: FieldError] = [:]
    let saved = try PasswordResetService(services: services).save(
      context.form["password"], by: token, language: context.language, now: context.now, &errors)
    guard errors.isEmpty else { return confirming(token, context, errors: errors, status: 422) }
    guard let saved else { return nil }
    context.note(.resetUsed, of: .person(saved.person))
    // The user can read the account's mail: failures elsewhere must not lock this browser out.
    TrustedDeviceCookie.remember(saved.person, passwordHash: saved.hash, context)
    context.flash("toast.password_saved")
    return .seeOther(AccountLinks.signIn)
  }

  // MARK: Views

  private func asking(
    _ context: Context, errors: [String: FieldError], status: Int
  ) -> Response {
    let view = PasswordResetView(email: context.form["email"], errors: errors.texts(context))
    return ask.response(view, context, status: .init(code: status))
  }

  private func confirming(
    _ token: Token, _ context: Context, errors: [String: FieldError], status: Int
  ) -> Response {
    let view = ConfirmPasswordResetView(token: token.text, errors: errors.texts(context))
    return confirm.response(view, context, status: .init(code: status))
  }
}

struct PasswordResetView: FormContent {
  let email: String
  let errors: [String: String]

  static let fields: [String: Field<PasswordResetView>] = formFields(
    errors: ["email"],
    [
      "email": .text { $0.email }
    ])
}

struct ConfirmPasswordResetView: FormContent {
  let token: String
  let errors: [String: String]

  static let fields: [String: Field<ConfirmPasswordResetView>] = formFields(
    errors: ["password"],
    [
      "token": .text { $0.token }
    ])
}
