import Templates
import Web

/// The page for an invalid contact link, mostly one that a mail program has cut or changed.
struct ContactLinkPage {
  private let services: CheckInEnvironment
  private let page: Template<LinkExpiredView>

  init(_ services: CheckInEnvironment) throws {
    self.services = services
    page = try services.site.templates.template("checkin/contact-link")
  }

  @Sendable func show(_ context: Context) -> Response {
    let view = LinkExpiredView(page: PageView(context, title: "contact_link.title"))
    return .html(page.render(view, in: context.language), status: .notFound)
  }

  /// Responds with this page if the token in the path is invalid, and with `handler` otherwise.
  func orElse(_ handler: @escaping Handler) -> Handler {
    { context in
      guard services.links.contact(context.parameters["token"] ?? "") != nil else {
        return show(context)
      }
      return try handler(context)
    }
  }
}
