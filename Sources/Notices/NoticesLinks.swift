import Accounts
import Core

/// Paths of these pages.
public enum NoticesLinks {
  public static let notices = "/notifications"
  public static let read = "/notifications/read"
  static let remove = "/notifications/remove"
  public static let settings = AccountLinks.notices
  /// The row of a kind on the settings page.
  static func settings(of kind: NoticeKind) -> String { "\(settings)#\(kind.rawValue)" }
  /// Page with the time of reminder mails.
  static let checkInSettings = "/checkin/settings"

  static let calendarSettings = AccountLinks.calendar
  static let calendar = "/couples/:id/anniversary.ics"

  static func calendar(of couple: ID<Couple>, token: String) -> String {
    "/couples/\(couple)/anniversary.ics?token=\(token)"
  }

  /// Marks a notice as read and redirects to its subject.
  static func open(_ id: ID<Notice>) -> String { "\(notices)/\(id)" }

  /// The notices that were not read.
  static let unread = "\(notices)?unread=1"

  static func older(_ cursor: String, isUnread: Bool) -> String {
    isUnread ? "\(unread)&after=\(cursor)" : "\(notices)?after=\(cursor)"
  }
}
