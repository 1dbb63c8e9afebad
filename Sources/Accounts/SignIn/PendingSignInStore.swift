import Core
import Database
import Secrets

/// A sign-in with the right password that waits for a code.
struct PendingSignIn {
  let person: ID<Person>
  let role: Role
  /// When the account was deleted; the user then asks to restore it. Nil if it was not.
  let deletedAt: Instant?
  /// The current password hash; changing the password ends the pending sign-in.
  let passwordHash: String?
  /// The page to go to afterwards.
  let next: String
  let origin: SessionOrigin
}

/// Sign-ins between password and code. Each belongs to one browser, whose cookie has a token, and
/// the code may take ten minutes.
enum PendingSignInStore {
  static let tokens = LinkTokens<Person>(table: "waiting_sign_ins", lifetime: .minutes(10))

  static func begin(
    _ person: ID<Person>, next: String, origin: SessionOrigin = .other, now: Instant,
    in writer: WriteTransaction
  ) throws -> Token {
    try tokens.issue(
      for: person,
      [
        "next": next, "identity_id": origin.identity,
        "provider_session_hash": origin.providerSession,
      ], now: now, in: writer)
  }

  static func find(
    _ token: Token, now: Instant, in reader: ReadTransaction
  ) throws -> PendingSignIn? {
    try tokens.find(
      token,
      "t.user_id, u.role, u.deleted_at, u.password_hash, t.next, t.identity_id, t.provider_session_hash",
      "JOIN users u ON u.id = t.user_id", now: now, in: reader
    ) {
      PendingSignIn(
        person: try $0.next(), role: Role(rawValue: try $0.next()) ?? .guest,
        deletedAt: try $0.next(), passwordHash: try $0.next(), next: try $0.next(),
        origin: SessionOrigin(identity: try $0.next(), providerSession: try $0.next()))
    }
  }

  static func end(_ token: Token, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM waiting_sign_ins WHERE token_hash = \(token.sha256)")
  }
}
