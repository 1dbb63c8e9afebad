import Accounts
import Core
import Database
import Foundation
import Templates
import Web

/// `/c/{token}`: the page of a contact. The link in the mail authorizes it. A GET changes nothing,
/// since mail scanners open links too. A partner who is signed in has it at `/checkin/people/{id}`.
struct ContactPage {
  private enum Button: String {
    case looking
    case reached
    /// Sent by a script when the page is looked at.
    case opened
    /// "I got it", of an exercise.
    case exercise
    /// Shows the user's sheet.
    case sheet
    case weeklyOn = "weekly-on"
    case weeklyOff = "weekly-off"
    /// The code of a channel.
    case prove
    /// A browser that shows notifications.
    case push
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
    return page.response(
      ContactView(
        visit, offers: services.channelOffers, pushKey: services.push.publicKey, context), context)
  }

  @Sendable func submit(_ context: Context) throws -> Response? {
    guard let button = Button(rawValue: context.form["button"]) else { throw Problem.badRequest }
    if button == .sheet { return try showSheet(context) }
    if button == .push { return try addBrowser(context) }
    let toast: String? = try services.site.database.write { writer in
      guard let visit = try ContactLinkSession(services, context, in: writer) else {
        return nil
      }
      return try take(
        button, visit, (channel: context.form["channel"], code: context.form["code"]),
        now: context.now, in: writer)
    }
    guard let toast else { return nil }
    if button == .opened { return .noContent() }
    context.flash(toast)
    return .seeOther(context.path)
  }

  /// The page with the user's sheet; that it was read is recorded.
  private func showSheet(_ context: Context) throws -> Response? {
    let found: (visit: ContactLinkSession, sheet: String)? = try services.site.database.write {
      guard let visit = try ContactLinkSession(services, context, in: $0) else { return nil }
      guard visit.hasSheet, let alert = visit.alert else { return (visit, "") }
      let isNew = try services.escalation.readSheet(
        alert, by: visit.contact.id, now: context.now, in: $0)
      if isNew {
        try services.record.add(
          .sheet, contact: visit.contact.id, of: visit.card.id, now: context.now, in: $0)
      }
      return (visit, try services.monitors.settings(of: visit.card.id, in: $0)?.sheet ?? "")
    }
    guard let found else { return nil }
    let view = ContactView(
      found.visit, offers: services.channelOffers, pushKey: services.push.publicKey,
      sheet: found.sheet, context)
    return page.response(view, context)
  }

  /// Adds the contact's browser as a channel.
  private func addBrowser(_ context: Context) throws -> Response? {
    let form = context.form
    // Resolving the name of a push service blocks: not without a link, and not without a limit.
    let contact = try services.site.database.read {
      try ContactLinkSession.contact(services, context, in: $0)
    }
    guard let contact else { return nil }
    try services.limits.count(
      ChannelService.browsers, contact.id.description, now: context.now)
    guard
      let target = services.push.target(
        endpoint: form["endpoint"], p256dh: form["p256dh"], auth: form["auth"])
    else { throw Problem.badRequest }
    let toast: String? = try services.site.database.write { writer in
      guard let visit = try ContactLinkSession(services, context, in: writer) else { return nil }
      guard visit.contact.state != .refused, !visit.isRemoved else { return "toast.weekly_not_now" }
      return try ChannelService(services: services).add(
        target, to: visit.contact, now: context.now, in: writer)
        ? "toast.channel_code_sent" : "toast.channels_full"
    }
    guard let toast else { return nil }
    context.flash(toast)
    return .seeOther(context.path)
  }

  /// Performs the action if it is still possible; returns the key of the message to show.
  private func take(
    _ button: Button, _ visit: ContactLinkSession, _ entered: (channel: String, code: String),
    now: Instant, in writer: WriteTransaction
  ) throws -> String {
    let service = ContactService(services: services)
    switch button {
    case .opened:
      if let alert = visit.alert {
        try services.escalation.opened(alert, by: visit.contact.id, now: now, in: writer)
      }
      return ""
    case .sheet, .push: return ""
    case .exercise:
      try ExerciseService(services: services).answer(visit.contact, now: now, in: writer)
      return "toast.exercise_answered"
    case .looking:
      return try AlertService(services: services).looking(by: visit.contact, now: now, in: writer)
        ? "toast.looking" : visit.alert == nil ? "toast.reached_over" : "toast.reached_already"
    case .reached:
      return try reach(visit, now: now, in: writer)
    case .weeklyOn, .weeklyOff:
      guard visit.contact.receivesMail, !visit.isRemoved else { return "toast.weekly_not_now" }
      try service.setWeekly(button == .weeklyOn, for: visit.contact, now: now, in: writer)
      return button == .weeklyOn ? "toast.weekly_on" : "toast.weekly_off"
    case .prove:
      guard
        let channel = visit.unprovenChannels.first(where: { $0.id.description == entered.channel })
      else { return "toast.channel_code_old" }
      return try ChannelService(services: services).prove(
        channel, by: entered.code, now: now, in: writer)
        ? "toast.channel_works" : "toast.channel_code_wrong"
    case .again:
      if !visit.contact.receivesMail { try service.again(visit.contact, now: now, in: writer) }
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
