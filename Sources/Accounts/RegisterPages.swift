import Basics
import Secrets
import Templates
import Web

/// `/register` and `/register/alone`: the first step, which tells nobody whether an address is
/// known (accounts.md, "Registering a couple").
struct RegisterPages {
  private let services: AccountServices
  private let couplePage: Template<RegisterView>
  private let alonePage: Template<RegisterAloneView>

  init(_ services: AccountServices) throws {
    self.services = services
    couplePage = try services.site.templates.template("accounts/register")
    alonePage = try services.site.templates.template("accounts/register-alone")
  }

  @Sendable func showCouple(_ request: Request, _ context: Context) -> Response {
    couple(context, errors: [:], status: 200)
  }

  @Sendable func registerCouple(_ request: Request, _ context: Context) throws -> Response {
    let form = context.form
    let checked: CoupleRegistration
    do throws(CoupleRegistration.Wrong) {
      checked = try CoupleRegistration(
        emailA: form["email_a"], emailB: form["email_b"], coupleName: form["couple_name"],
        anniversary: form["anniversary"], accepts: form.has("accept"), now: context.now)
    } catch {
      return couple(context, errors: error.errors, status: 422)
    }
    try services.limits.count(
      RegistrationService.perAddress, context.address, now: context.now)
    let sides = [(1, checked.emailA), (2, checked.emailB)]
    try services.registration.begin(
      pending(
        .couple, context, sides: sides, coupleName: checked.coupleName,
        anniversary: checked.anniversary),
      now: context.now)
    return .seeOther(AccountLinks.waiting)
  }

  @Sendable func showAlone(_ request: Request, _ context: Context) -> Response {
    alone(context, errors: [:], status: 200)
  }

  @Sendable func registerAlone(_ request: Request, _ context: Context) throws -> Response {
    let form = context.form
    var errors: [String: FieldError] = [:]
    let name = AccountRules.name(
      form["display_name"], most: AccountRules.displayNameMost, field: "display_name", &errors)
    let email = AccountRules.address(form["email"], field: "email", &errors)
    if !form.has("accept") { errors["accept"] = FieldError("error.accept") }
    // Hashing is dear: not for a form that comes back anyway, and counted before.
    if errors.isEmpty {
      try services.limits.count(
        RegistrationService.perAddress, context.address, now: context.now)
    }
    let hash = try services.hash(form["password"], email: email, &errors)
    guard errors.isEmpty, let email, let hash else {
      return alone(context, errors: errors, status: 422)
    }
    try services.registration.begin(
      pending(
        .alone, context, sides: [(1, email)], displayName: name, passwordHash: hash),
      now: context.now)
    return .seeOther(AccountLinks.waiting)
  }

  private func pending(
    _ kind: PendingRegistration.Kind, _ context: Context, sides: [(number: Int, email: String)],
    coupleName: String = "", anniversary: LocalDay? = nil, displayName: String = "",
    passwordHash: String? = nil
  ) -> PendingRegistration {
    PendingRegistration(
      id: ID(now: context.now), kind: kind, coupleName: coupleName, anniversary: anniversary,
      displayName: displayName, passwordHash: passwordHash, language: context.language,
      termsVersion: services.legal.termsVersion,
      browserHash: context.currentAnchor().sha256, couple: nil,
      sides: sides.map {
        PendingRegistration.Side(
          number: $0.number, email: $0.email, sentAt: context.now, person: nil, completedAt: nil)
      })
  }

  // MARK: Views

  private func couple(
    _ context: Context, errors: [String: FieldError], status: Int
  ) -> Response {
    let view = RegisterView(
      page: PageView(context, title: "register.title"), typed: context.form.typed,
      errors: errors.texts(context))
    return .html(couplePage.render(view, in: context.language), status: .init(code: status))
  }

  private func alone(
    _ context: Context, errors: [String: FieldError], status: Int
  ) -> Response {
    let view = RegisterAloneView(
      page: PageView(context, title: "alone.title"), typed: context.form.typed,
      errors: errors.texts(context))
    return .html(alonePage.render(view, in: context.language), status: .init(code: status))
  }
}

struct RegisterView: View {
  let page: PageView
  let typed: TypedFields
  let errors: [String: String]

  static let fields: [String: Field<RegisterView>] = [
    "page": .child { $0.page },
    "errors": .optional {
      ErrorsView(
        $0.errors, order: ["email_a", "email_b", "couple_name", "anniversary", "accept"])
    },
    "email_a": .text { $0.typed["email_a"] },
    "email_a_error": .optionalText { $0.errors["email_a"] },
    "email_b": .text { $0.typed["email_b"] },
    "email_b_error": .optionalText { $0.errors["email_b"] },
    "couple_name": .text { $0.typed["couple_name"] },
    "couple_name_error": .optionalText { $0.errors["couple_name"] },
    "anniversary": .text { $0.typed["anniversary"] },
    "anniversary_error": .optionalText { $0.errors["anniversary"] },
    "accept": .flag { $0.typed.has("accept") },
    "accept_error": .optionalText { $0.errors["accept"] },
  ]
}

struct RegisterAloneView: View {
  let page: PageView
  let typed: TypedFields
  let errors: [String: String]

  static let fields: [String: Field<RegisterAloneView>] = [
    "page": .child { $0.page },
    "errors": .optional {
      ErrorsView($0.errors, order: ["display_name", "email", "password", "accept"])
    },
    "display_name": .text { $0.typed["display_name"] },
    "display_name_error": .optionalText { $0.errors["display_name"] },
    "email": .text { $0.typed["email"] },
    "email_error": .optionalText { $0.errors["email"] },
    "password_error": .optionalText { $0.errors["password"] },
    "accept": .flag { $0.typed.has("accept") },
    "accept_error": .optionalText { $0.errors["accept"] },
  ]
}
