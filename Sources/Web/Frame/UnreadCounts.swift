import Core
import Database
import Templates

/// Counts a user's unread notices and messages, for the header of every page. Implemented by `App`,
/// so that `Web` needs no table of them.
public protocol UnreadCounter: Sendable {
  func counts(for viewer: Viewer, in reader: ReadTransaction) throws -> UnreadCounts
}

/// The unread notices and messages of a user, each up to a limit: 100 stands for more.
public struct UnreadCounts: Sendable {
  let notices: Int
  let messages: Int

  public init(notices: Int = 0, messages: Int = 0) {
    self.notices = notices
    self.messages = messages
  }

  /// A count as the header shows it: "3", "99+"; nil for none.
  static func mark(_ count: Int) -> String? {
    guard count > 0 else { return nil }
    return count < 100 ? String(count) : "99+"
  }
}

extension Context {
  /// Reads the unread counts of the header together with a page's content; other pages have a
  /// transaction of their own for them. Called last: a failure to count doesn't fail the page.
  public func readUnreadCounts(in reader: ReadTransaction) {
    guard let viewer, let counter = site.unread else { return }
    readCounts = try? counter.counts(for: viewer, in: reader)
  }

  /// The unread counts of the header.
  var unreadCounts: UnreadCounts {
    if let readCounts { return readCounts }
    guard let viewer, let counter = site.unread else { return UnreadCounts() }
    let counts = try? site.database.read { try counter.counts(for: viewer, in: $0) }
    return counts ?? UnreadCounts()
  }
}

/// The number of unread messages: "3", "99+".
public struct UnreadMessagesView: View {
  let count: Int

  public static let fields: [String: Field<UnreadMessagesView>] = [
    "count": .integer { $0.count },
    "mark": .text { UnreadCounts.mark($0.count) ?? "" },
  ]
}
