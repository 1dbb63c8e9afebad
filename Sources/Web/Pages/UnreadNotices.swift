import Core

/// Who knows how much somebody has not read yet, for the header of every page: the room of notices
/// answers it, so that `Web` needs no table of them.
public protocol UnreadNotices: Sendable {
  /// As the header says it: "3", "99+"; nil for nothing.
  func mark(for person: ID<Person>) throws -> String?
}

extension Context {
  /// What the header says of notices. A page isn't lost because it can't be counted.
  var unreadNotices: String? {
    guard let viewer, let notices = site.notices else { return nil }
    return (try? notices.mark(for: viewer.id)) ?? nil
  }
}
