import Core
import Secrets
import Web

/// `/api/v1/auth/password/reset…`: resetting a password by mail.
struct PasswordAPI {
  private let services: AccountsEnvironment

  init(_ services: AccountsEnvironment) {
    self.services = services
  }

  var routes: [Route] {
    [
      .api(
        .post, "/auth/password/reset", .anyone,
        Operation(
          "Request a password reset link", .signingIn,
          note: "The response is the same whether or not the address has an account.",
          errors: [.rateLimited]),
        options: .withoutViewer, handler: ask),
      .api(
        .post, "/auth/password/reset/confirm", .anyone,
        Operation(
          "Set a new password", .signingIn, note: "Ends all sessions.",
          errors: [.linkExpired, .unavailable]), options: .withoutViewer, handler: confirm),
    ]
  }

  struct Ask: JSONRequest {
    var email = ""

    static let jsonName = "PasswordReset"
    static let jsonFields: [InputField<Self>] = [
      .required("email", bounds: TextFieldLimits.email, example: "mei@example.test") {
        $0.email = $1
      }
    ]
  }

  @Sendable private func ask(_ input: Ask, _ context: Context) throws -> AcceptedEmpty {
    var errors: [String: FieldError] = [:]
    guard let email = AccountRules.address(input.email, field: "email", &errors) else {
      throw Problem.invalid(errors)
    }
    context.note(.resetAsked, of: .email(email))
    try PasswordResetService(services: services).ask(
      email, language: context.language, from: context.address, now: context.now)
    return AcceptedEmpty()
  }

  struct Confirm: JSONRequest {
    var token = ""
    var password = ""

    static let jsonName = "NewPassword"
    static let jsonFields: [InputField<Self>] = [
      .required(
        "token",
        note: "The `token` query parameter of the mailed link; valid for one hour and one use.",
        bounds: TextFieldLimits.token, example: TextFieldLimits.tokenExample
      ) { $0.token = $1 },
      .required(
        "password", note: TextFieldLimits.newPasswordNote, bounds: TextFieldLimits.newPassword,
        example: "lantern river seven"
      ) { $0.password = $1 },
    ]
  }

  @Sendable private func confirm(_ input: Confirm, _ context: Context) throws -> NoContent {
    guard let token = Token(input.token) else { throw Problem(.linkExpired) }
    var errors: [String: FieldError] = [:]
    let saved = try PasswordResetService(services: services).save(
      input.password, by: token, language: context.language, now: context.now, &errors)
    guard errors.isEmpty else { throw Problem.invalid(errors) }
    guard let saved else { throw Problem(.linkExpired) }
    context.note(.resetUsed, of: .person(saved.person))
    return NoContent()
  }
}
