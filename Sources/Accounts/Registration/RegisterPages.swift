import Core
import Secrets
import Templates
import Web

/// `/register` and `/register/alone`: the first step, which does not reveal whether an address is
/// known (docs/developer/accounts.md#registering-a-couple).
struct RegisterPages {
  private let services: AccountsEnvironment
  private let couplePage: Page<RegisterView>
  private let alonePage: Page<RegisterAloneView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    couplePage = try Page("accounts/register", title: "register.title", in: services.site)
    alonePage = try Page(
      "accounts/register-alone", title: "register_alone.title", in: services.site)
  }

  /// Shows the form. An invitation in the address is kept in a cookie, so that all forms have it.
  @Sendable func showCouple(_ context: Context) throws -> Response {
    if let invitation = context.request.queryValue("invitation") {
      let access = services.registrationAccess
      try access.require(invitation, now: context.now)
      // Where registration is open, any text is let through to here.
      if access.isValid(invitation, now: context.now) {
        context.setCookie(
          RegistrationAccess.cookie, invitation, maxAge: RegistrationAccess.cookieLifetime)
      }
      return .seeOther(AccountLinks.register)
    }
    try services.registrationAccess.require(context.invitation, now: context.now)
    return couple(context, errors: [:], status: 200)
  }

  @Sendable func registerCouple(_ context: Context) throws -> Response {
    let form = context.form
    if let corrected = EmailSuggestions.used(by: form, in: RegisterView.addresses) {
      return couple(context, corrected, errors: [:], status: 200)
    }
    let checked: CoupleRegistration
    do throws(CoupleRegistration.InvalidFields) {
      checked = try CoupleRegistration(
        emailA: form["email_a"], emailB: form["email_b"], coupleName: form["couple_name"],
        anniversary: form["anniversary"], accepts: form.has("accept"), now: context.now)
    } catch {
      return couple(context, errors: error.errors, status: 422)
    }
    try SignUpService(services: services).couple(
      checked, by: services.registrant(context), now: context.now)
    return .seeOther(AccountLinks.waiting)
  }

  @Sendable func showAlone(_ context: Context) throws -> Response {
    try services.registrationAccess.require(context.invitation, now: context.now)
    return alone(context, errors: [:], status: 200)
  }

  @Sendable func registerAlone(_ context: Context) throws -> Response {
    let form = context.form
    if let corrected = EmailSuggestions.used(by: form, in: RegisterAloneView.addresses) {
      return alone(context, corrected, errors: [:], status: 200)
    }
    do {
      try SignUpService(services: services).alone(
        name: form["display_name"], email: form["email"],
        password: form.has("passkey") ? nil : form["password"],
        accepts: form.has("accept"), by: services.registrant(context), now: context.now)
    } catch let wrong as ValidationError {
      return alone(context, errors: wrong.errors, status: 422)
    }
    return .seeOther(AccountLinks.waiting)
  }

  // MARK: Views

  private func couple(
    _ context: Context, _ corrected: FormFields? = nil, errors: [String: FieldError], status: Int
  ) -> Response {
    let view = RegisterView(
      entered: corrected ?? context.form.entered, providers: services.providerButtons(),
      suggestions: EmailSuggestions.all(errors), errors: errors.texts(context))
    return couplePage.response(view, context, status: .init(code: status))
  }

  private func alone(
    _ context: Context, _ corrected: FormFields? = nil, errors: [String: FieldError], status: Int
  ) -> Response {
    let view = RegisterAloneView(
      entered: corrected ?? context.form.entered, providers: services.providerButtons(),
      suggestions: EmailSuggestions.all(errors), errors: errors.texts(context))
    return alonePage.response(view, context, status: .init(code: status))
  }
}

struct RegisterView: FormContent {
  static let addresses = ["email_a", "email_b"]

  let entered: FormFields
  let providers: [ProviderButtonView]
  let suggestions: [String: String]
  let errors: [String: String]

  static let fields: [String: Field<RegisterView>] =
    formFields(
      errors: ["email_a", "email_b", "couple_name", "anniversary", "accept"],
      [
        "has_providers": .flag { !$0.providers.isEmpty },
        "providers": .list { $0.providers },
        "email_a_suggestion": .optional { EmailSuggestionView($0.suggestions, "email_a") },
        "email_b_suggestion": .optional { EmailSuggestionView($0.suggestions, "email_b") },
        "email_a": .text { $0.entered["email_a"] },
        "email_b": .text { $0.entered["email_b"] },
        "couple_name": .text { $0.entered["couple_name"] },
        "anniversary": .text { $0.entered["anniversary"] },
        "accept": .flag { $0.entered.has("accept") },
      ])
}

struct RegisterAloneView: FormContent {
  static let addresses = ["email"]

  let entered: FormFields
  let providers: [ProviderButtonView]
  let suggestions: [String: String]
  let errors: [String: String]

  static let fields: [String: Field<RegisterAloneView>] =
    formFields(
      errors: ["display_name", "email", "password", "accept"],
      [
        "has_providers": .flag { !$0.providers.isEmpty },
        "providers": .list { $0.providers },
        "display_name": .text { $0.entered["display_name"] },
        "email_suggestion": .optional { EmailSuggestionView($0.suggestions, "email") },
        "email": .text { $0.entered["email"] },
        "accept": .flag { $0.entered.has("accept") },
      ])
}
