import Accounts
import Core
import Database
import Foundation
import Templates
import Web

/// `/c/{token}`: the page of a contact. The link in the mail authorizes it. A GET changes nothing,
/// since mail scanners open links too.
struct ContactPage {
  private enum Button: String {
    case reached
    case weeklyOn = "weekly-on"
    case weeklyOff = "weekly-off"
    /// "Write to me again".
    case again
  }

  private let services: CheckInEnvironment
  private let page: Page<ContactView>
  let link: EmailLinkPage

  init(_ services: CheckInEnvironment) throws {
    self.services = services
    page = try Page("checkin/contact", title: "contact_page.page", in: services.site)
    link = try EmailLinkPage(
      expired: "checkin/contact-expired", title: "contact_expired.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response? {
    let visit = try services.site.database.read {
      try ContactLinkSession(services, context, in: $0)
    }
    guard let visit else { return nil }
    return page.response(ContactView(visit, context), context)
  }

  @Sendable func submit(_ context: Context) throws -> Response? {
    guard let button = Button(rawValue: context.form["button"]) else { throw Problem.badRequest }
    let toast: String? = try services.site.database.write { writer in
      guard let visit = try ContactLinkSession(services, context, in: writer) else {
        return nil
      }
      return try take(button, visit, now: context.now, in: writer)
    }
    guard let toast else { return nil }
    context.flash(toast)
    return .seeOther(context.path)
  }

  /// Performs the action if it is still possible; returns the key of the message to show.
  private func take(
    _ button: Button, _ visit: ContactLinkSession, now: Instant, in writer: WriteTransaction
  ) throws -> String {
    let service = ContactService(services: services)
    switch button {
    case .reached:
      return try reach(visit, now: now, in: writer)
    case .weeklyOn, .weeklyOff:
      guard visit.contact.counts, !visit.isRemoved else { return "toast.weekly_not_now" }
      try service.setWeekly(button == .weeklyOn, for: visit.contact, now: now, in: writer)
      return button == .weeklyOn ? "toast.weekly_on" : "toast.weekly_off"
    case .again:
      if !visit.contact.counts { try service.again(visit.contact, now: now, in: writer) }
      return "toast.contact_again"
    }
  }

  /// Reports that the user was reached. The message differs if another contact was first or a
  /// check-in ended the alert.
  private func reach(
    _ visit: ContactLinkSession, now: Instant, in writer: WriteTransaction
  ) throws -> String {
    guard let alert = visit.alert else { return "toast.reached_over" }
    if try AlertService(services: services).reached(by: visit.contact, now: now, in: writer) {
      return "toast.reached"
    }
    return alert.reachedBy == visit.contact.id ? "toast.reached" : "toast.reached_already"
  }
}
