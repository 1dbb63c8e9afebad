import Core
import HTTPTypes
import Templates
import Web

/// `/restore`: restores a deleted account after signing in again.
struct RestorePages {
  private let services: AccountsEnvironment
  private let page: Page<RestoreView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("accounts/deletion/restore", title: "restore.title", in: services.site)
  }

  /// Redirects a user here who completed the sign-in.
  static func offer(_ person: ID<Person>, deletedAt: Instant, _ context: Context) -> Response {
    RestoreCookie.set(RestoreCookie(person: person, deletedAt: deletedAt), context)
    return .seeOther(AccountLinks.restore)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    try asking(context, status: 200)
  }

  @Sendable func restore(_ context: Context) throws -> Response {
    guard let cookie = RestoreCookie.read(context),
      let role = try services.accountDeletion.restore(cookie, context)
    else { return try asking(context, status: 409) }
    RestoreCookie.clear(context)
    DeleteAccountPages.deletion.clear(context)
    try services.signIn(cookie.person, role: role, context)
    context.flash("toast.restored")
    return .seeOther("/")
  }

  /// The page with its button, or the reason why there is none. Redirects to the sign-in page
  /// without a fresh sign-in.
  private func asking(_ context: Context, status: Int) throws -> Response {
    guard let cookie = RestoreCookie.read(context),
      let returning = try services.site.database.read({
        try services.accountDeletion.store.returning(
          cookie.person, deletedAt: cookie.deletedAt, now: context.now, in: $0)
      })
    else { return .seeOther(AccountLinks.signIn) }
    let until = DateFormatting(context).moment(
      AccountDeletionService.restoreUntil(cookie.deletedAt))
    let view = RestoreView(name: returning.name, until: until, isTaken: returning.isTaken)
    return page.response(view, context, status: .init(code: status))
  }
}

struct RestoreView: View {
  let name: String
  let until: String
  let isTaken: Bool

  static let fields: [String: Field<RestoreView>] = [
    "action": .text { _ in AccountLinks.restore },
    "name": .text { $0.name },
    "until": .text { $0.until },
    "taken": .flag { $0.isTaken },
  ]
}
