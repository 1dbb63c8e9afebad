import Core
import Database
import Templates
import Web

/// The state of a user's check-in today, and the alerts that were sent to them.
public struct CheckInToday: Sendable {
  /// Whether the user has checked in; nil if that is not expected.
  public let hasCheckedIn: Bool?
  /// "Timer until 15:14"; nil without a timer, and once the contacts are alerted.
  public let timer: String?
  /// That the user's contacts were alerted, while the alert is open.
  public let alert: String?
  /// The alerts about others that the user received as a contact.
  public let received: [ReceivedAlertView]

  public init(_ viewer: Viewer, _ context: Context, in reader: ReadTransaction) throws {
    let today = try TodayStore().today(of: viewer.id, on: context.today, in: reader)
    hasCheckedIn = today?.hasCheckedIn
    let when = DateFormatting(context)
    timer = today?.timerEndsAt.map {
      context.text(
        $0 <= context.now ? "home.timer_over" : "home.timer", ["when": when.momentOrTime($0)])
    }
    alert = today?.alertedAt.map { context.text("home.alert", ["when": when.moment($0)]) }
    received =
      today?.mayBeAlerted == true
      ? try ReceivedAlertView.all(for: viewer, context, in: reader) : []
  }
}

/// An alert about another user, with the page that says what to do.
public struct ReceivedAlertView: View {
  public let text: String
  public let path: String

  /// The open alerts that were sent to a viewer as a contact.
  static func all(
    for viewer: Viewer, _ context: Context, in reader: ReadTransaction
  ) throws -> [ReceivedAlertView] {
    try TodayStore().received(by: viewer.id, in: reader).map { ReceivedAlertView($0, context) }
  }

  private init(_ alert: TodayStore.ReceivedAlert, _ context: Context) {
    let when = DateFormatting(context)
    path = CheckInLinks.asContact(alert.contact)
    text =
      if alert.isHelp {
        context.text(
          "checkin.received_help", ["name": alert.name, "when": when.moment(alert.claimedAt)])
      } else if alert.isTimer {
        context.text("checkin.received_timer", ["name": alert.name])
      } else {
        context.text(
          "checkin.received_silence",
          ["name": alert.name, "when": when.moment(alert.lastTap ?? alert.claimedAt)])
      }
  }

  public static let fields: [String: Field<ReceivedAlertView>] = [
    "words": .text { $0.text },
    "link": .text { $0.path },
  ]
}
