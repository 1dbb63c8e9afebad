import Core
import Secrets
import Web

/// Signing in and confirming by a passkey, and making one for a new account. Scripts fetch the
/// options and send the form with the answer.
struct PasskeySignInPages {
  private let services: AccountsEnvironment

  init(_ services: AccountsEnvironment) {
    self.services = services
  }

  private var passkeys: PasskeyService { services.passkeyService }

  @Sendable func signInOptions(_ context: Context) throws -> Response {
    try passkeys.signInOptions(context)
  }

  @Sendable func signIn(_ context: Context) throws -> Response {
    let next = context.next()
    if let (member, passkey) = try passkeys.member(answering: .signIn, context),
      let response = try services.completeSignIn(
        member, next: next, by: .passkey(passkey), context)
    {
      return response
    }
    context.note(.signInFailed)
    context.flash("toast.passkey_failed")
    return .seeOther(AccountLinks.signIn(next: next))
  }

  @Sendable func confirmOptions(_ context: Context) throws -> Response {
    guard let action = ProtectedAction(rawValue: context.request.queryValue("action") ?? "") else {
      throw Problem.notFound
    }
    return try passkeys.confirmOptions(action, context)
  }

  @Sendable func confirm(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    guard let (action, next) = ConfirmPages.wanted(context) else { throw Problem.notFound }
    guard try passkeys.member(answering: .confirm(action), context)?.member.id == viewer.id else {
      context.note(.reauthenticationFailed, of: .person(viewer.id))
      context.flash("toast.passkey_failed")
      return .seeOther(AccountLinks.confirm(action, next: next))
    }
    try ReauthenticationService(action, services: services).confirm(context)
    return .seeOther(next)
  }

  /// The options of a passkey for the account that the mailed link is about. Throws 404 if there is
  /// none.
  @Sendable func registrationOptions(_ context: Context) throws -> Response {
    guard let token = context.linkToken,
      let address = context.request.queryValue("pair") == nil
        ? try registering(token, context) : try invited(token, context)
    else { throw Problem.notFound }
    return try passkeys.creationOptions(
      .register(link: token.text), name: address, displayName: address, context)
  }

  private func registering(_ token: Token, _ context: Context) throws -> String? {
    guard
      let found = try services.registration.registrations.find(token, now: context.now),
      let side = found.registration.side(found.side), side.person == nil
    else { return nil }
    return side.email
  }

  private func invited(_ token: Token, _ context: Context) throws -> String? {
    guard let offer = try services.pairing.offer(token, now: context.now),
      try services.pairing.status(of: offer) == .free
    else { return nil }
    return offer.email
  }
}
