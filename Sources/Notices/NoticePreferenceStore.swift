import Core
import Database

/// A user's setting for a kind of notice.
struct NoticePreference: Equatable, Sendable {
  /// Show it in the list and count it in the badge.
  var onPage = true
  var byPush = true
}

/// Reads and writes the settings. Defaults have no row.
enum NoticePreferenceStore {
  static func preference(
    for kind: NoticeKind, of person: ID<Person>, in reader: ReadTransaction
  ) throws -> NoticePreference {
    try reader.first(
      """
      SELECT on_page, by_push FROM notice_settings WHERE user_id = \(person)
        AND kind = \(kind.rawValue)
      """
    ) { NoticePreference(onPage: try $0.next(), byPush: try $0.next()) } ?? NoticePreference()
  }

  /// Stored settings of many users; users with defaults are left out.
  static func all(
    for kind: NoticeKind, of people: [ID<Person>], in reader: ReadTransaction
  ) throws -> [ID<Person>: NoticePreference] {
    let rows = try reader.rows(
      """
      SELECT s.user_id, s.on_page, s.by_push FROM \(IDList(people)) AS p
      CROSS JOIN notice_settings s WHERE s.user_id = p.id AND s.kind = \(kind.rawValue)
      """
    ) {
      (
        try $0.next(ID<Person>.self),
        NoticePreference(onPage: try $0.next(), byPush: try $0.next())
      )
    }
    return Dictionary(rows, uniquingKeysWith: { $1 })
  }

  static func all(of person: ID<Person>, in reader: ReadTransaction) throws -> [NoticeKind:
    NoticePreference]
  {
    let rows = try reader.rows(
      "SELECT kind, on_page, by_push FROM notice_settings WHERE user_id = \(person)"
    ) {
      (
        NoticeKind(rawValue: try $0.next()),
        NoticePreference(onPage: try $0.next(), byPush: try $0.next())
      )
    }
    return rows.reduce(into: [:]) { preferences, row in
      if let kind = row.0 { preferences[kind] = row.1 }
    }
  }

  static func set(
    _ preference: NoticePreference, for kind: NoticeKind, of person: ID<Person>,
    in writer: WriteTransaction
  ) throws {
    guard preference != NoticePreference() else {
      try writer.execute(
        "DELETE FROM notice_settings WHERE user_id = \(person) AND kind = \(kind.rawValue)")
      return
    }
    try writer.execute(
      """
      INSERT INTO notice_settings (user_id, kind, on_page, by_push)
      VALUES (\(person), \(kind.rawValue), \(preference.onPage), \(preference.byPush))
      ON CONFLICT (user_id, kind) DO UPDATE SET on_page = excluded.on_page,
        by_push = excluded.by_push
      """)
  }
}
