import Core
import Foundation
import Secrets
import Templates
import Web

/// `/pair/accept`: the link in an invitation. Opening it changes nothing, because mail scanners
/// open links too; the button accepts.
struct PairAcceptPages {
  private let services: AccountsEnvironment
  private let ask: Page<PairAcceptView>
  private let join: Page<PairAcceptView>
  private let closed: Page<PairClosedView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    ask = try Page("accounts/pair-accept", title: "pair_accept.title", in: services.site)
    join = try Page("accounts/pair-join", title: "pair_accept.title", in: services.site)
    closed = try Page("accounts/pair-closed", in: services.site)
  }

  private struct Link {
    let token: Token
    let offer: PairOffer
  }

  @Sendable func show(_ context: Context) throws -> Response {
    guard let link = try link(context) else { return rejection(.expired, context) }
    if let away = try denyAccess(link, context) { return away }
    return page(link, context, errors: [:], status: 200)
  }

  @Sendable func accept(_ context: Context) throws -> Response {
    guard let link = try link(context) else { return rejection(.expired, context) }
    if let away = try denyAccess(link, context) { return away }
    guard let viewer = member(context) else { return try join(link, context) }
    return finish(
      try services.pairing.accept(link.token, by: viewer, now: context.now), context)
  }

  /// Creates an account for a recipient without one, and the couple.
  private func join(_ link: Link, _ context: Context) throws -> Response {
    var errors: [String: FieldError] = [:]
    let name = AccountRules.name(
      context.form["display_name"], limits: AccountRules.displayNameLimits, field: "display_name",
      &errors)
    if !context.form.has("accept") { errors["accept"] = FieldError("error.accept") }
    let identity = PendingIdentity.brought(context)
    let passkey =
      identity == nil
      ? NewPasskey.brought(.register(link: link.token.text), context, &errors) : nil
    let asksPassword = identity == nil && passkey == nil && errors["credential"] == nil
    let hash =
      try asksPassword
      ? services.hash(
        context.form["password"], email: link.offer.email, names: [name], &errors) : nil
    guard errors.isEmpty else {
      return page(link, passkey: passkey, context, errors: errors, status: 422)
    }
    let completion = RegistrationService.Completion(
      displayName: name, passwordHash: hash, identity: identity?.subject,
      passkey: passkey, language: context.language,
      timeZone: context.browserTimeZone)
    let (outcome, person) = try services.pairing.join(
      link.token, completion, termsVersion: services.legal.termsVersion, now: context.now)
    if let person {
      PendingIdentity.clear(context)
      PasskeyChallenge.clear(context)
      try services.signIn(
        person, role: .member,
        by: identity.map { .provider($0.subject, session: nil) } ?? .other, context)
    }
    return finish(outcome, context)
  }

  // MARK: Access

  private func link(_ context: Context) throws -> Link? {
    guard let token = context.linkToken,
      let offer = try services.pairing.offer(token, now: context.now)
    else { return nil }
    return Link(token: token, offer: offer)
  }

  private func member(_ context: Context) -> Viewer? {
    context.viewer.flatMap { $0.role >= .member ? $0 : nil }
  }

  /// The response for a viewer who cannot accept in the current state; nil if the viewer can.
  private func denyAccess(_ link: Link, _ context: Context) throws -> Response? {
    let status = try services.pairing.status(of: link.offer)
    if let viewer = member(context) {
      guard try services.pairing.isFor(viewer, link.offer) else {
        return rejection(.notYours, context, link.offer)
      }
      return status == .memberInCouple ? rejection(.alreadyInCouple, context) : nil
    }
    guard status == .free else {
      let path = AccountLinks.acceptPair(link.token.text)
      let next = path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      return .seeOther("\(AccountLinks.signIn)?next=\(next)")
    }
    // A recipient without an account completes the registration instead.
    if case .registration = link.offer.kind {
      return .seeOther(AccountLinks.verify(link.token.text))
    }
    return nil
  }

  // MARK: Responses

  private func finish(_ outcome: PairOutcome, _ context: Context) -> Response {
    switch outcome {
    case .paired(let couple):
      context.flash("toast.paired")
      return .seeOther(AccountLinks.couple(couple))
    case .waiting:
      return .seeOther(AccountLinks.waiting)
    case .expired, .notYours, .alreadyInCouple, .inviterTaken:
      return rejection(outcome, context)
    }
  }

  private func rejection(
    _ outcome: PairOutcome, _ context: Context, _ offer: PairOffer? = nil
  ) -> Response {
    let (key, status): (String, Int) =
      switch outcome {
      case .notYours: ("pair_closed.other", 403)
      case .alreadyInCouple: ("pair_closed.couple", 409)
      case .inviterTaken: ("pair_closed.taken", 409)
      default: ("pair_closed.gone", 410)
      }
    let own = context.viewer?.couple.map { AccountLinks.couple($0.id) }
    let view = PairClosedView(
      context, key, ["address": offer.map { AccountRules.masked($0.email) } ?? ""],
      link: outcome == .alreadyInCouple ? own ?? "/" : "/")
    return closed.response(view, context, title: .named(view.title), status: .init(code: status))
  }

  private func page(
    _ link: Link, passkey: NewPasskey? = nil, _ context: Context, errors: [String: FieldError],
    status: Int
  ) -> Response {
    let viewer = member(context)
    let identity = PendingIdentity.brought(context)
    let view = PairAcceptView(
      token: link.token.text,
      from: link.offer.from, address: link.offer.email,
      isFrozen: viewer?.couple?.status == .frozen,
      hasPosts: viewer?.couple?.status == .single,
      displayName: context.form.has("token") ? context.form["display_name"] : identity?.name ?? "",
      isAccepted: context.form.has("accept"),
      choice: SignInChoice(
        services, identity, passkey,
        passkeyOptions: AccountLinks.passkeyRegistration(link.token.text, isPair: true),
        link: { AccountLinks.providerCompletion($0, link.token.text, isPair: true) }, context),
      errors: errors.texts(context))
    let page = viewer == nil ? join : ask
    return page.response(view, context, status: .init(code: status))
  }
}

struct PairAcceptView: FormContent {
  let token: String
  let from: String
  let address: String
  let isFrozen: Bool
  let hasPosts: Bool
  let displayName: String
  let isAccepted: Bool
  let choice: SignInChoice
  let errors: [String: String]

  static let fields: [String: Field<PairAcceptView>] =
    formFields(
      errors: ["display_name", "password", "credential", "accept"],
      [
        "action": .text { _ in AccountLinks.acceptPair },
        "token": .text { $0.token },
        "partner": .text { $0.from },
        "address": .text { $0.address },
        "ends_undoing": .flag { $0.isFrozen },
        "has_posts": .flag { $0.hasPosts },
        "display_name": .text { $0.displayName },
        "accept": .flag { $0.isAccepted },
        "asks_password": .flag { $0.choice.asksPassword },
        "choice": .child { $0.choice },
      ])
}
