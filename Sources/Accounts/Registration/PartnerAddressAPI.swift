import Core
import Secrets
import Web

/// `/api/v1/auth/register/resend`, `…/partner-email`: mails to the partner who has not completed.
struct PartnerAddressAPI {
  private let services: AccountsEnvironment

  init(_ services: AccountsEnvironment) {
    self.services = services
  }

  var routes: [Route] {
    [
      .registering(
        "/resend", "Send the partner's mail again",
        note: "Sends a new link, valid for 24 hours. If your own link has expired, register again.",
        errors: [.linkExpired, .conflict, .rateLimited], resend),
      .registering(
        "/partner-email", "Correct the partner's address",
        errors: [.linkExpired, .conflict, .rateLimited], correct),
    ]
  }

  struct Resend: JSONRequest {
    var token = ""

    static let jsonName = "Resending"
    static let jsonFields: [InputField<Self>] = [
      .required(
        "completion_token", note: "Valid while the registration is pending.",
        bounds: TextFieldLimits.token, example: TextFieldLimits.tokenExample
      ) { $0.token = $1 }
    ]
  }

  @Sendable private func resend(_ input: Resend, _ context: Context) throws -> AcceptedEmpty {
    let (registration, partner) = try waiting(input.token, context)
    try services.registration.resend(registration, only: partner.number, now: context.now)
    return AcceptedEmpty()
  }

  struct Correct: JSONRequest {
    var token = ""
    var email = ""

    static let jsonName = "PartnerAddress"
    static let jsonFields: [InputField<Self>] = [
      .required(
        "completion_token", note: "Valid while the registration is pending.",
        bounds: TextFieldLimits.token, example: TextFieldLimits.tokenExample
      ) { $0.token = $1 },
      .required("email", bounds: TextFieldLimits.email, example: "jun@example.test") {
        $0.email = $1
      },
    ]
  }

  @Sendable private func correct(_ input: Correct, _ context: Context) throws -> AcceptedEmpty {
    let (registration, partner) = try waiting(input.token, context)
    var errors: [String: FieldError] = [:]
    let email = AccountRules.address(input.email, field: "email", &errors)
    if let email, registration.isOwn(email, butOf: partner.number) {
      errors["email"] = FieldError("error.email_same")
    }
    guard errors.isEmpty, let email else { throw Problem.invalid(errors) }
    try services.registration.correct(
      registration, side: partner.number, email: email, now: context.now)
    return AcceptedEmpty()
  }

  /// The registration of a user who followed their own link, and the partner who has not completed.
  /// Throws 410, and 409 if both have.
  private func waiting(
    _ entered: String, _ context: Context
  ) throws -> (PendingRegistration, PendingRegistration.Side) {
    guard let token = Token(entered),
      let (registration, number) = try services.site.database.read({
        try services.registration.find(.completion(token), now: context.now, in: $0)
      })
    else { throw Problem(.linkExpired) }
    guard let partner = registration.sides.first(where: { $0.number != number }),
      partner.person == nil
    else { throw Problem(.conflict) }
    return (registration, partner)
  }
}
