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
      "SELECT on_page, by_push FROM notice_settings WHERE user_id = ? AND kind = ?", person,
      kind.rawValue
    ) { NoticePreference(onPage: $0.flag(0), byPush: $0.flag(1)) } ?? NoticePreference()
  }

  /// Stored settings of many users; users with defaults are left out.
  static func all(
    for kind: NoticeKind, of people: [ID<Person>], in reader: ReadTransaction
  ) throws -> [ID<Person>: NoticePreference] {
    let packed = IDList(people)
    let rows = try reader.rows(
      """
      SELECT s.user_id, s.on_page, s.by_push FROM json_each(?)
      CROSS JOIN notice_settings s ON s.user_id = \(IDList.only) AND s.kind = ?
      """, packed.places, packed.bytes, kind.rawValue
    ) { (try $0.id(0, Person.self), NoticePreference(onPage: $0.flag(1), byPush: $0.flag(2))) }
    return Dictionary(rows, uniquingKeysWith: { $1 })
  }

  static func all(of person: ID<Person>, in reader: ReadTransaction) throws -> [NoticeKind:
    NoticePreference]
  {
    let rows = try reader.rows(
      "SELECT kind, on_page, by_push FROM notice_settings WHERE user_id = ?", person
    ) {
      (NoticeKind(rawValue: $0.text(0)), NoticePreference(onPage: $0.flag(1), byPush: $0.flag(2)))
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
        "DELETE FROM notice_settings WHERE user_id = ? AND kind = ?", person, kind.rawValue)
      return
    }
    try writer.execute(
      """
      INSERT INTO notice_settings (user_id, kind, on_page, by_push) VALUES (?, ?, ?, ?)
      ON CONFLICT (user_id, kind) DO UPDATE SET on_page = excluded.on_page,
        by_push = excluded.by_push
      """, person, kind.rawValue, preference.onPage, preference.byPush)
  }
}
