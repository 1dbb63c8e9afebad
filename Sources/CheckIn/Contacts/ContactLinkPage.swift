import Templates
import Web

/// The page for an invalid contact link, mostly one that a mail program has cut or changed.
struct ContactLinkPage {
  private let services: CheckInEnvironment
  private let page: Page<EmptyContent>

  init(_ services: CheckInEnvironment) throws {
    self.services = services
    page = try Page("checkin/contact-link", title: "contact_link.title", in: services.site)
  }

  @Sendable func show(_ context: Context) -> Response {
    return page.response(EmptyContent(), context, status: .notFound)
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
