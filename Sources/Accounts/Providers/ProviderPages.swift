import Core
import OpenIDConnect
import Web

/// `/sign-in/with/…`: to a provider and back (docs/developer/sign-in-providers.md).
struct ProviderPages {
  /// Limits answers of providers, since each causes a request to one.
  static let perAddress = RateLimit("sign-in-provider", maximum: 20, window: .minutes(1))
  /// The longest name that Apple may send with an answer: an address has room for it.
  private static let maximumNameBytes = 2000

  private let services: AccountsEnvironment

  init(_ services: AccountsEnvironment) {
    self.services = services
  }

  // MARK: To the provider

  @Sendable func begin(_ context: Context) throws -> Response {
    let next = Context.safePath(context.request.queryValue("next")) ?? "/"
    return try begin(.signIn, next: next, otherwise: AccountLinks.signIn(next: next), context)
  }

  /// Confirms for an action that the signed-in member is there.
  @Sendable func confirm(_ context: Context) throws -> Response {
    guard let (action, next) = ConfirmPages.wanted(context) else { throw Problem.notFound }
    return try begin(
      .confirm(action), next: next,
      otherwise: AccountLinks.confirm(action, next: next), context)
  }

  /// Completes the registration whose mailed link was opened.
  @Sendable func complete(_ context: Context) throws -> Response {
    guard let token = context.linkToken else { throw Problem.notFound }
    let page =
      context.request.queryValue("pair") == nil
      ? AccountLinks.complete(token.text) : AccountLinks.acceptPair(token.text)
    return try begin(.complete, next: page, otherwise: page, context)
  }

  private func begin(
    _ purpose: ProviderFlow.Purpose, next: String, otherwise: String, _ context: Context
  ) throws -> Response {
    let provider = try services.provider(context)
    do {
      return .seeOther(try ProviderFlow.begin(provider, purpose, next: next, context))
    } catch let error as OpenIDError {
      return failed(error, with: provider, to: otherwise, context)
    }
  }

  // MARK: And back

  /// The answer of a provider that posts a form (OAuth 2.0 Form Post Response Mode). A browser sends
  /// no `SameSite=Lax` cookies with another site's form, but does with the redirect that follows.
  @Sendable func receiveForm(_ context: Context) throws -> Response {
    let provider = try services.provider(context)
    let fields = ["code", "state", "iss", "error", "user"].compactMap { name -> String? in
      let value = context.form[name]
      let isKept = !value.isEmpty && (name != "user" || value.utf8.count <= Self.maximumNameBytes)
      return isKept ? "\(name)=\(AccountLinks.encoded(value))" : nil
    }
    return .seeOther(
      "\(AccountLinks.providerCallback(provider.name))?\(fields.joined(separator: "&"))")
  }

  @Sendable func receive(_ context: Context) throws -> Response {
    let provider = try services.provider(context)
    guard let flow = ProviderFlow.take(provider, context) else {
      context.note(.signInFailed)
      context.flash("toast.provider_failed")
      return .seeOther(context.viewer == nil ? AccountLinks.signIn : AccountLinks.signInSettings)
    }
    try services.limits.count(Self.perAddress, context.address, now: context.now)
    do {
      let answer = AuthorizationResponse { context.request.queryValue($0) }
      let token = try provider.client.signIn(answer, for: flow.request(context), now: context.now)
      switch flow.purpose {
      case .signIn:
        return try signIn(
          token, named: answer.proposedName, with: provider, next: flow.next, context)
      case .link: return try link(token, with: provider, flow, context)
      case .confirm(let action): return try confirm(token, action, flow, context)
      case .complete:
        return try complete(token, named: answer.proposedName, with: provider, flow, context)
      }
    } catch let error as OpenIDError {
      return failed(error, with: provider, to: back(from: flow), context)
    }
  }

  private func back(from flow: ProviderFlow) -> String {
    switch flow.purpose {
    case .signIn: AccountLinks.signIn(next: flow.next)
    case .confirm(let action): AccountLinks.confirm(action, next: flow.next)
    case .link, .complete: flow.next
    }
  }

