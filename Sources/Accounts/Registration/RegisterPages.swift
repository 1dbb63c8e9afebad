import Core
import Secrets
import Templates
import Web

/// `/register` and `/register/alone`: the first step, which does not reveal whether an address is
/// known (docs/developer/accounts.md#registering-a-couple).
struct RegisterPages {
  private let services: AccountsEnvironment
  private let couplePage: Template<RegisterView>
  private let alonePage: Template<RegisterAloneView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    couplePage = try services.site.templates.template("accounts/register")
    alonePage = try services.site.templates.template("accounts/register-alone")
  }

  @Sendable func showCouple(_ context: Context) -> Response {
    couple(context, errors: [:], status: 200)
  }

  @Sendable func registerCouple(_ context: Context) throws -> Response {
    let form = context.form
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

  @Sendable func showAlone(_ context: Context) -> Response {
    alone(context, errors: [:], status: 200)
  }

  @Sendable func registerAlone(_ context: Context) throws -> Response {
    let form = context.form
    do {
      try SignUpService(services: services).alone(
        name: form["display_name"], email: form["email"], password: form["password"],
        accepts: form.has("accept"), by: services.registrant(context), now: context.now)
    } catch let wrong as ValidationError {
      return alone(context, errors: wrong.errors, status: 422)
    }
    return .seeOther(AccountLinks.waiting)
  }

  // MARK: Views

  private func couple(
    _ context: Context, errors: [String: FieldError], status: Int
  ) -> Response {
    let view = RegisterView(
      page: PageView(context, title: "register.title"), entered: context.form.entered,
      errors: errors.texts(context))
    return .html(couplePage.render(view, in: context.language), status: .init(code: status))
  }

  private func alone(
    _ context: Context, errors: [String: FieldError], status: Int
  ) -> Response {
    let view = RegisterAloneView(
      page: PageView(context, title: "register_alone.title"), entered: context.form.entered,
      errors: errors.texts(context))
    return .html(alonePage.render(view, in: context.language), status: .init(code: status))
  }
}

struct RegisterView: View {
  let page: PageView
  let entered: FormFields
  let errors: [String: String]

  static let fields: [String: Field<RegisterView>] = [
    "page": .child { $0.page },
    "errors": .optional {
      ErrorsView(
        $0.errors, order: ["email_a", "email_b", "couple_name", "anniversary", "accept"])
    },
    "email_a": .text { $0.entered["email_a"] },
    "email_a_error": .optionalText { $0.errors["email_a"] },
    "email_b": .text { $0.entered["email_b"] },
    "email_b_error": .optionalText { $0.errors["email_b"] },
    "couple_name": .text { $0.entered["couple_name"] },
    "couple_name_error": .optionalText { $0.errors["couple_name"] },
    "anniversary": .text { $0.entered["anniversary"] },
    "anniversary_error": .optionalText { $0.errors["anniversary"] },
    "accept": .flag { $0.entered.has("accept") },
    "accept_error": .optionalText { $0.errors["accept"] },
  ]
}

struct RegisterAloneView: View {
  let page: PageView
  let entered: FormFields
  let errors: [String: String]

  static let fields: [String: Field<RegisterAloneView>] = [
    "page": .child { $0.page },
    "errors": .optional {
      ErrorsView($0.errors, order: ["display_name", "email", "password", "accept"])
    },
    "display_name": .text { $0.entered["display_name"] },
    "display_name_error": .optionalText { $0.errors["display_name"] },
    "email": .text { $0.entered["email"] },
    "email_error": .optionalText { $0.errors["email"] },
    "password_error": .optionalText { $0.errors["password"] },
    "accept": .flag { $0.entered.has("accept") },
    "accept_error": .optionalText { $0.errors["accept"] },
  ]
}
