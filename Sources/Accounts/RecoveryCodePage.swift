import Basics
import Templates
import Web

/// `/settings/recovery-code`: a guest's code, shown once when it is new.
struct RecoveryCodePage {
  private let services: AccountServices
  private let page: Template<RecoveryCodeView>

  init(_ services: AccountServices) throws {
    self.services = services
    page = try services.site.templates.template("accounts/recovery-code")
  }

  @Sendable func show(_ request: Request, _ context: Context) throws -> Response {
    let guest = try guest(context)
    let code = Guests.newCode.read(for: guest.id, context)
    // Shown once: reloading says only since when there is one.
    Guests.newCode.clear(context)
    let view = RecoveryCodeView(
      page: PageView(context, title: "recovery_code.title"), code: code,
      since: try services.guests.codeMade(of: guest).map { When(context).moment($0) })
    return .html(page.render(view, in: context.language))
  }

  @Sendable func renew(_ request: Request, _ context: Context) throws -> Response {
    let guest = try guest(context)
    let code = GuestCode.random()
    try services.site.database.write {
      try services.guests.setCode(code, of: guest.id, now: context.now, in: $0)
    }
    try Guests.newCode.set(code.text, for: guest.id, context)
    return .seeOther(AccountLinks.recoveryCode)
  }

  /// Members have an address instead.
  private func guest(_ context: Context) throws -> Viewer {
    let viewer = try context.signedIn()
    guard viewer.role == .guest else { throw Problem.notFound }
    return viewer
  }
}

struct RecoveryCodeView: View {
  let page: PageView
  let code: String?
  let since: String?

  static let fields: [String: Field<RecoveryCodeView>] = [
    "page": .child { $0.page },
    "code": .optionalText { $0.code },
    "since": .optionalText { $0.since },
    "action": .text { _ in AccountLinks.recoveryCode },
    "member_link": .text { _ in AccountLinks.becomeMember },
  ]
}
