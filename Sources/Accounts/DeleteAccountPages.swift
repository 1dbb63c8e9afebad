import Basics
import HTTPTypes
import Templates
import Web

/// `/settings/delete`: says plainly what happens, asks for the password, and does it at once. A
/// guest is forgotten by one button.
struct DeleteAccountPages {
  private let services: AccountServices
  private let page: Template<DeleteAccountView>

  init(_ services: AccountServices) throws {
    self.services = services
    page = try services.site.templates.template("accounts/delete")
  }

  @Sendable func show(_ request: Request, _ context: Context) throws -> Response {
    try asking(context, errors: [:], status: 200)
  }

  @Sendable func delete(_ request: Request, _ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    if viewer.role == .guest {
      try services.leaving.forget(guest: viewer, now: context.now)
    } else {
      var errors: [String: FieldError] = [:]
      try AskingAgain(services: services).check(context, &errors)
      guard errors.isEmpty else { return try asking(context, errors: errors, status: 422) }
      try services.leaving.delete(viewer, context)
    }
    context.endSession()
    DeviceCookie.forget(context)
    context.say(viewer.role == .guest ? "toast.forgotten" : "toast.account_deleted")
    var response = Response.seeOther("/")
    if context.site.cookieStyle.secure { response.headers[.clearSiteData] = "\"cache\"" }
    return response
  }

  private func asking(
    _ context: Context, errors: [String: FieldError], status: Int
  ) throws -> Response {
    let viewer = try context.signedIn()
    let isGuest = viewer.role == .guest
    let view = DeleteAccountView(
      page: PageView(context, title: isGuest ? "forget_me.title" : "leave.title"),
      isGuest: isGuest, partnerName: viewer.couple?.partner?.name, errors: errors.texts(context))
    return .html(page.render(view, in: context.language), status: .init(code: status))
  }
}

struct DeleteAccountView: View {
  let page: PageView
  let isGuest: Bool
  let partnerName: String?
  let errors: [String: String]

  static let fields: [String: Field<DeleteAccountView>] = [
    "page": .child { $0.page },
    "settings_link": .text { _ in AccountLinks.settings },
    "action": .text { _ in AccountLinks.deleteAccount },
    "export_link": .text { _ in AccountLinks.export },
    "guest": .flag { $0.isGuest },
    "partner_name": .optionalText { $0.partnerName },
    "current_password_error": .optionalText { $0.errors["current_password"] },
    "errors": .optional { ErrorsView($0.errors, order: ["current_password"]) },
  ]
}
