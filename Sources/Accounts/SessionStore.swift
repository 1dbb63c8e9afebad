import Basics
import Database
import Secrets
import Web

/// Who is signed in where. The cookie holds a secret, the table its hash.
public struct SessionStore: SessionKeeper {
  /// How long a session lasts from the last visit, in s (accounts.md, "Sessions").
  static func lifetime(_ role: Role) -> Int64 {
    role == .guest ? .days(365) : .days(90)
  }

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
        UPDATE sessions SET seen_at = ?, expires_at = ? + (
          SELECT CASE u.role WHEN 1 THEN ? ELSE ? END FROM users u WHERE u.id = sessions.user_id)
        WHERE token_hash = ?
        """, now, now, Self.lifetime(.guest) * 1000, Self.lifetime(.member) * 1000, token.sha256)
    }
  }

  /// Signs a person in: a new secret each time, so that nobody can plant one.
  func start(
    for person: ID<Person>, role: Role, browser: String, now: Instant, in writer: Writer
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

  func end(_ token: Token, in writer: Writer) throws {
    try writer.execute("DELETE FROM sessions WHERE token_hash = ?", token.sha256)
  }

  /// Signs a person out everywhere, apps included, and ends what waits for a code.
  func endAll(of person: ID<Person>, in writer: Writer) throws {
    try FamilyStore.endAll(of: person, in: writer)
    try writer.execute("DELETE FROM sessions WHERE user_id = ?", person)
    try writer.execute("DELETE FROM waiting_sign_ins WHERE user_id = ?", person)
  }

  /// Gives a session a new secret and ends all others of that person, apps included: for a change of rights. It
  /// stays as old as it is. Nil when the session is none of theirs.
  func renew(_ token: Token, of person: ID<Person>, in writer: Writer) throws -> Token? {
    let made = Token.random()
    let isTheirs =
      try writer.execute(
        "UPDATE sessions SET token_hash = ? WHERE token_hash = ? AND user_id = ?", made.sha256,
        token.sha256, person) == 1
    guard isTheirs else { return nil }
    try FamilyStore.endAll(of: person, in: writer)
    try writer.execute(
      "DELETE FROM sessions WHERE user_id = ? AND token_hash <> ?", person, made.sha256)
    try writer.execute("DELETE FROM waiting_sign_ins WHERE user_id = ?", person)
    return made
  }

  func purge(now: Instant) throws {
    try database.write { try $0.execute("DELETE FROM sessions WHERE expires_at <= ?", now) }
  }
}
