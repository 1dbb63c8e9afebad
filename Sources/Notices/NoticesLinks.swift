import Accounts
import Core

/// The addresses of these pages.
public enum NoticesLinks {
  public static let notices = "/notifications"
  public static let read = "/notifications/read"
  public static let settings = AccountLinks.notices
  /// Where the hour of reminder mails is set.
  static let checkInSettings = "/checkin/settings"

  static let calendarSettings = AccountLinks.calendar
  static let calendar = "/couples/:id/anniversary.ics"

  static func calendar(of couple: ID<Couple>, token: String) -> String {
    "/couples/\(couple)/anniversary.ics?token=\(token)"
  }

  /// Marks one as read and leads to what it is about.
  static func open(_ id: ID<Notice>) -> String { "\(notices)/\(id)" }

  static func older(_ cursor: String) -> String { "\(notices)?after=\(cursor)" }
}
