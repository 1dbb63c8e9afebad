import Accounts
import Core
import Database
import Web

/// The actions of members and leaders, for pages and the API. Throws 404 if the viewer is not a
/// member, 403 if only the leader may act, and 410 if the group is closed.
struct GroupService: Sendable {
  /// Groups that one user may create.
  private static let making = RateLimit("groups-made", maximum: 30, window: .hours(1))
  /// Calls to the others, which reach every phone: per user and group.
  private static let calling = RateLimit("group-calls", maximum: 20, window: .minutes(1))
  /// Other changes that all members are notified of.
  static let changing = RateLimit("group-changes", maximum: 120, window: .hours(1))

  let services: GroupsEnvironment

  private var writing: GroupWriter { services.writing }

  /// The permission that an action requires.
  enum Needed {
    case member
    /// The leader, unless suspended (docs/developer/moderation.md#suspension).
    case leader
    /// The leader, suspended or not: for handing over the lead, and for emergencies.
    case leaderAtAnyTime
  }

  /// Changes an open group in one transaction, after checking the permission.
  func change<Result>(
    _ id: ID<Group>, by viewer: Viewer, _ needed: Needed,
    _ body: (Group, WriteTransaction) throws -> Result
  ) throws -> Result {
    try services.site.database.write { writer in
      guard let group = try services.store.visible(id, to: viewer.id, in: writer) else {
        throw Problem.notFound
      }
      guard group.isOpen else { throw Problem(.groupClosed) }
      guard needed == .member || group.isLedByViewer else { throw Problem(.forbidden) }
      guard needed != .leader || viewer.suspension == nil else { throw Problem(.suspended) }
      return try body(group, writer)
    }
  }

  // MARK: The group

  /// One line, 1 to 60 characters.
  static func name(_ entered: String, _ errors: inout [String: FieldError]) -> String {
    AccountRules.name(entered, limits: GroupRules.nameLimits, field: "name", &errors)
  }

  /// The same for a form with one field: throws 422 with its error.
  static func name(_ entered: String) throws -> String {
    var errors: [String: FieldError] = [:]
    let name = name(entered, &errors)
    guard errors.isEmpty else { throw Problem.invalid(GroupListPages.named(errors)) }
    return name
  }

  /// Creates a group led by the viewer. Throws 429 after too many.
  func make(_ name: String, by viewer: Viewer, now: Instant) throws -> ID<Group> {
    guard viewer.suspension == nil else { throw Problem(.suspended) }
    try services.limits.count(Self.making, viewer.id.description, now: now)
    return try services.site.database.write { writer in
      guard
        try services.store.groupCount(of: viewer.id, in: writer) < GroupRules.maximumGroups
      else { throw Problem(.limitReached) }
      let id = ID<Group>(now: now)
      try writing.add(id, name: name, leader: viewer.id, now: now, in: writer)
      return id
    }
  }

  /// The settings of a group; nil leaves one unchanged.
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

  /// Leaves a group; a closed one too, which removes it from the user's list.
  func leave(_ id: ID<Group>, by viewer: Viewer, now: Instant) throws {
    try services.site.database.write { writer in
      guard try services.store.visible(id, to: viewer.id, in: writer) != nil else {
        throw Problem.notFound
      }
      try writing.leave(viewer.id, id, now: now, in: writer)
    }
  }

  /// Hands the lead to another member; no effect for oneself. Throws 409 for a suspended member,
  /// who can't lead.
  func handOver(
    _ id: ID<Group>, to person: ID<Person>, by viewer: Viewer, now: Instant
  ) throws {
    try change(id, by: viewer, .leaderAtAnyTime) { _, writer in
      try need(person, in: id, writer)
      guard person != viewer.id else { return }
      guard try !services.moderationStatuses.isSuspended(person, now: now, in: writer) else {
        throw Problem(.conflict)
      }
      try writing.lead(person, id, now: now, in: writer)
    }
  }

  /// Removes another member, who may join again only once allowed. Throws 409 for oneself: a leader
  /// leaves or closes the group. A removed member could join again as a guest with the known code;
  /// `renewsCode` invalidates it.
  func remove(
    _ person: ID<Person>, from id: ID<Group>, renewsCode: Bool, by viewer: Viewer, now: Instant
  ) throws {
    try change(id, by: viewer, .leader) { _, writer in
      try need(person, in: id, writer)
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

  /// Sends a call to all other members. Throws 403 if it is reserved for the leader and the viewer
  /// is not, and 429 after too many.
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
      let made = try services.store.latestEvents(of: id, maximum: 1, in: writer).first
      guard let made else { throw Problem.internalError }
      return made
    }
  }
}
