import HTTPTypes
import Secrets

/// The page for links in mails that are no longer valid, and the handlers of those that are.
///
/// Opening a link changes nothing, because mail scanners open links too; a button on its page does.
public struct EmailLinkPage: Sendable {
  private let expired: Page<EmptyContent>
  private let status: HTTPResponse.Status

  /// - Parameters:
  ///   - expired: The template for an expired link.
  ///   - title: The key of its title.
  public init(
    expired: String, title: String, status: HTTPResponse.Status = .gone, in site: AppEnvironment
  ) throws {
    self.expired = try Page(expired, title: title, in: site)
    self.status = status
  }

  /// A handler that shows the page for expired links if `handler` returns nil.
  public func handler(_ handler: @escaping @Sendable (Context) throws -> Response?) -> Handler {
    { context in
      try handler(context) ?? expired.response(EmptyContent(), context, status: status)
    }
  }
}

extension Context {
  /// The token of the link in a mail: of its address when opened, of the form when its button is
  /// pressed. Nil if it is malformed.
  public var linkToken: Token? {
    let text = request.method == .get ? request.queryValue("token") : form["token"]
    return text.flatMap { Token($0) }
  }
}
