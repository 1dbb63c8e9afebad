import Accounts
import Core
import Database
import Web

/// What members and leaders do with a group; pages and API call the same. Throws 404 where the
/// viewer is no member, 403 where only the leader may, and 410 where the group is closed.
struct GroupService: Sendable {
  /// Groups that one person may make.
  private static let making = RateLimit("groups-made", most: 30, window: .hours(1))
  /// Words to the others, which reach every phone: of one person in one group.
  private static let calling = RateLimit("group-calls", most: 20, window: .minutes(1))
  /// Other changes that everybody is told of.
  static let changing = RateLimit("group-changes", most: 120, window: .hours(1))

  let services: GroupsEnvironment

  private var writing: GroupWriter { services.writing }

  /// Who may take a step.
  enum Needed {
    case member
    /// Who leads it, and isn't suspended (docs/developer/moderation.md#suspension).
    case leader
    /// Who leads it, suspended or not: for giving that up, and for emergencies.
    case leaderAtAnyTime
  }

  /// Changes an open group in one transaction, after looking who asks.
  func change<Result>(
    _ id: ID<Group>, by viewer: Viewer, _ needed: Needed,
    _ body: (Group, WriteTransaction) throws -> Result
  ) throws -> Result {
    try services.site.database.write { writer in
      guard let group = try services.store.visible(id, to: viewer.id, in: writer.reader) else {
        throw Problem.notFound
      }
      guard group.isOpen else { throw Problem(.groupClosed) }
      guard needed == .member || group.isLed else { throw Problem(.forbidden) }
      guard needed != .leader || viewer.suspension == nil else { throw Problem(.suspended) }
      return try body(group, writer)
    }
  }

  // MARK: A group

  /// One line, 1 to 60 characters.
  static func name(_ typed: String, _ errors: inout [String: FieldError]) -> String {
    AccountRules.name(typed, most: GroupRules.nameMost, field: "name", &errors)
  }

  /// The same for who has one field alone: throws 422 with the words of that one.
  static func name(_ typed: String) throws -> String {
    var errors: [String: FieldError] = [:]
    let name = name(typed, &errors)
    guard errors.isEmpty else { throw Problem.invalid(GroupListPages.named(errors)) }
    return name
  }

  /// A group that this person leads. Throws 429 after too many.
  func make(_ name: String, by viewer: Viewer, now: Instant) throws -> ID<Group> {
    guard viewer.suspension == nil else { throw Problem(.suspended) }
    try services.limits.count(Self.making, viewer.id.description, now: now)
    return try services.site.database.write { writer in
      guard
        try services.store.groupCount(of: viewer.id, in: writer.reader) < GroupRules.groupsMost
      else { throw Problem(.limitReached) }
      let id = ID<Group>(now: now)
      try writing.add(id, name: name, leader: viewer.id, now: now, in: writer)
      return id
    }
  }

  /// What a leader may set; nil stays as it is.
  struct Settings {
    var name: String?
    var mayJoin: Bool?
    var membersInvite: Bool?
  }

  /// Throws 429 after too many changes.
  func set(_ settings: Settings, of id: ID<Group>, by viewer: Viewer, now: Instant) throws {
    try services.limits.count(Self.changing, viewer.id.description, now: now)
    try change(id, by: viewer, .leader) { group, writer in
      if let name = settings.name, name != group.name {
        try writing.rename(id, to: name, by: viewer.id, now: now, in: writer)
      }
      let joining = settings.mayJoin ?? group.mayJoin
      let inviting = settings.membersInvite ?? group.membersInvite
      guard joining != group.mayJoin || inviting != group.membersInvite else { return }
      try writing.set(
        mayJoin: joining, membersInvite: inviting, of: id, by: viewer.id, now: now, in: writer)
    }
  }

  /// Throws 429 after too many changes.
  func renewCode(of id: ID<Group>, by viewer: Viewer, now: Instant) throws {
    try services.limits.count(Self.changing, viewer.id.description, now: now)
    try change(id, by: viewer, .leader) { _, writer in
      try writing.renewCode(of: id, by: viewer.id, now: now, in: writer)
    }
  }

  func close(_ id: ID<Group>, by viewer: Viewer, now: Instant) throws {
    try change(id, by: viewer, .leaderAtAnyTime) { _, writer in
      try writing.close(id, by: viewer.id, now: now, in: writer)
    }
  }

  // MARK: Members

  /// A closed group can be left too, which takes it off the list.
  func leave(_ id: ID<Group>, by viewer: Viewer, now: Instant) throws {
    try services.site.database.write { writer in
      guard try services.store.visible(id, to: viewer.id, in: writer.reader) != nil else {
        throw Problem.notFound
      }
      try writing.leave(viewer.id, id, now: now, in: writer)
    }
  }

  /// Hands the lead to another member; to oneself it changes nothing. Throws 409 for somebody who
  /// is suspended: they can't lead.
  func handOver(
    _ id: ID<Group>, to person: ID<Person>, by viewer: Viewer, now: Instant
  ) throws {
    try change(id, by: viewer, .leaderAtAnyTime) { _, writer in
      try need(person, in: id, writer.reader)
      guard person != viewer.id else { return }
      guard try !services.moderationStatuses.isSuspended(person, now: now, in: writer.reader) else {
        throw Problem(.conflict)
      }
      try writing.lead(person, id, now: now, in: writer)
    }
  }

  /// Removes another member, who stays out until allowed again. Throws 409 for oneself: a leader
  /// leaves, or closes. Under another name, as a guest, they could come again by the code that they
  /// know: `renewsCode` makes that one unknown.
  func remove(
    _ person: ID<Person>, from id: ID<Group>, renewsCode: Bool, by viewer: Viewer, now: Instant
  ) throws {
    try change(id, by: viewer, .leader) { _, writer in
      try need(person, in: id, writer.reader)
      guard person != viewer.id else { throw Problem(.conflict) }
      try writing.remove(person, id, now: now, in: writer)
      if renewsCode { try writing.renewCode(of: id, by: viewer.id, now: now, in: writer) }
    }
  }

  func allow(
    _ person: ID<Person>, into id: ID<Group>, by viewer: Viewer, now: Instant
  ) throws {
    try change(id, by: viewer, .leader) { _, writer in
      guard try writing.allow(person, id, now: now, in: writer) else { throw Problem.notFound }
    }
  }

  private func need(_ person: ID<Person>, in id: ID<Group>, _ reader: ReadTransaction) throws {
    guard try services.store.member(person, of: id, in: reader) != nil else {
      throw Problem.notFound
    }
  }

  // MARK: Commands

  /// Calls something out to all others. Throws 403 when it is a leader's word and they are none, and
  /// 429 after too many.
  func call(
    _ kind: GroupEventKind, note: String?, in id: ID<Group>, by viewer: Viewer, now: Instant
  ) throws -> GroupEvent {
    try services.limits.count(Self.calling, "\(id) \(viewer.id)", now: now)
    let needed: Needed =
      GroupEventKind.answers.contains(kind)
      ? .member : kind == .emergency ? .leaderAtAnyTime : .leader
    return try change(id, by: viewer, needed) { group, writer in
      let note = note.flatMap { $0.isEmpty ? nil : $0 }
      try writing.note(kind, about: viewer.id, note, in: id, now: now, writer)
      let made = try services.store.latestEvents(of: id, most: 1, in: writer.reader).first
      guard let made else { throw Problem.internalError }
      return made
    }
  }
}
