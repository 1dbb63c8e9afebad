import Basics
import Database

/// What somebody wants to hear of, and how.
struct NoticeWish: Equatable, Sendable {
  /// In the list and the header's number.
  var onPage = true
  var byPush = true
}

/// Reads and keeps them. As it is at first there is no row.
enum NoticeWishes {
  static func wish(
    for kind: NoticeKind, of person: ID<Person>, in reader: Reader
  ) throws -> NoticeWish {
    try reader.first(
      "SELECT on_page, by_push FROM notice_settings WHERE user_id = ? AND kind = ?", person,
      kind.rawValue
    ) { NoticeWish(onPage: $0.flag(0), byPush: $0.flag(1)) } ?? NoticeWish()
  }

  /// What those of many people want who have said so.
  static func all(
    for kind: NoticeKind, of people: [ID<Person>], in reader: Reader
  ) throws -> [ID<Person>: NoticeWish] {
    let packed = PackedIDs(people)
    let rows = try reader.rows(
      """
      SELECT s.user_id, s.on_page, s.by_push FROM json_each(?)
      CROSS JOIN notice_settings s ON s.user_id = \(PackedIDs.only) AND s.kind = ?
      """, packed.places, packed.bytes, kind.rawValue
    ) { (try $0.id(0, Person.self), NoticeWish(onPage: $0.flag(1), byPush: $0.flag(2))) }
    return Dictionary(rows, uniquingKeysWith: { $1 })
  }

  static func all(of person: ID<Person>, in reader: Reader) throws -> [NoticeKind: NoticeWish] {
    let rows = try reader.rows(
      "SELECT kind, on_page, by_push FROM notice_settings WHERE user_id = ?", person
    ) { (NoticeKind(rawValue: $0.text(0)), NoticeWish(onPage: $0.flag(1), byPush: $0.flag(2))) }
    return rows.reduce(into: [:]) { wishes, row in
      if let kind = row.0 { wishes[kind] = row.1 }
    }
  }

  static func set(
    _ wish: NoticeWish, for kind: NoticeKind, of person: ID<Person>, in writer: Writer
  ) throws {
    guard wish != NoticeWish() else {
      try writer.execute(
        "DELETE FROM notice_settings WHERE user_id = ? AND kind = ?", person, kind.rawValue)
      return
    }
    try writer.execute(
      """
      INSERT INTO notice_settings (user_id, kind, on_page, by_push) VALUES (?, ?, ?, ?)
      ON CONFLICT (user_id, kind) DO UPDATE SET on_page = excluded.on_page,
        by_push = excluded.by_push
      """, person, kind.rawValue, wish.onPage, wish.byPush)
  }
}
