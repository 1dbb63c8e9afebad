import Core
import Templates
import Web

/// `/sign-in/with/…/register`: registering with an account of a provider, alone or as a couple. The
/// address that the provider verified needs no mail.
struct ProviderRegistrationPages {
  private let services: AccountsEnvironment
  private let page: Page<ProviderRegistrationView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("providers/register", title: "provider_registration.title", in: services.site)
  }

  private typealias Found = (provider: SignInProvider, identity: PendingIdentity)

  private func find(_ context: Context) throws -> Found? {
    let provider = try services.provider(context)
    return PendingIdentity.find(provider.name, context).map { (provider, $0) }
  }

  @Sendable func show(_ context: Context) throws -> Response {
    guard let found = try find(context) else { return .seeOther(AccountLinks.signIn) }
    return response(
      found, context, isCouple: context.request.queryValue("couple") != nil, errors: [:],
      status: 200)
  }

  @Sendable func register(_ context: Context) throws -> Response {
    guard let found = try find(context), let email = found.identity.email else {
      return .seeOther(AccountLinks.signIn)
    }
    let isCouple = context.form.has("couple")
    var errors: [String: FieldError] = [:]
    let name = AccountRules.name(
      context.form["display_name"], limits: AccountRules.displayNameLimits, field: "display_name",
      &errors)
    let couple = isCouple ? couple(email, context, &errors) : nil
    if !context.form.has("accept") { errors["accept"] = FieldError("error.accept") }
    guard errors.isEmpty else {
      return response(found, context, isCouple: isCouple, errors: errors, status: 422)
    }
    let completion = RegistrationService.Completion(
      displayName: name, passwordHash: nil, identity: found.identity.subject,
      language: context.language, timeZone: context.browserTimeZone)
    let made = try SignUpService(services: services).verified(
      email, couple: couple, completing: completion, by: services.registrant(context),
      now: context.now)
    // The address has an account by now.
    guard let made else { return .seeOther(AccountLinks.providerProof(found.provider.name)) }
    PendingIdentity.clear(context)
    try services.signIn(
      made.person, role: .member, by: .provider(found.identity.subject, session: nil), context)
    if made.isWaiting { return .seeOther(AccountLinks.waiting) }
    context.flash("toast.welcome")
    return .seeOther(services.afterSignIn(found.identity.next, context))
  }

  private func couple(
    _ email: String, _ context: Context, _ errors: inout [String: FieldError]
  ) -> CoupleRegistration? {
    let form = context.form
    do throws(CoupleRegistration.InvalidFields) {
      return try CoupleRegistration(
        emailA: email, emailB: form["email_b"], coupleName: form["couple_name"],
        anniversary: form["anniversary"], accepts: form.has("accept"), now: context.now)
    } catch {
      errors.merge(error.errors) { $1 }
      return nil
    }
  }

  private func response(
    _ found: Found, _ context: Context, isCouple: Bool, errors: [String: FieldError], status: Int
  ) -> Response {
    let isSent = context.request.method == .post
    let view = ProviderRegistrationView(
      provider: found.provider, address: found.identity.email,
      isOpen: RegistrationAccess.isOpen(to: context), isCouple: isCouple,
      displayName: isSent ? context.form["display_name"] : found.identity.name,
      entered: context.form.entered, errors: errors.texts(context))
    return page.response(view, context, status: .init(code: status))
  }
}

struct ProviderRegistrationView: FormContent {
  let provider: SignInProvider
  /// The verified address; nil if there is none, and one can't register by the provider.
  let address: String?
  let isOpen: Bool
  let isCouple: Bool
  let displayName: String
  let entered: FormFields
  let errors: [String: String]

  static let fields: [String: Field<ProviderRegistrationView>] = formFields(
    errors: ["display_name", "email_b", "couple_name", "anniversary", "accept"],
    [
      "label": .text { $0.provider.label },
      "address": .text { $0.address ?? "" },
      "no_address": .flag { $0.address == nil },
      "open": .flag { $0.isOpen },
      "registers": .flag { $0.isOpen && $0.address != nil },
      "couple": .flag { $0.isCouple },
      "action": .text { AccountLinks.providerRegistration($0.provider.name) },
      "alone_link": .text { AccountLinks.providerRegistration($0.provider.name) },
      "couple_link": .text {
        AccountLinks.providerRegistration($0.provider.name, isCouple: true)
      },
      "sign_in_link": .text { _ in AccountLinks.signIn },
      "display_name": .text { $0.displayName },
      "email_b": .text { $0.entered["email_b"] },
      "couple_name": .text { $0.entered["couple_name"] },
      "anniversary": .text { $0.entered["anniversary"] },
      "accept": .flag { $0.entered.has("accept") },
    ])
}
