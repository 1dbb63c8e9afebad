import Basics
import Database
import Groups
import Notices

/// What happens in groups: live to who looks at one, as notices to who doesn't.
struct GroupNotices: GroupNews {
  private let live = LiveGroupNews()
  let board: NoticeBoard

  init(board: NoticeBoard) { self.board = board }

  func changed(_ group: ID<Group>, to version: Int, now: Instant, in writer: Writer) throws {
    try live.changed(group, to: version, now: now, in: writer)
  }

  func parted(
    _ person: ID<Person>, from group: ID<Group>, now: Instant, in writer: Writer
  ) throws {
    try live.parted(person, from: group, now: now, in: writer)
    // What is said among those whom they have left is theirs alone.
    try board.forget([.groupCall, .groupMember], subject: group.bytes, of: person, in: writer)
  }

  func logged(
    _ kind: GroupEventKind, by person: ID<Person>, in group: NamedGroup, to others: [ID<Person>],
    now: Instant, in writer: Writer
  ) throws {
    let isComing = [.joined, .left, .removed].contains(kind)
    let notice = NewNotice(
      isComing ? .groupMember : .groupCall, subject: group.id.bytes, actor: person,
      event: kind.rawValue, detail: group.name, path: GroupsLinks.group(group.id))
    try board.tell(others, notice, now: now, in: writer)
  }
}
