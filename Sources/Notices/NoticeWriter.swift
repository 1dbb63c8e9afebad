import Core
import Database

/// Writes a notice to any number of users in a few statements.
enum NoticeWriter {
  static func write(
    _ notice: NewNotice, to people: [ID<Person>], now: Instant, in writer: WriteTransaction
  ) throws {
    guard !people.isEmpty else { return }
    let waiting = try waiting(notice, of: people, writer)
    let pairs = people.map { (ID<Notice>(now: now), $0) }
    try renew(
      notice, pairs.compactMap { new, person in waiting[person].map { (new, $0) } }, now, writer)
    try add(notice, pairs.filter { waiting[$0.1] == nil }, now, writer)
    try name(notice, on: pairs.map { waiting[$0.1] ?? $0.0 }, now, writer)
  }

  /// Unread notices about the same subject, which this one is merged into.
  private static func waiting(
    _ notice: NewNotice, of people: [ID<Person>], _ writer: WriteTransaction
  ) throws -> [ID<Person>: ID<Notice>] {
    guard notice.kind.isGathered, let subject = notice.subject else { return [:] }
    let found = try writer.rows(
      """
      SELECT n.user_id, n.id FROM \(IDList(people)) AS p CROSS JOIN notifications n
      WHERE n.subject = \(subject) AND n.kind = \(notice.kind.rawValue) AND n.user_id = p.id
        AND n.event = \(notice.event) AND n.read_at IS NULL
      """
    ) { (try $0.next(ID<Person>.self), try $0.next(ID<Notice>.self)) }
    return Dictionary(found, uniquingKeysWith: max)
  }

  /// Moves notices to the top. Their earlier actors, of which there may be thousands, stay as they are.
  private static func renew(
    _ notice: NewNotice, _ pairs: [(ID<Notice>, ID<Notice>)], _ now: Instant,
    _ writer: WriteTransaction
  ) throws {
    guard !pairs.isEmpty else { return }
    try writer.execute(
      """
      UPDATE notifications SET listed_as = pair.first, event = \(notice.event),
        detail = \(notice.detail), note = \(notice.note), path = \(notice.path), created_at = \(now)
      FROM \(IDList(pairs: pairs)) AS pair WHERE notifications.id = pair.second
      """)
  }

  private static func add(
    _ notice: NewNotice, _ pairs: [(ID<Notice>, ID<Person>)], _ now: Instant,
    _ writer: WriteTransaction
  ) throws {
    guard !pairs.isEmpty else { return }
    try writer.execute(
      """
      INSERT INTO notifications (id, user_id, kind, subject, event, detail, note, path, created_at)
      SELECT first, second, \(notice.kind.rawValue), \(notice.subject), \(notice.event),
        \(notice.detail), \(notice.note), \(notice.path), \(now)
      FROM \(IDList(pairs: pairs)) AS pair
      """)
  }

  private static func name(
    _ notice: NewNotice, on ids: [ID<Notice>], _ now: Instant, _ writer: WriteTransaction
  ) throws {
    guard let actor = notice.actor else { return }
    try writer.execute(
      """
      INSERT INTO notification_actors (notification_id, user_id, couple_id, at)
      SELECT id, \(actor), \(notice.couple), \(now) FROM \(IDList(ids)) AS notice WHERE true
      ON CONFLICT (notification_id, user_id) DO UPDATE SET at = excluded.at,
        couple_id = excluded.couple_id
      """)
  }

  // MARK: Removing

  /// Removes an actor from notices after the action was undone.
  static func retract(
    _ kind: NoticeKind, subject: [UInt8], by actor: ID<Person>, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      DELETE FROM notification_actors WHERE user_id = \(actor) AND notification_id IN (
        SELECT id FROM notifications WHERE subject = \(subject) AND kind = \(kind.rawValue))
      """)
  }

  /// Deletes the notices about a subject.
  static func forget(_ kind: NoticeKind, subject: [UInt8], in writer: WriteTransaction) throws {
    try writer.execute(
      "DELETE FROM notifications WHERE subject = \(subject) AND kind = \(kind.rawValue)")
  }

  /// Deletes one user's notices about a subject; with `path`, only those that open this page.
  static func forget(
    _ kind: NoticeKind, subject: [UInt8], path: String? = nil, of person: ID<Person>,
    in writer: WriteTransaction
  ) throws {
    let opensPath: Query = path.map { "path = \($0)" } ?? "true"
    let condition: Query =
      "subject = \(subject) AND kind = \(kind.rawValue) AND user_id = \(person) AND \(opensPath)"
    // Usually there is none, and a DELETE with a trigger builds a temporary table each time.
    guard try writer.exists("SELECT 1 FROM notifications WHERE \(condition) LIMIT 1") else {
      return
    }
    try writer.execute("DELETE FROM notifications WHERE \(condition)")
  }
}
