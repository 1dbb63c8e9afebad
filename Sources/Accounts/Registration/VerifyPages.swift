import Core
import Secrets
import Templates
import Web

/// `/verify` and `/register/complete`: a mailed link and the form after it.
///
/// Opening the link changes nothing, because mail scanners open links too; the button verifies. The
/// page of the link has the form for name and password, unless they are known already.
/// Only completing uses the link up, so a page closed half-way can be opened again.
struct VerifyPages {
  private let services: AccountsEnvironment
  private let button: Page<VerifyView>
  let link: NewLinkPages
  private let complete: Page<CompleteView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    button = try Page("accounts/verify", title: "verify.title", in: services.site)
    link = try NewLinkPages(services)
    complete = try Page("accounts/complete", title: "register_complete.title", in: services.site)
  }

  private struct Link {
    let token: Token
    let registration: PendingRegistration
    let side: PendingRegistration.Side

    /// Whether this browser started the registration; then the password is known to be the user's
    /// own.
    func isHome(_ context: Context) -> Bool {
      ConstantTime.equal(registration.browserHash, context.currentAnchor().sha256)
    }

    /// Whether a single user in the browser that started the registration has given all values.
    func isComplete(_ context: Context) -> Bool {
      registration.kind == .alone && registration.passwordHash != nil && isHome(context)
    }
  }

  // MARK: The link

  @Sendable func showButton(_ context: Context) throws -> Response? {
    guard let link = try link(context) else { return nil }
    guard link.isComplete(context) else { return form(link, context, errors: [:], status: 200) }
    let view = VerifyView(token: link.token.text, address: AccountRules.masked(link.side.email))
    return button.response(view, context)
  }

  @Sendable func pressButton(_ context: Context) throws -> Response? {
    guard let link = try link(context) else { return nil }
    if link.isComplete(context), let hash = link.registration.passwordHash {
      return try finish(
        link, name: link.registration.displayName, passwordHash: hash, isByGuest: true, context)
    }
    return .seeOther(AccountLinks.complete(link.token.text))
  }

  // MARK: Name and password

  @Sendable func showForm(_ context: Context) throws -> Response? {
    guard let link = try link(context) else { return nil }
    return form(link, context, errors: [:], status: 200)
  }

  @Sendable func sendForm(_ context: Context) throws -> Response? {
    guard let link = try link(context) else { return nil }
    var errors: [String: FieldError] = [:]
    let identity = PendingIdentity.brought(context)
    let isAlone = link.registration.kind == .alone
    let name =
      isAlone
      ? link.registration.displayName
      : AccountRules.name(
        context.form["display_name"], limits: AccountRules.displayNameLimits, field: "display_name",
        &errors)
    let passkey =
      identity == nil ? NewPasskey.brought(purpose(link), context, &errors) : nil
    if identity != nil || passkey != nil || errors["credential"] != nil {
      guard errors.isEmpty else {
        return form(link, passkey: passkey, context, errors: errors, status: 422)
      }
      PendingIdentity.clear(context)
      PasskeyChallenge.clear(context)
      return try finish(
        link, name: name, passwordHash: nil, identity: identity, passkey: passkey, context)
    }
    // The password typed here is the valid one from now on, whether or not it equals the one chosen
    // when registering.
    let hash = try services.hash(
      context.form["password"], email: link.side.email,
      names: [name, link.registration.coupleName], &errors)
    guard errors.isEmpty, let hash else {
      return form(link, context, errors: errors, status: 422)
    }
    let isByGuest = try services.isOfGuest(link.registration, context.form["password"])
    return try finish(
      link, name: name, passwordHash: hash, isByGuest: isByGuest, context)
  }

  private func finish(
    _ link: Link, name: String, passwordHash: String?, identity: PendingIdentity? = nil,
    passkey: NewPasskey? = nil, isByGuest: Bool = false, _ context: Context
  ) throws -> Response? {
    let completion = RegistrationService.Completion(
      displayName: name, passwordHash: passwordHash, identity: identity?.subject,
      passkey: passkey, language: context.language,
      timeZone: context.browserTimeZone, isByGuest: isByGuest)
    guard
      let made = try services.registration.complete(.link(link.token), completion, now: context.now)
    else { return nil }
    try services.signIn(
      made.person, role: .member,
      by: identity.map { .provider($0.subject, session: nil) } ?? .other, context)
    if made.isWaiting { return .seeOther(AccountLinks.waiting) }
    if made.person == link.registration.guest {
      context.flash("toast.now_member")
      let origin = BecomeMemberPage.origin.read(for: made.person, context)
      BecomeMemberPage.origin.clear(context)
      return .seeOther(Context.safePath(origin) ?? AccountLinks.checkIn)
    }
    context.flash("toast.welcome")
    return .seeOther("/")
  }

  // MARK: Helpers

  private func link(_ context: Context) throws -> Link? {
    guard let token = context.linkToken,
      let found = try services.registration.registrations.find(token, now: context.now),
      let side = found.registration.side(found.side), side.person == nil
    else { return nil }
    return Link(token: token, registration: found.registration, side: side)
  }

  private func purpose(_ link: Link) -> PasskeyChallenge.Purpose {
    .register(link: link.token.text)
  }

  private func form(
    _ link: Link, passkey: NewPasskey? = nil, _ context: Context, errors: [String: FieldError],
    status: Int
  ) -> Response {
    let identity = PendingIdentity.brought(context)
    let view = CompleteView(
      token: link.token.text,
      address: link.side.email, isAlone: link.registration.kind == .alone,
      knowsPassword: link.registration.passwordHash != nil,
      isOfGuest: link.registration.guest != nil,
      displayName: context.form.has("token") ? context.form["display_name"] : identity?.name ?? "",
      choice: SignInChoice(
        services, identity, passkey,
        passkeyOptions: AccountLinks.passkeyRegistration(link.token.text),
        link: { AccountLinks.providerCompletion($0, link.token.text) }, context),
      errors: errors.texts(context))
    return complete.response(view, context, status: .init(code: status))
  }
}

struct VerifyView: View {
  let token: String
  let address: String

  static let fields: [String: Field<VerifyView>] = [
    "action": .text { _ in AccountLinks.verify },
    "token": .text { $0.token },
    "address": .text { $0.address },
  ]
}

struct CompleteView: FormContent {
  let token: String
  let address: String
  let isAlone: Bool
  /// Whether the password was chosen when registering.
  let knowsPassword: Bool
  let isOfGuest: Bool
  let displayName: String
  let choice: SignInChoice
  let errors: [String: String]

  static let fields: [String: Field<CompleteView>] =
    formFields(
      errors: ["display_name", "password", "credential"],
      [
        "action": .text { _ in AccountLinks.complete },
        "token": .text { $0.token },
        "address": .text { $0.address },
        "asks_name": .flag { !$0.isAlone },
        "asks_password": .flag { !$0.knowsPassword && $0.choice.asksPassword },
        "asks_existing": .flag { $0.knowsPassword && $0.choice.asksPassword },
        "choice": .child { $0.choice },
        "of_guest": .flag { $0.isOfGuest },
        "display_name": .text { $0.displayName },
      ])
}
