import Accounts
import Core
import Database
import Templates
import Web

/// `/timer/{token}`: the link in a warning. Opening it ends nothing, since mail scanners open links
/// too; the button does. It works in any browser, but only for the user and the timer that it was
/// sent for.
struct TimerLinkPage {
  private let services: CheckInEnvironment
  private let page: Page<TimerLinkView>
  let link: EmailLinkPage

  init(_ services: CheckInEnvironment) throws {
    self.services = services
    page = try Page("checkin/timer-link", title: "timer.title", in: services.site)
    link = try EmailLinkPage(
      expired: "checkin/tap-expired", title: "checkin_link_expired.title", status: .notFound,
      in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response? {
    let found = try services.site.database.read { try services.timerOfLink(context, in: $0) }
    guard let found else { return nil }
    // The viewer may be signed out, and in another time zone.
    let when = DateFormatting(
      now: context.now, zone: services.zone(of: found.card), language: context.language,
      catalogues: context.site.catalogues)
    let view = TimerLinkView(
      token: context.parameters["token"] ?? "", name: found.card.name,
      running: found.isLinked
        ? found.running.map { RunningTimerView($0, when, context) } : nil,
      help: !found.isLinked && found.running?.isHelp == true
        ? found.running.map {
          context.text("timer.link_help", ["when": when.moment($0.startedAt)])
        } : nil)
    return page.response(view, context)
  }

  @Sendable func submit(_ context: Context) throws -> Response? {
    let toast: String? = try services.site.database.write { writer in
      guard let link = try services.timerOfLink(context, in: writer) else { return nil }
      guard let timer = link.running, link.isLinked else {
        return link.running?.isHelp == true ? "toast.help_already" : "toast.timer_over"
      }
      let ended = try TimerService(services: services)
        .end(link.card, only: timer.id, now: context.now, in: writer)
      return ended == nil ? "toast.timer_over" : "toast.timer_ended"
    }
    guard let toast else { return nil }
    context.flash(toast)
    return .seeOther(context.path)
  }
}

struct TimerLinkView: View {
  let token: String
  let name: String
  let running: RunningTimerView?
  /// The text in its place during a call for help, which no link of a timer ends.
  let help: String?

  static let fields: [String: Field<TimerLinkView>] = [
    "action": .text { CheckInLinks.timer($0.token) },
    "name": .name { $0.name },
    "checkin_link": .text { _ in CheckInLinks.page },
    "running": .optional { $0.running },
    "help": .optionalText { $0.help },
  ]
}
