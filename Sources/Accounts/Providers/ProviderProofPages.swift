import Core
import Database
import Templates
import Web

/// `/sign-in/with/…/link`: an account with a provider has the address of a member. Its owner proves
/// by the password or a mailed code that the account here is theirs too, and the two are linked.
/// Without that proof, the provider could take over any account.
struct ProviderProofPages {
  private let services: AccountsEnvironment
  private let page: Page<ProviderProofView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("providers/prove", title: "provider_proof.title", in: services.site)
  }

  private typealias Found = (
    provider: SignInProvider, identity: PendingIdentity, member: Credentials
  )

  private func find(_ context: Context) throws -> Found? {
    let provider = try services.provider(context)
    guard let identity = PendingIdentity.find(provider.name, context),
      let member = try services.owner(of: identity)
    else { return nil }
    return (provider, identity, member)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    guard let found = try find(context) else { return .seeOther(AccountLinks.signIn) }
    let isMailed = context.request.queryValue("mailed") != nil
    return response(found, context, isMailed: isMailed, errors: [:], status: 200)
  }

  @Sendable func prove(_ context: Context) throws -> Response {
    guard let found = try find(context) else { return .seeOther(AccountLinks.signIn) }
    let form = context.form
    if form.has("mail_code") {
      try mailCode(to: found.member, context)
      context.flash("toast.code_mailed")
      return .seeOther(AccountLinks.providerProof(found.provider.name, isMailed: true))
    }
    let field = form.has("code") ? "code" : "password"
    guard !form[field].isEmpty else {
      return response(
        found, context, isMailed: field == "code", errors: [field: .empty(field)], status: 422)
    }
    let isRight =
      try field == "code"
      ? isCode(form["code"], of: found.member, context)
      : isPassword(form["password"], of: found, context)
    if isRight, let response = try link(found, context) { return response }
    context.note(.signInFailed, of: .person(found.member.id))
    let error = FieldError(field == "code" ? "error.mailed_code" : "error.current_password")
    return response(
      found, context, isMailed: field == "code", errors: [field: error], status: 422)
  }

  /// Links and signs in; nil if the password was changed meanwhile.
  private func link(_ found: Found, _ context: Context) throws -> Response? {
    let isLinked = try services.linking.link(
      found.identity.subject, of: found.provider, to: found.member.id, context)
    let response = try services.completeSignIn(
      found.member, next: found.identity.next,
      by: .provider(found.identity.subject, session: nil), context)
    PendingIdentity.clear(context)
    if response != nil, !isLinked { context.flash("toast.provider_taken") }
    return response
  }

  private func isPassword(
    _ password: String, of found: Found, _ context: Context
  ) throws -> Bool {
    let person = try SignInService(services: services).person(
      email: found.identity.email ?? "", password: password, from: context.address,
      now: context.now
    ) {
      TrustedDeviceCookie.knows($0.id, passwordHash: $0.passwordHash, context)
        ? .browser($0.id) : nil
    }
    return person?.id == found.member.id
  }

  private func isCode(_ entered: String, of member: Credentials, _ context: Context) throws -> Bool
  {
    guard case .timed(let code)? = OneTimeCodeInput(entered) else { return false }
    return try services.limits.attempt(
      ReauthenticationService.failures, member.id.description, now: context.now
    ) {
      try services.site.database.write {
        try services.mailedCodes.use(
          code, of: member.id, binding(context), now: context.now, in: $0)
      } ? () : nil
    } != nil
  }

  private func mailCode(to member: Credentials, _ context: Context) throws {
    try ReauthenticationService(.changeSignIn, services: services).mailCode(
      to: member.id, binding(context), context)
  }

  private func binding(_ context: Context) -> CodeBinding {
    CodeBinding(.changeSignIn, browser: context.currentAnchor().sha256)
  }

  private func response(
    _ found: Found, _ context: Context, isMailed: Bool, errors: [String: FieldError], status: Int
  ) -> Response {
    let view = ProviderProofView(
      provider: found.provider, address: found.identity.email ?? "",
      byCode: isMailed || found.member.passwordHash == nil, isMailed: isMailed,
      errors: errors.texts(context))
    return page.response(view, context, status: .init(code: status))
  }
}

struct ProviderProofView: FormContent {
  let provider: SignInProvider
  let address: String
  let byCode: Bool
  let isMailed: Bool
  let errors: [String: String]

  static let fields: [String: Field<ProviderProofView>] = formFields(
    errors: ["password", "code"],
    [
      "label": .text { $0.provider.label },
      "address": .text { $0.address },
      "action": .text { AccountLinks.providerProof($0.provider.name) },
      "sign_in_link": .text { _ in AccountLinks.signIn },
      "asks_password": .flag { !$0.byCode },
      "asks_code": .flag { $0.byCode && $0.isMailed },
      "mailed": .flag { $0.isMailed },
    ])
}
