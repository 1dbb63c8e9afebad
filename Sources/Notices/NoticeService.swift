import Accounts
import Core
import Database

/// Where what happened is told. Everything is written in the transaction of what caused it, so a
/// notice is there exactly when its cause is (docs/developer/architecture.md#jobs-and-outboxes).
public struct NoticeService: Sendable {
  public init() {}

  /// Tells a person, if they are there, want to know, and it isn't their own doing.
  public func tell(
    _ person: ID<Person>, _ notice: NewNotice, now: Instant, in writer: WriteTransaction
  ) throws {
    try tell([person], notice, now: now, in: writer)
  }

  /// Tells many at once, in as many statements as one: a group has 250 members
  /// (docs/developer/groups.md).
  public func tell(
    _ people: [ID<Person>], _ notice: NewNotice, now: Instant, in writer: WriteTransaction
  ) throws {
    let others = people.filter { $0 != notice.actor }
    guard !others.isEmpty else { return }
    let there = try BlockFilter.within(
      others, of: notice.kind.endsAtBlocks ? notice.actor : nil, in: writer.reader)
    let preferences = try NoticePreferenceStore.all(for: notice.kind, of: there, in: writer.reader)
    func those(_ way: KeyPath<NoticePreference, Bool>) -> [ID<Person>] {
      there.filter { (preferences[$0] ?? NoticePreference())[keyPath: way] }
    }
    try NoticeWriter.write(notice, to: those(\.onPage), now: now, in: writer)
    try PushOutbox.add(notice, to: those(\.byPush), now: now, in: writer)
  }

  // MARK: Taking back

  /// Somebody has taken back what they did: they are told of no more, read or not.
  public func takeBack(
    _ kind: NoticeKind, subject: [UInt8], by actor: ID<Person>, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      DELETE FROM notification_actors WHERE user_id = ? AND notification_id IN (
        SELECT id FROM notifications WHERE subject = ? AND kind = ?)
      """, actor, subject, kind.rawValue)
  }

  /// What notices of these kinds were about is gone, and they with it, pushed or not.
  public func forget(_ kinds: [NoticeKind], subject: [UInt8], in writer: WriteTransaction) throws {
    for kind in kinds {
      try writer.execute(
        "DELETE FROM notifications WHERE subject = ? AND kind = ?", subject, kind.rawValue)
      try PushOutbox.forget(kind, subject: subject, in: writer)
    }
  }

  /// Forgets one person's notices about something, and what their browsers were yet to be told of
  /// it: they have seen to it, or it concerns them no more.
  public func forget(
    _ kinds: [NoticeKind], subject: [UInt8], of person: ID<Person>, in writer: WriteTransaction
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
    _ person: ID<Person>, with kind: NoticeKind, in reader: ReadTransaction
  ) throws -> Bool {
    guard try NoticePreferenceStore.preference(for: kind, of: person, in: reader).byPush else {
      return false
    }
    return try !PushStore().all(of: person, in: reader).isEmpty
  }
}
