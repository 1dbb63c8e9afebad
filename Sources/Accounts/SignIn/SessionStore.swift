import Core
import Database
import Secrets
import Web

/// Sessions of browsers. The cookie has a token, the table its hash.
public struct SessionStore: SessionAuthenticator {
  /// How long a session lasts after the last visit, in s
  /// (docs/developer/sessions-and-tokens.md#sessions).
  static func lifetime(_ role: Role) -> Int64 {
    role == .guest ? .days(365) : .days(90)
  }
  /// How long a member's session lasts at most after the sign-in, in s. A guest's has no such end:
  /// without an address, the cookie is all that keeps daily check-ins possible.
  static let maximumLifetime: Int64 = .days(365)

  /// The least age of a session's last extension before the next one, in s. One hour, so that "last
  /// seen" in the settings is meaningful.
  private static let extensionStep: Int64 = .hours(1)

  private let database: Database

  public init(database: Database) {
    self.database = database
  }

  public func find(_ token: Token, now: Instant) throws -> Session? {
    try database.read { reader in
      try reader.first(
        """
        SELECT \(ViewerRow.columns(passkey: "s.passkey_id")), s.seen_at
        FROM sessions s
        \(ViewerRow.joins)
        WHERE s.token_hash = \(token.sha256) AND s.expires_at > \(now) AND u.deleted_at IS NULL
        """
      ) { row in
        let viewer = try ViewerRow.viewer(&row, now: now)
        return Session(
          viewer: viewer, lifetime: Self.lifetime(viewer.role),
          wantsExtension: now.seconds(since: try row.next()) > Self.extensionStep)
      }
    }
  }

  public func extend(_ token: Token, now: Instant) throws {
    let guestEnd = now.adding(seconds: Self.lifetime(.guest))
    let memberEnd = now.adding(seconds: Self.lifetime(.member))
    try database.write {
      try $0.execute(
        """
        UPDATE sessions SET seen_at = \(now), expires_at = (
          SELECT CASE u.role
            WHEN 1 THEN min(\(guestEnd), coalesce(sessions.ends_at, \(guestEnd)))
            ELSE min(\(memberEnd), coalesce(
              sessions.ends_at, sessions.created_at + \(Self.maximumLifetime * 1000))) END
          FROM users u WHERE u.id = sessions.user_id)
        WHERE token_hash = \(token.sha256)
        """)
    }
  }

  /// Starts a session. Each one gets a new token, which prevents session fixation.
  func start(
    for person: ID<Person>, role: Role, origin: SessionOrigin, browser: String, now: Instant,
    in writer: WriteTransaction
  ) throws -> Token {
    let token = Token.random()
    try writer.execute(
      """
      INSERT INTO sessions (token_hash, user_id, created_at, seen_at, expires_at, browser, passkey_id,
        identity_id, provider_session_hash)
      VALUES (\(token.sha256), \(person), \(now), \(now),
        \(now.adding(seconds: Self.lifetime(role))),
        \(FieldLimits.programName.beginning(of: browser)), \(origin.passkey),
        \(origin.identity), \(origin.providerSession))
      """)
    return token
  }

  func end(_ token: Token, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM sessions WHERE token_hash = \(token.sha256)")
  }

  /// Ends the user's session whose token has this hash.
  func end(hash: [UInt8], of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM sessions WHERE token_hash = \(hash) AND user_id = \(person)")
  }

  /// Ends the other sessions that a passkey began.
  func endAll(
    of person: ID<Person>, begunBy passkey: ID<Passkey>, butNot own: [UInt8]?,
    in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      DELETE FROM sessions
      WHERE user_id = \(person) AND passkey_id = \(passkey)
        AND token_hash IS DISTINCT FROM \(own)
      """)
  }

  /// Sets an absolute end of a session; visits do not extend it.
  func limit(
    _ token: Token, of person: ID<Person>, until end: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE sessions SET ends_at = min(coalesce(ends_at, \(end)), \(end)),
        expires_at = min(expires_at, \(end))
      WHERE token_hash = \(token.sha256) AND user_id = \(person)
      """)
  }

  /// Ends all sessions of a user, including apps, and pending sign-ins.
  func endAll(of person: ID<Person>, in writer: WriteTransaction) throws {
    try RefreshTokenStore.endAll(of: person, in: writer)
    try writer.execute("DELETE FROM sessions WHERE user_id = \(person)")
    try writer.execute("DELETE FROM waiting_sign_ins WHERE user_id = \(person)")
  }

  /// Gives a session a new token and ends all others of that user, including apps: for a change of
  /// rights. The session keeps its age. Nil if it does not belong to the user.
  func renew(_ token: Token, of person: ID<Person>, in writer: WriteTransaction) throws -> Token? {
    let made = Token.random()
    let isOwnSession =
      try writer.execute(
        """
        UPDATE sessions SET token_hash = \(made.sha256)
        WHERE token_hash = \(token.sha256) AND user_id = \(person)
        """) == 1
    guard isOwnSession else { return nil }
    try RefreshTokenStore.endAll(of: person, in: writer)
    try writer.execute(
      "DELETE FROM sessions WHERE user_id = \(person) AND token_hash <> \(made.sha256)")
    try writer.execute("DELETE FROM waiting_sign_ins WHERE user_id = \(person)")
    return made
  }

  func purge(now: Instant) throws {
    try database.write { try $0.execute("DELETE FROM sessions WHERE expires_at <= \(now)") }
  }
}
