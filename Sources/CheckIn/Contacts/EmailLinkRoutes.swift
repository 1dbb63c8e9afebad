import Accounts
import Core
import Database
import Web

/// The routes of the links in mails (docs/developer/pages-and-forms.md#addresses), and of the page
/// of a contact who is signed in. No cache may store them, since the URL itself is the secret.
enum EmailLinkRoutes {
  static func all(_ services: CheckInEnvironment) throws -> [Route] {
    let broken = try ContactLinkPage(services)
    let contact = try ContactPage(services)
    let stop = try ContactStopPage(services)
    let tap = try CheckInLinkPage(services)
    let timer = try TimerLinkPage(services)
    return [
      Route(
        .get, "/timer/:token", .anyone, options: .noStore, handler: timer.link.handler(timer.show)),
      Route(
        .post, "/timer/:token", .anyone, options: .noStore,
        handler: timer.link.handler(timer.submit)),
      Route(.get, "/c", .anyone, options: .noStore, handler: broken.show),
      Route(
        .get, "/c/:token", .anyone, options: .noStore,
        handler: broken.orElse(contact.link.handler(contact.show))),
      Route(
        .post, "/c/:token", .anyone, options: .noStore,
        handler: broken.orElse(contact.link.handler(contact.submit))),
      Route(
        .get, "/checkin/people/:id", .atLeast(.guest), options: .noStore,
        handler: contact.link.handler(contact.show)),
      Route(
        .post, "/checkin/people/:id", .atLeast(.guest), options: .noStore,
        handler: contact.link.handler(contact.submit)),
      Route(.get, "/c/:token/stop", .anyone, options: .noStore, handler: broken.orElse(stop.show)),
      // Posted by mail programs (RFC 8058, section 3.2), which have no CSRF token.
      Route(
        .post, "/c/:token/stop", .anyone, options: [.noStore, .withoutCSRF], bodyLimit: 16 << 10,
        handler: broken.orElse(stop.submit)),
      Route(.get, "/tap/:token", .anyone, options: .noStore, handler: tap.link.handler(tap.show)),
      Route(
        .post, "/tap/:token", .anyone, options: .noStore, handler: tap.link.handler(tap.submit)),
    ]
  }
}

extension CheckInEnvironment {
  /// The user to which the link in a mail belongs; nil if the account is gone or the link has
  /// expired. Pages without a language of their own follow the user's.
  func personOfLink(_ context: Context, in reader: ReadTransaction) throws -> UserSummary? {
    try links.person(context.parameters["token"] ?? "", now: context.now).flatMap {
      try card(of: $0, context, in: reader)
    }
  }

  /// The same for a link to end a timer, with the timer that runs, and whether that is the link's.
  func timerOfLink(
    _ context: Context, in reader: ReadTransaction
  ) throws -> (card: UserSummary, running: CheckInTimer?, isLinked: Bool)? {
    let token = context.parameters["token"] ?? ""
    if let link = links.timer(token, now: context.now) {
      guard let card = try self.card(of: link.person, context, in: reader) else { return nil }
      let running = try timers.find(of: card.id, in: reader)
      return (card, running, running?.id == link.timer)
    }
    // Older mails name no timer: it is the one that ran when they were sent.
    guard let mail = links.timerMail(token, now: context.now),
      let card = try self.card(of: mail.person, context, in: reader)
    else { return nil }
    let running = try timers.find(of: card.id, in: reader)
    return (card, running, running.map { $0.startedAt <= mail.sentAt } ?? false)
  }

  private func card(
    of person: ID<Person>, _ context: Context, in reader: ReadTransaction
  ) throws -> UserSummary? {
    guard let card = try people.card(person, in: reader) else { return nil }
    if let language = card.language { context.fallBack(to: language) }
    return card
  }
}
