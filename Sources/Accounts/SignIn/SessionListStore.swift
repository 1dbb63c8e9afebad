import Core
import Database
import Foundation
import Secrets
import Web

/// A browser or an app in which a user is signed in.
struct ListedSession {
  /// Identifies the session in a form. It grants no access: neither the token nor its hash can be
  /// derived from it.
  let handle: String
  let browser: String
  let since: Instant
  let seen: Instant
  let isThis: Bool
  var isApp = false
}

/// The session of the current request.
enum CurrentSession {
  case browser(Token)
  case app(ID<TokenFamily>)

  /// The key of its row.
  var key: [UInt8] {
    switch self {
    case .browser(let token): token.sha256
    case .app(let family): family.bytes
    }
  }
}

/// A user's sessions, for listing and ending them.
struct SessionListStore {
  let database: Database
  let keys: KeyRing

  /// A user's sessions: the current one first, then by the latest visit.
  func all(
    of person: ID<Person>, this own: CurrentSession?, now: Instant, in reader: ReadTransaction
  ) throws -> [ListedSession] {
    let key = handleKey
    let own = own?.key
    let found = try reader.rows(
      """
      SELECT token_hash, browser, created_at, seen_at, 0 FROM sessions
      WHERE user_id = ? AND expires_at > ?
      UNION ALL
      SELECT id, app, created_at, seen_at, 1 FROM refresh_families
      WHERE user_id = ? AND expires_at > ?
      ORDER BY 4 DESC, 3 DESC
      """, person, now, person, now
    ) { row in
      let hash = row.bytes(0)
      return ListedSession(
        handle: Self.handle(hash, key), browser: row.text(1), since: row.instant(2),
        seen: row.instant(3), isThis: hash == own, isApp: row.flag(4))
    }
    return found.filter(\.isThis) + found.filter { !$0.isThis }
  }

  /// The export's file; it has no token and no handle.
  static func export(_ person: ID<Person>, from reader: ReadTransaction) throws -> ExportedFile {
    let sessions = try reader.rows(
      """
      SELECT browser, created_at, seen_at, expires_at FROM sessions WHERE user_id = ?
      UNION ALL
      SELECT app, created_at, seen_at, expires_at FROM refresh_families WHERE user_id = ?
      ORDER BY 2
      """, person, person
    ) {
      ExportedSession(
        browser: $0.text(0), signedInAt: $0.instant(1).rfc3339, seenAt: $0.instant(2).rfc3339,
        endsAt: $0.instant(3).rfc3339)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return ExportedFile(name: "sessions.json", json: Array(try encoder.encode(sessions)))
  }

  func count(of person: ID<Person>, now: Instant, in reader: ReadTransaction) throws -> Int {
    try reader.count(
      """
      SELECT (SELECT count(*) FROM sessions WHERE user_id = ? AND expires_at > ?)
        + (SELECT count(*) FROM refresh_families WHERE user_id = ? AND expires_at > ?)
      """, person, now, person, now)
  }

  /// Ends one session of a user, except the current one; returns whether it existed.
  func end(
    _ handle: String, of person: ID<Person>, butNot own: CurrentSession?,
    in writer: WriteTransaction
  ) throws -> Bool {
    let key = handleKey
    let names = try writer.rows(
      """
      SELECT token_hash FROM sessions WHERE user_id = ?
      UNION ALL SELECT id FROM refresh_families WHERE user_id = ?
      """, person, person
    ) { $0.bytes(0) }
    guard
      let name = names.first(where: {
        ConstantTime.equal(Array(Self.handle($0, key).utf8), Array(handle.utf8))
      }), name != own?.key
    else { return false }
    let browsers = try writer.execute(
      "DELETE FROM sessions WHERE token_hash = ? AND user_id = ?", name, person)
    let apps = try writer.execute(
      "DELETE FROM refresh_families WHERE id = ? AND user_id = ?", name, person)
    return browsers + apps == 1
  }

  /// Ends all sessions of a user except the current one; returns how many.
  func endOthers(
    of person: ID<Person>, butNot own: CurrentSession?, in writer: WriteTransaction
  ) throws -> Int {
    let key = own?.key ?? []
    return try writer.execute(
      "DELETE FROM sessions WHERE user_id = ? AND token_hash <> ?", person, key)
      + writer.execute("DELETE FROM refresh_families WHERE user_id = ? AND id <> ?", person, key)
  }

  private var handleKey: [UInt8] { keys.derivedKey(purpose: "session-handle") }

  private static func handle(_ hash: [UInt8], _ key: [UInt8]) -> String {
    Base64URL.text(Digests.hmac(hash, key: key))
  }
}

private struct ExportedSession: Encodable {
  let browser: String
  let signedInAt: String
  let seenAt: String
  let endsAt: String
}
