import Accounts
import Core
import Database
import Foundation
import Mail
import Templates
import Web

/// `/tap/{token}`: the link in a reminder. Opening it never checks in, since mail scanners open
/// links too; the button does. It works in any browser, but only for the user it was sent to.
struct CheckInLinkPage {
  private let services: CheckInEnvironment
  private let page: Page<CheckInLinkView>
  let link: EmailLinkPage

  init(_ services: CheckInEnvironment) throws {
    self.services = services
    page = try Page("checkin/tap", title: "checkin_link.title", in: services.site)
    link = try EmailLinkPage(
      expired: "checkin/tap-expired", title: "checkin_link_expired.title", status: .notFound,
      in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response? {
    let view: CheckInLinkView? = try services.site.database.read { reader in
      guard let card = try services.personOfLink(context, in: reader) else { return nil }
      let when = DateFormatting(
        now: context.now, zone: services.zone(of: card), language: context.language,
        catalogues: context.site.catalogues)
      return CheckInLinkView(
        token: context.parameters["token"] ?? "", name: card.name,
        zone: context.timeZoneName(for: services.personZone(of: card)),
        when: when,
        done: try services.checkIns.find(when.today, of: card.id, in: reader),
        timer: try services.timers.find(of: card.id, in: reader).flatMap {
          RunningTimerView($0, when, context).state
        })
    }
    guard let view else { return nil }
    return page.response(view, context)
  }

  @Sendable func submit(_ context: Context) throws -> Response? {
    let metrics = services.site.metrics
    let outcome: CheckInService.Outcome? = try CheckInFailure.counting(in: metrics) {
      try services.site.database.write { writer in
        guard let card = try services.personOfLink(context, in: writer) else { return nil }
        return try CheckInService(services: services).tap(by: card, now: context.now, in: writer)
      }
    }
    guard let outcome else {
      CheckInFailure.linkEnded.count(in: metrics)
      return nil
    }
    // A viewer who is not signed in here would not see the result on the next page.
    if context.viewer == nil { CheckInPage.justTapped.set(context) }
    context.flash(outcome.toast)
    return .seeOther(CheckInLinks.page)
  }
}

struct CheckInLinkView: View {
  let token: String
  let name: String
  /// The name of the time in which the user's days are counted.
  let zone: String
  let when: DateFormatting
  /// Today's check-in, if any.
  let done: CheckIn?
  /// The state of a timer, which a check-in does not end while it runs.
  let timer: String?

  static let fields: [String: Field<CheckInLinkView>] = [
    "action": .text { CheckInLinks.tap($0.token) },
    "checkin_link": .text { _ in CheckInLinks.page },
    "name": .name { $0.name },
    "day": .text { $0.when.day($0.when.today) },
    "zone": .text { $0.zone },
    "done": .flag { $0.done != nil },
    "timer": .optionalText { $0.timer },
    "done_at": .text { view in view.done.map { view.when.moment($0.tappedAt) } ?? "" },
  ]
}
