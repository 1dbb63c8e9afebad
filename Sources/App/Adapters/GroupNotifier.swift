import Core
import Database
import Groups
import Notices

/// Reports group events: live to members who have the group's page open, as notices to the others.
struct GroupNotifier: GroupObserver {
  private let live = LiveGroupNotifier()
  let board: NoticeService

  init(board: NoticeService) { self.board = board }

  func changed(_ group: ID<Group>, to version: Int, now: Instant, in writer: WriteTransaction)
    throws
  {
    try live.changed(group, to: version, now: now, in: writer)
  }

  func parted(
    _ person: ID<Person>, from group: ID<Group>, now: Instant, in writer: WriteTransaction
  ) throws {
    try live.parted(person, from: group, now: now, in: writer)
    // Events among the remaining members are not for a person who left.
    try board.forget(
      [.groupCall, .groupEmergency, .groupWaypoint, .groupChange, .groupMember],
      subject: group.bytes, of: person, in: writer)
  }

  func logged(
    _ event: GroupNoticeEvent, in group: GroupSummary, to others: [ID<Person>], now: Instant,
    in writer: WriteTransaction
  ) throws {
    let notice = NewNotice(
      Self.kind(of: event.kind), subject: group.id.bytes, actor: event.actor,
      event: Self.name(of: event), detail: group.name, note: event.note ?? "",
      path: GroupsLinks.group(group.id))
    try board.notify(others, notice, now: now, in: writer)
  }

  /// The event as notices store it: who closed a group decides on the words.
  private static func name(of event: GroupNoticeEvent) -> String {
    event.kind == .closed && event.actor == nil ? "closed_by_operator" : event.kind.rawValue
  }

  private static func kind(of event: GroupEventKind) -> NoticeKind {
    switch event {
    case .joined, .left, .removed: .groupMember
    case .emergency, .needHelp: .groupEmergency
    case .waypointActive: .groupWaypoint
    case .leads, .closed: .groupChange
    default: .groupCall
    }
  }
}
