import Core

/// Counts a person's unread notices, for the header of every page. Implemented by the notices
/// module, so that `Web` needs no table of them.
public protocol UnreadNotices: Sendable {
  /// The count as the header shows it: "3", "99+"; nil for none.
  func mark(for person: ID<Person>) throws -> String?
}

extension Context {
  /// The unread count of the header. A failure to count doesn't fail the page.
  var unreadNotices: String? {
    guard let viewer, let notices = site.notices else { return nil }
    return (try? notices.mark(for: viewer.id)) ?? nil
  }
}
