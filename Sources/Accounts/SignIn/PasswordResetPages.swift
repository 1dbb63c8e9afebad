import Core
import Secrets
import Templates
import Web

/// `/reset` and `/reset/confirm`: resetting a password by mail. The response is the same whether or
/// not the address is known (docs/developer/sessions-and-tokens.md#signing-in).
struct PasswordResetPages {
  private let services: AccountsEnvironment
  private let ask: Template<PasswordResetView>
  private let sent: Template<StaticPageView>
  private let confirm: Template<ConfirmPasswordResetView>
  private let expired: Template<StaticPageView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    let templates = services.site.templates
    ask = try templates.template("accounts/reset")
    sent = try templates.template("accounts/reset-sent")
    confirm = try templates.template("accounts/reset-confirm")
    expired = try templates.template("accounts/verify-expired")
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
    let view = StaticPageView(page: PageView(context, title: "reset_sent.title"))
    return .html(sent.render(view, in: context.language))
  }

  @Sendable func showConfirm(_ context: Context) throws -> Response {
    guard let token = context.request.queryValue("token").flatMap({ Token($0) }),
      try services.resets.person(token, now: context.now) != nil
    else { return linkExpired(context) }
    return confirming(token, context, errors: [:], status: 200)
  }

  @Sendable func save(_ context: Context) throws -> Response {
    guard let token = Token(context.form["token"]) else { return linkExpired(context) }
    var errors: [String: FieldError] = [:]
    let saved = try PasswordResetService(services: services).save(
      context.form["password"], by: token, language: context.language, now: context.now, &errors)
    guard errors.isEmpty else { return confirming(token, context, errors: errors, status: 422) }
    guard let saved else { return linkExpired(context) }
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
    let view = PasswordResetView(
      page: PageView(context, title: "reset.title"), email: context.form["email"],
      errors: errors.texts(context))
    return .html(ask.render(view, in: context.language), status: .init(code: status))
  }

  private func confirming(
    _ token: Token, _ context: Context, errors: [String: FieldError], status: Int
  ) -> Response {
    let view = ConfirmPasswordResetView(
      page: PageView(context, title: "reset_confirm.title"), token: token.text,
      errors: errors.texts(context))
    return .html(confirm.render(view, in: context.language), status: .init(code: status))
  }

  private func linkExpired(_ context: Context) -> Response {
    let view = StaticPageView(page: PageView(context, title: "verify_expired.title"))
    return .html(expired.render(view, in: context.language), status: .gone)
  }
}

struct PasswordResetView: View {
  let page: PageView
  let email: String
  let errors: [String: String]

  static let fields: [String: Field<PasswordResetView>] = [
    "page": .child { $0.page },
    "email": .text { $0.email },
    "email_error": .optionalText { $0.errors["email"] },
    "errors": .optional { ErrorsView($0.errors, order: ["email"]) },
  ]
}

struct ConfirmPasswordResetView: View {
  let page: PageView
  let token: String
  let errors: [String: String]

  static let fields: [String: Field<ConfirmPasswordResetView>] = [
    "page": .child { $0.page },
    "token": .text { $0.token },
    "password_error": .optionalText { $0.errors["password"] },
    "errors": .optional { ErrorsView($0.errors, order: ["password"]) },
  ]
}
