import Core
import HTTPTypes
import Templates
import Web

/// The page of a registration link that is no longer valid, with a form that sends a new one
/// (`/verify/again`). The response is the same whether or not a registration waits for the address
/// (docs/developer/accounts.md#registering-a-couple).
struct NewLinkPages {
  private let services: AccountsEnvironment
  private let expired: Page<NewLinkView>
  private let sent: Page<EmptyContent>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    expired = try Page(
      "accounts/links/verify-expired", title: "verify_expired.title", in: services.site)
    sent = try Page("accounts/links/verify-sent", title: "reset_sent.title", in: services.site)
  }

  /// A handler that shows the page if `handler` returns nil.
  func handler(_ handler: @escaping @Sendable (Context) throws -> Response?) -> Handler {
    { context in try handler(context) ?? asking(context, errors: [:], status: .gone) }
  }

  @Sendable func show(_ context: Context) -> Response {
    asking(context, errors: [:], status: .ok)
  }

  @Sendable func send(_ context: Context) throws -> Response {
    var errors: [String: FieldError] = [:]
    guard let email = AccountRules.address(context.form["email"], field: "email", &errors) else {
      return asking(context, errors: errors, status: .unprocessableContent)
    }
    try services.registration.sendNewLink(to: email, from: context.address, now: context.now)
    return sent.response(EmptyContent(), context)
  }

  private func asking(
    _ context: Context, errors: [String: FieldError], status: HTTPResponse.Status
  ) -> Response {
    let view = NewLinkView(email: context.form["email"], errors: errors.texts(context))
    return expired.response(view, context, status: status)
  }
}

struct NewLinkView: FormContent {
  let email: String
  let errors: [String: String]

  static let fields: [String: Field<NewLinkView>] = formFields(
    errors: ["email"],
    [
      "action": .text { _ in AccountLinks.newLink },
      "email": .text { $0.email },
    ])
}
