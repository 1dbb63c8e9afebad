import Core
import Templates
import Web

/// `/become-a-member`: a guest adds an address and a password, and keeps all data.
struct BecomeMemberPage {
  /// Keeps the page that the guest came from until the mailed link was opened in this browser.
  static let origin = SealedCookie(name: "guest_next", lifetime: .days(1))

  private let services: AccountsEnvironment
  private let page: Page<BecomeMemberView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("accounts/become-member", title: "become_member.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let next = context.request.queryValue("next")
    guard try context.signedIn().role == .guest else {
      return .seeOther(Context.safePath(next) ?? "/")
    }
    return response(context, next: next, errors: [:], status: 200)
  }

  @Sendable func register(_ context: Context) throws -> Response {
    let guest = try context.signedIn()
    guard guest.role == .guest else { return .seeOther("/") }
    do {
      try SignUpService(services: services).upgrade(
        guest, email: context.form["email"], password: context.form["password"],
        by: services.registrant(context), now: context.now)
    } catch let wrong as ValidationError {
      return response(context, next: context.form["next"], errors: wrong.errors, status: 422)
    }
    let next = context.next()
    if next == "/" {
      Self.origin.clear(context)
    } else {
      try Self.origin.set(next, for: guest.id, context)
    }
    return .seeOther(AccountLinks.waiting)
  }

  private func response(
    _ context: Context, next: String?, errors: [String: FieldError], status: Int
  ) -> Response {
    let view = BecomeMemberView(
      email: context.form["email"], next: Context.safePath(next), errors: errors.texts(context))
    return page.response(view, context, status: .init(code: status))
  }
}

struct BecomeMemberView: FormContent {
  let email: String
  /// The page to return to, if there is one.
  let next: String?
  let errors: [String: String]

  static let fields: [String: Field<BecomeMemberView>] = formFields(
    errors: ["email", "password"],
    [
      "action": .text { _ in AccountLinks.becomeMember },
      "email": .text { $0.email },
      "next": .optionalText { $0.next },
      "sign_in_link": .text {
        $0.next.map { AccountLinks.signIn(next: $0) } ?? AccountLinks.signIn
      },
    ])
}
