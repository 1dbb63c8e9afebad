import Core
import Database
import Messages
import Notices
import Web

/// Counts unread notices and messages for the header of every page, in one statement.
struct UnreadCountStore: UnreadCounter {
  func counts(for viewer: Viewer, in reader: ReadTransaction) throws -> UnreadCounts {
    try reader.first(
      "SELECT \(NoticeStore.unreadCount(of: viewer.id)), \(UnreadMessages.count(of: viewer))"
    ) { UnreadCounts(notices: try $0.next(), messages: try $0.next()) } ?? UnreadCounts()
  }
}