  private func signIn(
    _ token: IDToken, named name: ProposedName?, with provider: SignInProvider, next: String,
    _ context: Context
  ) throws -> Response {
    let subject = ProviderSubject(token)
    let member = try services.site.database.write { writer in
      try services.identities.noteUse(subject, now: context.now, in: writer)
      return try services.identities.member(subject, in: writer)
    }
    if let member,
      let response = try services.completeSignIn(
        member, next: next, by: .provider(subject, session: token.sessionID), context)
    {
      return response
    }
    let identity = PendingIdentity(token, with: provider, name: name?.full, next: next)
    try identity.keep(context)
    return .seeOther(
      try services.owner(of: identity) == nil
        ? AccountLinks.providerRegistration(provider.name)
        : AccountLinks.providerProof(provider.name))
  }

  private func link(
    _ token: IDToken, with provider: SignInProvider, _ flow: ProviderFlow, _ context: Context
  ) throws -> Response {
    guard let viewer = context.viewer, flow.isOf(viewer) else { return lost(context) }
    let isLinked = try services.linking.link(
      ProviderSubject(token), of: provider, to: viewer.id, context)
    context.flash(isLinked ? "toast.provider_linked" : "toast.provider_taken")
    return .seeOther(flow.next)
  }

  private func confirm(
    _ token: IDToken, _ action: ProtectedAction, _ flow: ProviderFlow, _ context: Context
  ) throws -> Response {
    guard let viewer = context.viewer, flow.isOf(viewer) else { return lost(context) }
    let owner = try services.site.database.read {
      try services.identities.member(ProviderSubject(token), in: $0)
    }
    guard owner?.id == viewer.id else {
      context.note(.reauthenticationFailed, of: .person(viewer.id))
      context.flash("toast.provider_other")
      return .seeOther(back(from: flow))
    }
    try ReauthenticationService(action, services: services).confirm(context)
    return .seeOther(flow.next)
  }

  private func complete(
    _ token: IDToken, named name: ProposedName?, with provider: SignInProvider,
    _ flow: ProviderFlow, _ context: Context
  ) throws -> Response {
    let owner = try services.site.database.read {
      try services.identities.member(ProviderSubject(token), in: $0)
    }
    guard owner == nil else {
      context.flash("toast.provider_taken")
      return .seeOther(flow.next)
    }
    try PendingIdentity(token, with: provider, name: name?.full, next: "/").keep(context)
    return .seeOther("\(flow.next)&provider=\(provider.name)")
  }

  /// Another member, or none, is signed in by now.
  private func lost(_ context: Context) -> Response {
    context.flash("toast.provider_failed")
    return .seeOther(context.viewer == nil ? AccountLinks.signIn : AccountLinks.signInSettings)
  }

  private func failed(
    _ error: OpenIDError, with provider: SignInProvider, to path: String, _ context: Context
  ) -> Response {
    if case .authorization(.denied(let code)) = error,
      ["access_denied", "user_cancelled_authorize"].contains(code)
    {
      context.flash("toast.provider_declined")
    } else {
      context.note(.signInFailed)
      context.noteError("sign-in with \(provider.name): \(error)")
      context.flash("toast.provider_failed")
    }
    return .seeOther(path)
  }
}

extension ProviderSubject {
  init(_ token: IDToken) {
    self.init(issuer: token.issuer, subject: token.subject)
  }
}

extension AccountsEnvironment {
  /// The provider that the path names. Throws 404 if it is not configured.
  func provider(_ context: Context) throws -> SignInProvider {
    guard let found = providers.first(where: { $0.name == context.parameters["provider"] }) else {
      throw Problem.notFound
    }
    return found
  }

  /// The member with the address that the provider verified.
  func owner(of identity: PendingIdentity) throws -> Credentials? {
    try identity.email.flatMap { try people.credentials(emailHash: people.hash($0)) }
  }
}
