import Accounts
import Core
import Database

/// Creates notices, always in the transaction of the event, so that a notice exists exactly if its
/// cause does (docs/developer/architecture.md#jobs-and-outboxes).
public struct NoticeService: Sendable {
  public init() {}

  /// Notifies a user unless the account is deleted, the user has disabled the kind, or is the
  /// actor.
  public func notify(
    _ person: ID<Person>, _ notice: NewNotice, now: Instant, in writer: WriteTransaction
  ) throws {
    try notify([person], notice, now: now, in: writer)
  }

  /// Notifies many users with a constant number of statements: a group has 250 members
  /// (docs/developer/groups.md). The push of a user in `quietUntil` waits until that moment, and is
  /// not sent if the user has dealt with the notice by then.
  public func notify(
    _ people: [ID<Person>], _ notice: NewNotice, quietUntil: [ID<Person>: Instant] = [:],
    now: Instant, in writer: WriteTransaction
  ) throws {
    let others = people.filter { $0 != notice.actor }
    guard !others.isEmpty else { return }
    let there = try BlockFilter.within(
      others, of: notice.kind.endsAtBlocks ? notice.actor : nil, in: writer)
    let preferences = try NoticePreferenceStore.all(for: notice.kind, of: there, in: writer)
    func recipients(_ channel: KeyPath<NoticePreference, Bool>) -> [ID<Person>] {
      there.filter { (preferences[$0] ?? NoticePreference())[keyPath: channel] }
    }
    try NoticeWriter.write(notice, to: recipients(\.onPage), now: now, in: writer)
    let byMoment = Dictionary(grouping: recipients(\.byPush)) { quietUntil[$0] ?? now }
    for (moment, people) in byMoment {
      try PushOutbox.add(notice, to: people, at: moment, now: now, in: writer)
    }
  }

  // MARK: Removing

  /// Removes an actor from notices after the action was undone, read or not.
  public func retract(
    _ kind: NoticeKind, subject: [UInt8], by actor: ID<Person>, in writer: WriteTransaction
  ) throws {
    try NoticeWriter.retract(kind, subject: subject, by: actor, in: writer)
  }

  /// Deletes the notices of these kinds about a deleted subject, and their pushes.
  public func forget(_ kinds: [NoticeKind], subject: [UInt8], in writer: WriteTransaction) throws {
    for kind in kinds {
      try NoticeWriter.forget(kind, subject: subject, in: writer)
      try PushOutbox.forget(kind, subject: subject, in: writer)
    }
  }

  /// Deletes one user's notices about a subject, and waiting pushes: the user has dealt with it, or
  /// is no longer concerned. With `path`, only those that open this page.
  public func forget(
    _ kinds: [NoticeKind], subject: [UInt8], path: String? = nil, of person: ID<Person>,
    in writer: WriteTransaction
  ) throws {
    for kind in kinds {
      try NoticeWriter.forget(kind, subject: subject, path: path, of: person, in: writer)
      try PushOutbox.forget(kind, subject: subject, path: path, of: person, in: writer)
    }
  }

  /// Deletes one user's notices about a subject that the user has seen: the next event is news again
  /// and is pushed at once.
  public func settle(
    _ kind: NoticeKind, subject: [UInt8], of person: ID<Person>, in writer: WriteTransaction
  ) throws {
    try forget([kind], subject: subject, of: person, in: writer)
    try PushDeduplication.forget(kind, subject: subject, of: person, in: writer)
  }

  /// Whether a push of this kind would be sent to at least one browser of a user.
  public func reaches(
    _ person: ID<Person>, with kind: NoticeKind, in reader: ReadTransaction
  ) throws -> Bool {
    // Most users have no browser with pushes.
    guard try !PushStore().all(of: person, in: reader).isEmpty else { return false }
    return try NoticePreferenceStore.preference(for: kind, of: person, in: reader).byPush
  }
}
