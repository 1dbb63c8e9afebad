import Core
import Database
import HTTPTypes
import Templates
import Web

/// `/c/{token}/stop`: refuses mail. Mail programs press it too, by a POST without cookies or CSRF
/// token (RFC 8058); the link itself is the authorization. A GET changes nothing.
struct ContactStopPage {
  private let services: CheckInEnvironment
  private let page: Page<ContactStopView>
  private let expired: Page<EmptyContent>

  init(_ services: CheckInEnvironment) throws {
    self.services = services
    page = try Page("checkin/contact-stop", in: services.site)
    expired = try Page("checkin/contact-expired", title: "contact_expired.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let contact: Contact? = try services.site.database.read { reader in
      let contact = try ContactLinkSession.contact(services, context, in: reader)
      if let contact { try speak(contact, context, in: reader) }
      return contact
    }
    guard let contact else { return linkExpired(context, .gone) }
    return shown(contact.state == .refused, context)
  }

  @Sendable func submit(_ context: Context) throws -> Response {
    let isOneClick = context.form["List-Unsubscribe"] == "One-Click"
    guard isOneClick || context.form["button"] == "stop" else { throw Problem.badRequest }
    let found = try services.site.database.write { writer in
      guard let contact = try ContactLinkSession.contact(services, context, in: writer)
      else {
        return false
      }
      try speak(contact, context, in: writer)
      try ContactService(services: services).stop(contact, now: context.now, in: writer)
      return true
    }
    // A mail program needs only a success status and follows no redirect (RFC 8058, section 3.1).
    guard found else { return linkExpired(context, isOneClick ? .ok : .gone) }
    if isOneClick { return shown(true, context) }
    context.flash("toast.contact_stopped")
    return .seeOther(context.path)
  }

  private func speak(_ contact: Contact, _ context: Context, in reader: ReadTransaction) throws {
    if let settings = try services.monitors.settings(of: contact.person, in: reader) {
      context.fallBack(to: settings.contactLanguage)
    }
  }

  private func shown(_ isStopped: Bool, _ context: Context) -> Response {
    let view = ContactStopView(token: context.parameters["token"] ?? "", isStopped: isStopped)
    return page.response(
      view, context, title: .key(isStopped ? "contact_stop.done_title" : "contact_stop.title"))
  }

  private func linkExpired(_ context: Context, _ status: HTTPResponse.Status) -> Response {
    return expired.response(EmptyContent(), context, status: status)
  }
}

struct ContactStopView: View {
  let token: String
  let isStopped: Bool

  static let fields: [String: Field<ContactStopView>] = [
    "action": .text { CheckInLinks.stop($0.token) },
    "contact_link": .text { CheckInLinks.contact($0.token) },
    "stopped": .flag { $0.isStopped },
  ]
}
