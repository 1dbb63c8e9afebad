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
  let isCurrent: Bool
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
      WHERE user_id = \(person) AND expires_at > \(now)
      UNION ALL
      SELECT id, app, created_at, seen_at, 1 FROM refresh_families
      WHERE user_id = \(person) AND expires_at > \(now)
      ORDER BY 4 DESC, 3 DESC
      """
    ) { row in
      let hash = try row.next([UInt8].self)
      return ListedSession(
        handle: Self.handle(hash, key), browser: try row.next(), since: try row.next(),
        seen: try row.next(), isCurrent: hash == own, isApp: try row.next())
    }
    return found.filter(\.isCurrent) + found.filter { !$0.isCurrent }
  }

  /// The export's file; it has no token and no handle.
  static func export(_ person: ID<Person>, from reader: ReadTransaction) throws -> ExportedFile {
    let sessions = try reader.rows(
      """
      SELECT browser, created_at, seen_at, expires_at FROM sessions WHERE user_id = \(person)
      UNION ALL
      SELECT app, created_at, seen_at, expires_at FROM refresh_families WHERE user_id = \(person)
      ORDER BY 2
      """
    ) {
      ExportedSession(
        browser: try $0.next(), signedInAt: try $0.next(Instant.self).rfc3339,
        seenAt: try $0.next(Instant.self).rfc3339,
        endsAt: try $0.next(Instant.self).rfc3339)
    }
    return try ExportedFile(name: "sessions.json", encoding: sessions)
  }

  func count(of person: ID<Person>, now: Instant, in reader: ReadTransaction) throws -> Int {
    try reader.count(
      """
      SELECT (SELECT count(*) FROM sessions WHERE user_id = \(person) AND expires_at > \(now))
        + (SELECT count(*) FROM refresh_families WHERE user_id = \(person) AND expires_at > \(now))
      """)
  }

  /// Ends one session of a user, except the current one; returns whether it existed.
  func end(
    _ handle: String, of person: ID<Person>, butNot own: CurrentSession?,
    in writer: WriteTransaction
  ) throws -> Bool {
    let key = handleKey
    let names = try writer.values(
      """
      SELECT token_hash FROM sessions WHERE user_id = \(person)
      UNION ALL SELECT id FROM refresh_families WHERE user_id = \(person)
      """, as: [UInt8].self)
    guard
      let name = names.first(where: {
        ConstantTime.equal(Array(Self.handle($0, key).utf8), Array(handle.utf8))
      }), name != own?.key
    else { return false }
    let browsers = try writer.execute(
      "DELETE FROM sessions WHERE token_hash = \(name) AND user_id = \(person)")
    let apps = try writer.execute(
      "DELETE FROM refresh_families WHERE id = \(name) AND user_id = \(person)")
    return browsers + apps == 1
  }

  /// Ends all sessions of a user except the current one; returns how many.
  func endOthers(
    of person: ID<Person>, butNot own: CurrentSession?, in writer: WriteTransaction
  ) throws -> Int {
    let key = own?.key ?? []
    return try writer.execute(
      "DELETE FROM sessions WHERE user_id = \(person) AND token_hash <> \(key)")
      + writer.execute(
        "DELETE FROM refresh_families WHERE user_id = \(person) AND id <> \(key)")
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
