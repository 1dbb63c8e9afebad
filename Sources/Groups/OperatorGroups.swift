import Accounts
import Core
import Database

/// Actions of the operator on groups, for commands.
public struct OperatorGroups: Sendable {
  /// No group has that id.
  public struct UnknownGroup: Error, CustomStringConvertible {
    public let description = "no group has that id"
  }

  let services: GroupsEnvironment

  /// The open groups, the newest first.
  public func open(limit: Int) throws -> [OperatorGroup] {
    try services.site.database.read { try services.store.open(limit: limit, in: $0) }
  }

  /// Throws `UnknownGroup`.
  public func find(_ id: String) throws -> OperatorGroup {
    let found = try ID<Group>(id).flatMap { id in
      try services.site.database.read { try services.store.operatorGroup(of: id, in: $0) }
    }
    guard let found else { throw UnknownGroup() }
    return found
  }

  /// Closes a group for all its members, with an audit line; returns it as it was. Throws
  /// `UnknownGroup`.
  public func end(
    _ id: String, log: any AuditLogging, isDryRun: Bool, now: Instant
  ) throws -> OperatorGroup {
    let group = try find(id)
    guard group.closedAt == nil else { return group }
    try services.site.database.write(isDryRun: isDryRun) { writer in
      try services.writing.close(group.id, by: nil, now: now, in: writer)
      try log.note(
        .endGroup, to: AuditTarget(kind: "group", bytes: group.id.bytes), details: "", by: nil,
        now: now, in: writer)
    }
    return group
  }
}
