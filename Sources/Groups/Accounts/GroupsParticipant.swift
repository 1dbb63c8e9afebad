import Accounts
import Core
import Database
import Foundation

/// This module's part of a user's account.
struct GroupsParticipant: AccountParticipant {
  let services: GroupsEnvironment

  let tables = [
    // Leaving the groups removes the rows of the first two.
    PersonalTable("group_members", purge: .custom),
    PersonalTable("member_locations", purge: .custom),
    PersonalTable("group_returns"), PersonalTable("group_removals"),
    PersonalTable("group_events", purge: .custom),
  ]

  private let returns = GroupReturnStore()
  private var writing: GroupWriter { services.writing }

  init(services: GroupsEnvironment) {
    self.services = services
  }

  func endsWithAccount(
    _ person: ID<Person>, in reader: ReadTransaction
  ) throws -> [EndingWithAccount] {
    let count = try services.store.all(of: person, in: reader).count {
      $0.isLedByViewer && $0.isOpen
    }
    return count > 0 ? [EndingWithAccount("account_deletion.ends_groups", count: count)] : []
  }

  // MARK: Export

  func export(_ person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedFile] {
    let groups = try services.store.all(of: person, in: reader)
    // A group may have been renamed since the user left; the new name is for its members only.
    let events = try reader.rows(
      """
      SELECT g.name, e.kind, e.note, e.created_at FROM group_events e
      LEFT JOIN group_members m ON m.group_id = e.group_id AND m.user_id = e.user_id
      LEFT JOIN groups g ON g.id = m.group_id
      WHERE e.user_id = \(person) ORDER BY e.created_at, e.version
      """
    ) { row in
      ExportedGroups.Event(
        group: try row.next(), kind: try row.next(), note: try row.next(),
        at: try row.next(Instant.self).rfc3339)
    }
    guard !groups.isEmpty || !events.isEmpty else { return [] }
    let exported = ExportedGroups(
      groups: try groups.map { group in
        let place = try lastPlace(of: person, in: group.id, reader)
        return ExportedGroups.Group(
          name: group.name, role: group.isLedByViewer ? "leader" : "follower",
          closed: !group.isOpen, sharingUntil: group.own?.sharingUntil?.rfc3339,
          lastPlace: place)
      }, events: events)
    return [try ExportedFile(name: "groups.json", encoding: exported)]
  }

  private func lastPlace(
    of person: ID<Person>, in id: ID<Group>, _ reader: ReadTransaction
  ) throws -> ExportedGroups.Place? {
    try reader.first(
      """
      SELECT latitude, longitude, accuracy, at FROM member_locations
      WHERE group_id = \(id) AND user_id = \(person)
      """
    ) {
      ExportedGroups.Place(
        latitude: try $0.next(), longitude: try $0.next(), accuracy: try $0.next(),
        at: try $0.next(Instant.self).rfc3339)
    }
  }

  func exportedMedia(of person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedMedia]
  { [] }

  // MARK: Leaving

  /// Leaves every group at once: a deleted account must not lead a group or share its location. The
  /// open groups are recorded for `returned`.
  func left(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    for group in try services.store.all(of: person, in: writer) {
      try writing.leave(person, group.id, now: now, in: writer)
      if group.isOpen { try returns.add(person, group.id, now: now, in: writer) }
    }
  }

  /// Adds a restored user to the groups that they left by deleting their account, if these still
  /// exist and are not full. The group keeps its present leader, if it has one.
  func returned(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    let reader = writer
    for group in try returns.open(person, in: reader) {
      guard try !services.store.isRemoved(person, from: group, in: reader),
        try services.store.size(of: group, in: reader) < GroupRules.maximumMembers
      else { continue }
      try writing.join(person, group, now: now, in: writer)
      if try returns.lead(group, by: person, in: writer) {
        try writing.note(.leads, about: person, in: group, now: now, writer)
      }
    }
    try returns.forget(person, in: writer)
  }

  func purge(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws -> [String] {
    try left(person, now: now, in: writer)
    try tables.purge(person, in: writer)
    // The other members' log keeps the event, without its author and note.
    try writer.execute(
      "UPDATE group_events SET user_id = NULL, note = NULL WHERE user_id = \(person)")
    return []
  }

  func merge(
    guest: ID<Person>, into member: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    try GroupsMerge(services: services).merge(
      guest: guest, into: member, now: now, in: writer)
  }

  func moved(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // Times are shown in the viewer's current time zone.
  }

  /// Ends the streams; they reconnect where the user is still signed in. Another device of the user
  /// may continue to share the location; without one the user could not stop sharing, so it ends.
  func signOut(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    let isElsewhere = try services.people.isSignedIn(person, now: now, in: writer)
    for group in try services.store.all(of: person, in: writer) where group.isOpen {
      try services.writing.observer.parted(person, from: group.id, now: now, in: writer)
      guard !isElsewhere, group.own?.sharingUntil != nil else { continue }
      try writing.share(until: nil, person, group.id, now: now, in: writer)
    }
  }
}

private struct ExportedGroups: Encodable {
  struct Place: Encodable {
    let latitude: Double
    let longitude: Double
    let accuracy: Double?
    let at: String
  }

  struct Group: Encodable {
    let name: String
    let role: String
    let closed: Bool
    let sharingUntil: String?
    let lastPlace: Place?
  }

  struct Event: Encodable {
    /// Nil for a group that the user has left.
    let group: String?
    let kind: String
    let note: String?
    let at: String
  }

  let groups: [Group]
  let events: [Event]
}
