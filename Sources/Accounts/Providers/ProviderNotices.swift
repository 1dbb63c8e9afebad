import Core
import Foundation
import Mail
import OpenIDConnect
import Secrets
import Web

/// Calls from providers themselves: back-channel logout and Apple's notices
/// (docs/developer/sign-in-providers.md#notices-from-providers). Both are signed by the provider.
struct ProviderNotices {
  static let bodyLimit = 32 << 10
  /// Limits calls from one address: a provider may send many, but each costs a signature.
  static let perAddress = RateLimit("provider-notices", maximum: 600, window: .minutes(1))

  private let services: AccountsEnvironment

  init(_ services: AccountsEnvironment) {
    self.services = services
  }

  /// Ends the sessions that a provider names (OpenID Connect Back-Channel Logout 1.0, section 2.5).
  @Sendable func logOut(_ context: Context) throws -> Response {
    let provider = try services.provider(context)
    return try answer(provider, context) {
      let token = try provider.client.logoutToken(
        context.form["logout_token"], now: context.now)
      try services.endSessions(
        of: token.subject.map { ProviderSubject(issuer: token.issuer, subject: $0) },
        session: token.sessionID.map { ProviderSubject.session($0, at: token.issuer) },
        begunBefore: token.issuedAt.adding(seconds: 1), context)
      return .text("ok\n", status: .ok)
    }
  }

  /// Takes a notice from Apple ("Processing changes for Sign in with Apple accounts",
  /// developer.apple.com). Throws 404 for other providers.
  @Sendable func notice(_ context: Context) throws -> Response {
    let provider = try services.provider(context)
    guard provider.brand == .apple else { throw Problem.notFound }
    let body = try context.request.wholeBody(limit: Self.bodyLimit)
    return try answer(provider, context) {
      let notice = try provider.client.appleNotice(body, now: context.now)
      let subject = ProviderSubject(issuer: provider.issuer, subject: notice.subject)
      // A notice that comes again ends no later sessions.
      let end = (notice.occurredAt ?? context.now).adding(seconds: 1)
      switch notice.event {
      case .consentRevoked:
        try services.endSessions(of: subject, begunBefore: end, context)
      case .accountDeleted:
        try services.endSessions(of: subject, begunBefore: end, context)
        try services.linking.remove(subject, of: provider, context)
      case .emailDisabled(let address): try setForwarding(false, address, subject, context)
      case .emailEnabled(let address): try setForwarding(true, address, subject, context)
      case .other: break
      }
      return .text("ok\n", status: .ok)
    }
  }

  private func setForwarding(
    _ forwards: Bool, _ address: String, _ subject: ProviderSubject, _ context: Context
  ) throws {
    guard let email = try? MailAddress(address).normalised else { return }
    try services.site.database.write {
      try services.identities.setForwarding(
        forwards, to: services.people.hash(email), of: subject, now: context.now, in: $0)
    }
  }

  /// 400 for a call that fails a check, and 503 if the provider's keys can't be fetched, so that it
  /// is sent again.
  private func answer(
    _ provider: SignInProvider, _ context: Context, _ body: () throws -> Response
  ) throws -> Response {
    try services.limits.count(Self.perAddress, context.address, now: context.now)
    do {
      return try body()
    } catch let error as OpenIDError {
      context.noteError("notice of \(provider.name): \(error)")
      guard case .token = error else { throw Problem(.unavailable) }
      context.note(.signatureRefused)
      return .json(Array(#"{"error":"invalid_request"}"#.utf8), status: .badRequest)
    }
  }
}

extension ProviderSubject {
  /// The stored hash of a session at a provider.
  static func session(_ id: String, at issuer: String) -> [UInt8] {
    Digests.sha256(Array("\(issuer) \(id)".utf8))
  }
}

extension AccountsEnvironment {
  /// Ends the sessions that an account with a provider began: all, or those of one session there.
  func endSessions(
    of subject: ProviderSubject?, session: [UInt8]? = nil, begunBefore end: Instant,
    _ context: Context
  ) throws {
    let ended = try site.database.write { writer -> Set<ID<Person>> in
      var identity: ID<ProviderIdentity>?
      if let subject {
        identity = try identities.find(subject, in: writer)
        if identity == nil { return [] }
      }
      return try ProviderSessionStore().end(
        identity: identity, session: session, begunBefore: end, in: writer)
    }
    for person in ended { context.note(.sessionsEnded, of: .person(person)) }
  }
}
