import Core
import Groups
import Moderation

/// Actions on groups from the command line.
public struct GroupCommands {
  private let instance: Instance

  private var operations: OperatorGroups { instance.features.groups.operations }

  public init(_ instance: Instance) {
    self.instance = instance
  }

  /// Opens an instance for a command.
  public static func open(_ configuration: Configuration) throws -> GroupCommands {
    GroupCommands(try Instance.forCommand(configuration))
  }

  /// The open groups, the newest first.
  public func list(limit: Int = 100) throws -> ListAnswer<GroupAnswer> {
    ListAnswer(
      items: try operations.open(limit: limit).map { GroupAnswer($0) },
      emptyLine: "There are no open groups.")
  }

  /// One group. Throws `OperatorGroups.UnknownGroup`.
  public func show(_ id: String) throws -> GroupAnswer { GroupAnswer(try operations.find(id)) }

  /// Closes a group. Throws `OperatorGroups.UnknownGroup`.
  public func end(_ id: String, isDryRun: Bool = false) throws -> EndedGroupAnswer {
    let group = try operations.end(
      id, log: AuditLog(), isDryRun: isDryRun, now: instance.site.clock.now())
    return EndedGroupAnswer(
      id: group.id.description, name: group.name, members: group.members,
      wasClosed: group.closedAt != nil, dryRun: isDryRun)
  }
}

/// A group in `pairspot group list` and `show`.
public struct GroupAnswer: CommandAnswer {
  let id: String
  let name: String
  let leader: String?
  let members: Int
  let createdAt: String
  let closedAt: String?

  init(_ group: OperatorGroup) {
    id = group.id.description
    name = group.name
    leader = group.leader
    members = group.members
    createdAt = group.createdAt.rfc3339
    closedAt = group.closedAt?.rfc3339
  }

  public var lines: [String] {
    var cells = [id, name, leader ?? "-", members.counted("member"), createdAt]
    if let closedAt { cells.append("closed \(closedAt)") }
    return [cells.joined(separator: "\t")]
  }
}

/// A group that was closed, or would be.
public struct EndedGroupAnswer: CommandAnswer {
  let id: String
  let name: String
  let members: Int
  let wasClosed: Bool
  let dryRun: Bool

  public var lines: [String] {
    if wasClosed { return ["The group \(name) is closed already."] }
    let group = "the group \(name) with \(members.counted("member"))"
    return [dryRun ? "Dry run: \(group) would be closed." : "Closed \(group)."]
  }
}
