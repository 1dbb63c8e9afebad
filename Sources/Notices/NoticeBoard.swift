import Accounts
import Basics
import Database

/// Where what happened is told. Everything is written in the transaction of what caused it, so a
/// notice is there exactly when its cause is (architecture.md, "State plus outbox").
public struct NoticeBoard: Sendable {
  public init() {}

  /// Tells a person, if they are there, want to know, and it isn't their own doing.
  public func tell(
    _ person: ID<Person>, _ notice: NewNotice, now: Instant, in writer: Writer
  ) throws {
    guard notice.actor != person, try isThere(person, writer) else { return }
    if let actor = notice.actor, notice.kind.endsAtBlocks,
      try PeopleApart.areApart(person, actor, in: writer.reader)
    {
      return
    }
    let wanted = try NoticeWishes.wish(for: notice.kind, of: person, in: writer.reader)
    if wanted.onPage { try write(notice, to: person, now: now, in: writer) }
    if wanted.byPush { try PushOutbox.add(notice, to: person, now: now, in: writer) }
  }

  private func isThere(_ person: ID<Person>, _ writer: Writer) throws -> Bool {
    try writer.exists("SELECT 1 FROM people_seen WHERE id = ?", person)
  }

  private func write(
    _ notice: NewNotice, to person: ID<Person>, now: Instant, in writer: Writer
  ) throws {
    let id = ID<Notice>(now: now)
    if let waiting = try waiting(notice, of: person, writer) {
      // It moves to the top; who did it before comes along.
      try writer.execute(
        "UPDATE notifications SET id = ?, event = ?, detail = ?, path = ?, created_at = ? WHERE id = ?",
        id, notice.event, notice.detail, notice.path, now, waiting)
    } else {
      try writer.execute(
        """
        INSERT INTO notifications (id, user_id, kind, subject, event, detail, path, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """, id, person, notice.kind.rawValue, notice.subject, notice.event, notice.detail,
        notice.path, now)
    }
    guard let actor = notice.actor else { return }
    try writer.execute(
      """
      INSERT INTO notification_actors (notification_id, user_id, couple_id, at)
      VALUES (?, ?, ?, ?)
      ON CONFLICT (notification_id, user_id) DO UPDATE SET at = excluded.at,
        couple_id = excluded.couple_id
      """, id, actor, notice.couple, now)
  }

  /// One about the same thing that nobody has read yet, which this one joins.
  private func waiting(
    _ notice: NewNotice, of person: ID<Person>, _ writer: Writer
  ) throws -> ID<Notice>? {
    guard notice.kind.isGathered, let subject = notice.subject else { return nil }
    return try writer.first(
      """
      SELECT id FROM notifications WHERE subject = ? AND kind = ? AND user_id = ?
        AND event = ? AND read_at IS NULL
      """, subject, notice.kind.rawValue, person, notice.event
    ) { try $0.id(0) }
  }

  // MARK: Taking back

  /// Somebody has taken back what they did: they are told of no more, read or not.
  public func takeBack(
    _ kind: NoticeKind, subject: [UInt8], by actor: ID<Person>, in writer: Writer
  ) throws {
    try writer.execute(
      """
      DELETE FROM notification_actors WHERE user_id = ? AND notification_id IN (
        SELECT id FROM notifications WHERE subject = ? AND kind = ?)
      """, actor, subject, kind.rawValue)
  }

  /// What notices of these kinds were about is gone, and they with it.
  public func forget(_ kinds: [NoticeKind], subject: [UInt8], in writer: Writer) throws {
    for kind in kinds {
      try writer.execute(
        "DELETE FROM notifications WHERE subject = ? AND kind = ?", subject, kind.rawValue)
    }
  }

  /// Forgets one person's notices about something, and what their browsers were yet to be told of
  /// it: they have seen to it, or it concerns them no more.
  public func forget(
    _ kinds: [NoticeKind], subject: [UInt8], of person: ID<Person>, in writer: Writer
  ) throws {
    for kind in kinds {
      try writer.execute(
        "DELETE FROM notifications WHERE subject = ? AND kind = ? AND user_id = ?", subject,
        kind.rawValue, person)
      try PushOutbox.forget(kind, subject: subject, of: person, in: writer)
    }
  }

  /// Whether a push about this kind would go to any of somebody's browsers.
  public func reaches(
    _ person: ID<Person>, with kind: NoticeKind, in reader: Reader
  ) throws -> Bool {
    guard try NoticeWishes.wish(for: kind, of: person, in: reader).byPush else { return false }
    return try !PushStore().all(of: person, in: reader).isEmpty
  }
}
