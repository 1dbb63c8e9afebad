import Core
import Templates
import Web

/// `/become-a-member`: a guest adds an address and a password, and keeps all data.
struct BecomeMemberPage {
  private let services: AccountsEnvironment
  private let page: Page<BecomeMemberView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("accounts/become-member", title: "become_member.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    guard try context.signedIn().role == .guest else { return .seeOther("/") }
    return response(context, errors: [:], status: 200)
  }

  @Sendable func register(_ context: Context) throws -> Response {
    let guest = try context.signedIn()
    guard guest.role == .guest else { return .seeOther("/") }
    do {
      try SignUpService(services: services).upgrade(
        guest, email: context.form["email"], password: context.form["password"],
        by: services.registrant(context), now: context.now)
    } catch let wrong as ValidationError {
      return response(context, errors: wrong.errors, status: 422)
    }
    return .seeOther(AccountLinks.waiting)
  }

  private func response(
    _ context: Context, errors: [String: FieldError], status: Int
  ) -> Response {
    let view = BecomeMemberView(email: context.form["email"], errors: errors.texts(context))
    return page.response(view, context, status: .init(code: status))
  }
}

struct BecomeMemberView: FormContent {
  let email: String
  let errors: [String: String]

  static let fields: [String: Field<BecomeMemberView>] = formFields(
    errors: ["email", "password"],
    [
      "action": .text { _ in AccountLinks.becomeMember },
      "email": .text { $0.email },
    ])
}
