import Core
import Templates
import Web

/// `/recover`: a guest opens their data on another device.
struct RecoverPage {
  private let services: AccountsEnvironment
  private let page: Page<RecoverView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("accounts/recover", title: "recover.title", in: services.site)
  }

  @Sendable func show(_ context: Context) -> Response {
    response(context, errors: [:], status: 200)
  }

  @Sendable func recover(_ context: Context) throws -> Response {
    let entered = context.form["recovery_code"]
    guard !entered.asOneLine.isEmpty else {
      return response(context, errors: ["recovery_code": .empty("recovery_code")], status: 422)
    }
    let shown = try GuestService(services: services).find(
      entered, from: context.address, now: context.now)
    if shown == nil { context.note(.signInFailed) }
    guard let shown, try services.signIn(shown, role: .guest, context) else {
      return response(
        context, errors: ["recovery_code": FieldError("error.recovery_code")], status: 422)
    }
    context.flash("toast.signed_in")
    return .seeOther(AccountLinks.afterRecovery)
  }

  private func response(
    _ context: Context, errors: [String: FieldError], status: Int
  ) -> Response {
    let view = RecoverView(errors: errors.texts(context))
    return page.response(view, context, status: .init(code: status))
  }
}

struct RecoverView: FormContent {
  let errors: [String: String]

  static let fields: [String: Field<RecoverView>] = formFields(
    errors: ["recovery_code"],
    [
      "action": .text { _ in AccountLinks.recover }
    ])
}
