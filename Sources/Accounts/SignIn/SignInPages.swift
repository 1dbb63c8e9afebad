import Core
import HTTPTypes
import Secrets
import Templates
import Web

/// `/sign-in` and `/sign-out` (docs/developer/sessions-and-tokens.md#signing-in).
struct SignInPages {
  private let services: AccountsEnvironment
  private let page: Page<SignInView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("accounts/sign-in", title: "sign_in.title", in: services.site)
  }

  @Sendable func show(_ context: Context) -> Response {
    response(
      context, next: context.request.queryValue("next"), errors: [:], problem: nil, status: 200,
      isOpenToGuests: context.request.queryValue("guest") != nil)
  }

  @Sendable func signIn(_ context: Context) throws -> Response {
    var errors: [String: FieldError] = [:]
    let email = AccountRules.address(context.form["email"], field: "email", &errors)
    if context.form["password"].isEmpty { errors["password"] = .empty("password") }
    guard errors.isEmpty, let email else {
      return response(
        context, next: context.form["next"], errors: errors, problem: nil, status: 422)
    }
    let person = try SignInService(services: services).person(
      email: email, password: context.form["password"], from: context.address, now: context.now
    ) {
      TrustedDeviceCookie.knows($0.id, passwordHash: $0.passwordHash, context)
        ? .browser($0.id) : nil
    }
    if person == nil { context.note(.signInFailed, of: .email(email)) }
    guard let person,
      let completeSignIn = try services.completeSignIn(
        person, next: context.next(), context)
    else {
      return response(
        context, next: context.form["next"], errors: [:], problem: "sign_in.mismatch", status: 422)
    }
    return completeSignIn
  }

  /// Continues as a guest, on a page that is open to guests.
  @Sendable func continueAsGuest(_ context: Context) throws -> Response {
    if context.viewer == nil {
      _ = try GuestCreator(services).begin(
        name: context.text("api_auth.guest_name"), context)
    }
    return .seeOther(context.next())
  }

  @Sendable func signOut(_ context: Context) throws -> Response {
    if let viewer = context.viewer { try services.accountDeletion.signOut(viewer, context) }
    context.endSession()
    context.flash("toast.signed_out")
    var response = Response.seeOther("/")
    if context.site.cookieStyle.secure { response.headers[.clearSiteData] = "\"cache\"" }
    return response
  }

  private func response(
    _ context: Context, next: String?, errors: [String: FieldError], problem: String?, status: Int,
    isOpenToGuests: Bool? = nil
  ) -> Response {
    let next = Context.safePath(next) ?? "/"
    let view = SignInView(
      email: context.form["email"], next: next, problem: problem.map { context.text($0) },
      providers: services.providerButtons(next: next),
      isOpenToGuests: (isOpenToGuests ?? context.form.has("guest"))
        && RegistrationAccess.isOpen(to: context),
      mayRegister: RegistrationAccess.isOpen(to: context), isGuest: context.viewer != nil,
      errors: errors.texts(context))
    return page.response(view, context, status: .init(code: status))
  }
}

struct SignInView: FormContent {
  let email: String
  let next: String
  let problem: String?
  let providers: [ProviderButtonView]
  /// Whether the page to return to is open to guests.
  let isOpenToGuests: Bool
  let mayRegister: Bool
  let isGuest: Bool
  let errors: [String: String]

  static let fields: [String: Field<SignInView>] = formFields(
    errors: ["email", "password"],
    [
      "email": .text { $0.email },
      "next": .text { $0.next },
      "open_to_guests": .flag { $0.isOpenToGuests && !$0.isGuest },
      "guest": .flag { $0.isGuest },
      "may_register": .flag { $0.mayRegister },
      "guest_action": .text { _ in AccountLinks.continueAsGuest },
      "recover_link": .text { _ in AccountLinks.recover },
      "has_providers": .flag { !$0.providers.isEmpty },
      "providers": .list { $0.providers },
      "passkey_action": .text { _ in AccountLinks.passkeySignIn },
      "passkey_options": .text { _ in AccountLinks.passkeySignIn },
      "problem": .optionalText { $0.problem },
    ])
}
