import Core
import Templates
import Web

/// `/recover`: a guest opens their data on another device.
struct RecoverPage {
  private let services: AccountsEnvironment
  private let page: Template<RecoverView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try services.site.templates.template("accounts/recover")
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
    let view = RecoverView(
      page: PageView(context, title: "recover.title"), errors: errors.texts(context))
    return .html(page.render(view, in: context.language), status: .init(code: status))
  }
}

struct RecoverView: View {
  let page: PageView
  let errors: [String: String]

  static let fields: [String: Field<RecoverView>] = [
    "page": .child { $0.page },
    "action": .text { _ in AccountLinks.recover },
    "recovery_code_error": .optionalText { $0.errors["recovery_code"] },
    "errors": .optional { ErrorsView($0.errors, order: ["recovery_code"]) },
  ]
}
