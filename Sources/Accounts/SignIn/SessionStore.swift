import Core
import Database
import Secrets
import Web

/// Who is signed in where. The cookie holds a secret, the table its hash.
public struct SessionStore: SessionAuthenticator {
  /// How long a session lasts from the last visit, in s
  /// (docs/developer/sessions-and-tokens.md#sessions).
  static func lifetime(_ role: Role) -> Int64 {
    role == .guest ? .days(365) : .days(90)
  }
  /// How long a member's session lasts at most from the sign-in, in s. A guest's has no such end:
  /// without an address, the cookie is all that keeps daily check-ins going.
  static let longest: Int64 = .days(365)

  /// How old the last move of a session's end is before it is moved again, in s.
  /// An hour, so that "last seen" in the settings says something.
  private static let extensionStep: Int64 = .hours(1)

  private let database: Database

  public init(database: Database) {
    self.database = database
  }

  public func find(_ token: Token, now: Instant) throws -> Session? {
    try database.read { reader in
      try reader.first(
        """
        SELECT \(ViewerRow.columns)
        FROM sessions s
        \(ViewerRow.joins)
        WHERE s.token_hash = ? AND s.expires_at > ? AND u.deleted_at IS NULL
        """, token.sha256, now
      ) { row in
        let viewer = try ViewerRow.viewer(row, now: now)
        return Session(
          viewer: viewer, lifetime: Self.lifetime(viewer.role),
          wantsExtension: now.seconds(since: row.instant(12)) > Self.extensionStep)
      }
    }
  }

  public func extend(_ token: Token, now: Instant) throws {
    try database.write {
      try $0.execute(
        """
        UPDATE sessions SET seen_at = ?, expires_at = (
          SELECT CASE u.role WHEN 1 THEN min(?, coalesce(sessions.ends_at, ?))
            ELSE min(?, coalesce(sessions.ends_at, sessions.created_at + ?)) END
          FROM users u WHERE u.id = sessions.user_id)
        WHERE token_hash = ?
        """, now, now.adding(seconds: Self.lifetime(.guest)),
        now.adding(seconds: Self.lifetime(.guest)), now.adding(seconds: Self.lifetime(.member)),
        Self.longest * 1000, token.sha256)
    }
  }

  /// Signs a person in: a new secret each time, so that nobody can plant one.
  func start(
    for person: ID<Person>, role: Role, browser: String, now: Instant, in writer: WriteTransaction
  ) throws -> Token {
    let token = Token.random()
    try writer.execute(
      """
      INSERT INTO sessions (token_hash, user_id, created_at, seen_at, expires_at, browser)
      VALUES (?, ?, ?, ?, ?, ?)
      """, token.sha256, person, now, now, now.adding(seconds: Self.lifetime(role)),
      FieldLimits.programName.beginning(of: browser))
    return token
  }

  func end(_ token: Token, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM sessions WHERE token_hash = ?", token.sha256)
  }

  /// Ends the session of a person whose token has this hash.
  func end(hash: [UInt8], of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM sessions WHERE token_hash = ? AND user_id = ?", hash, person)
  }

  /// Lets a session last until a moment at most, whatever happens in it.
  func limit(
    _ token: Token, of person: ID<Person>, until end: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE sessions SET ends_at = min(coalesce(ends_at, ?), ?), expires_at = min(expires_at, ?)
      WHERE token_hash = ? AND user_id = ?
      """, end, end, end, token.sha256, person)
  }

  /// Signs a person out everywhere, apps included, and ends what waits for a code.
  func endAll(of person: ID<Person>, in writer: WriteTransaction) throws {
    try RefreshTokenStore.endAll(of: person, in: writer)
    try writer.execute("DELETE FROM sessions WHERE user_id = ?", person)
    try writer.execute("DELETE FROM waiting_sign_ins WHERE user_id = ?", person)
  }

  /// Gives a session a new secret and ends all others of that person, apps included: for a change of rights. It
  /// stays as old as it is. Nil when the session is none of theirs.
  func renew(_ token: Token, of person: ID<Person>, in writer: WriteTransaction) throws -> Token? {
    let made = Token.random()
    let isTheirs =
      try writer.execute(
        "UPDATE sessions SET token_hash = ? WHERE token_hash = ? AND user_id = ?", made.sha256,
        token.sha256, person) == 1
    guard isTheirs else { return nil }
    try RefreshTokenStore.endAll(of: person, in: writer)
    try writer.execute(
      "DELETE FROM sessions WHERE user_id = ? AND token_hash <> ?", person, made.sha256)
    try writer.execute("DELETE FROM waiting_sign_ins WHERE user_id = ?", person)
    return made
  }

  func purge(now: Instant) throws {
    try database.write { try $0.execute("DELETE FROM sessions WHERE expires_at <= ?", now) }
  }
}
