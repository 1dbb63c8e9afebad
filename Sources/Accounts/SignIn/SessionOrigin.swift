import Core
import Database
import Secrets

/// The proof with which a member signed in.
enum SignInMethod {
  /// A password, a mailed link or a new account.
  case other
  case passkey(ID<Passkey>)
  /// An account with a provider, and the session there, if the provider named one.
  case provider(ProviderSubject, session: String?)
}

/// The beginning of a session, as far as it is kept.
struct SessionOrigin {
  /// Counts as both factors.
  var passkey: ID<Passkey>?
  /// The linked account with a provider, which can end the session.
  var identity: ID<ProviderIdentity>?
  /// The SHA-256 of the session at the provider.
  var providerSession: [UInt8]?

  static let other = SessionOrigin()
}

extension AccountsEnvironment {
  func origin(of method: SignInMethod, in reader: ReadTransaction) throws -> SessionOrigin {
    switch method {
    case .other: .other
    case .passkey(let id): SessionOrigin(passkey: id)
    case .provider(let subject, let session):
      SessionOrigin(
        identity: try identities.find(subject, in: reader),
        providerSession: session.map { ProviderSubject.session($0, at: subject.issuer) })
    }
  }
}
