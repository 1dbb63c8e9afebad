import Accounts
import Core

/// Paths of these pages.
public enum NoticesLinks {
  public static let notices = "/notifications"
  public static let read = "/notifications/read"
  public static let settings = AccountLinks.notices
  /// Page with the time of reminder mails.
  static let checkInSettings = "/checkin/settings"

  static let calendarSettings = AccountLinks.calendar
  static let calendar = "/couples/:id/anniversary.ics"

  static func calendar(of couple: ID<Couple>, token: String) -> String {
    "/couples/\(couple)/anniversary.ics?token=\(token)"
  }

  /// Marks a notice as read and redirects to its subject.
  static func open(_ id: ID<Notice>) -> String { "\(notices)/\(id)" }

  static func older(_ cursor: String) -> String { "\(notices)?after=\(cursor)" }
}
