import Core
import HTTPTypes
import Templates
import Web

/// `/settings/delete`: explains what happens, asks for the password, and deletes the account at
/// once; `/account-deleted` then says until when it can be restored. A guest signs out on this
/// device or deletes the account, and is asked for the recovery code.
struct DeleteAccountPages {
  /// The moment of the deletion in ms, for the page after it.
  static let deletion = SealedCookie(name: "account-deleted", lifetime: .hours(1))

  private let services: AccountsEnvironment
  private let page: Page<DeleteAccountView>
  private let deleted: Page<DeletedAccountView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("accounts/deletion/delete", in: services.site)
    deleted = try Page(
      "accounts/deletion/deleted", title: "account_deletion.done_title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    try reauthentication.detour(next: AccountLinks.deleteAccount, context)
      ?? asking(context, errors: [:], status: 200)
  }

  private var reauthentication: ReauthenticationService {
    ReauthenticationService(.deleteAccount, services: services)
  }

  @Sendable func delete(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    if viewer.role == .guest { return try forget(viewer, context) }
    var errors: [String: FieldError] = [:]
    try reauthentication.check(context, &errors)
    guard errors.isEmpty else { return try asking(context, errors: errors, status: 422) }
    try services.accountDeletion.delete(viewer, context)
    try Self.deletion.set(String(context.now.milliseconds), context)
    return leave(context, to: AccountLinks.accountDeleted)
  }

  /// The page after a deletion, for an hour; then the sign-in page.
  @Sendable func farewell(_ context: Context) -> Response {
    guard let milliseconds = Self.deletion.read(context).flatMap({ Int64($0) }) else {
      return .seeOther(AccountLinks.signIn)
    }
    let until = AccountDeletionService.restoreUntil(Instant(milliseconds: milliseconds))
    return deleted.response(
      DeletedAccountView(until: DateFormatting(context).moment(until)), context)
  }

  /// `everywhere` deletes the guest's data; otherwise the guest only signs out on this device.
  private func forget(_ guest: Viewer, _ context: Context) throws -> Response {
    var errors: [String: FieldError] = [:]
    try reauthentication.checkGuest(context, &errors)
    guard errors.isEmpty else { return try asking(context, errors: errors, status: 422) }
    if context.form.has("everywhere") {
      try services.accountDeletion.forget(guest: guest, now: context.now)
    } else {
      try services.accountDeletion.signOut(guest, context)
    }
    GuestCreator.newCode.clear(context)
    TrustedDeviceCookie.forget(context)
    context.flash(context.form.has("everywhere") ? "toast.forgotten" : "toast.forgotten_here")
    return leave(context, to: "/")
  }

  private func leave(_ context: Context, to path: String) -> Response {
    context.endSession()
    var response = Response.seeOther(path)
    if context.site.cookieStyle.secure { response.headers[.clearSiteData] = "\"cache\"" }
    return response
  }

  private func asking(
    _ context: Context, errors: [String: FieldError], status: Int
  ) throws -> Response {
    let viewer = try context.signedIn()
    let isGuest = viewer.role == .guest
    let endings = try services.site.database.read { reader in
      try services.participants().flatMap { try $0.endsWithAccount(viewer.id, in: reader) }
    }
    let view = DeleteAccountView(
      isGuest: isGuest, isConfirmed: reauthentication.isConfirmed(context),
      partnerName: viewer.couple?.status == .active ? viewer.couple?.partner?.name : nil,
      endings: endings.map { EndingView(text: context.text($0.textKey, count: $0.count)) },
      errors: errors.texts(context))
    return page.response(
      view, context, title: .key(isGuest ? "guest_deletion.title" : "account_deletion.title"),
      status: .init(code: status))
  }
}

struct DeleteAccountView: FormContent {
  let isGuest: Bool
  let isConfirmed: Bool
  let partnerName: String?
  let endings: [EndingView]
  let errors: [String: String]

  static let fields: [String: Field<DeleteAccountView>] =
    formFields(
      errors: ["current_password", "recovery_code"],
      [
        "settings_link": .text { _ in AccountLinks.settings },
        "action": .text { _ in AccountLinks.deleteAccount },
        "export_link": .text { _ in AccountLinks.export },
        "code_link": .text { _ in AccountLinks.recoveryCode },
        "guest": .flag { $0.isGuest },
        "confirmed": .flag { $0.isConfirmed },
        "has_endings": .flag { !$0.endings.isEmpty },
        "endings": .list { $0.endings },
        "partner_name": .optionalText { $0.partnerName },
      ])
}

struct DeletedAccountView: View {
  /// The moment until which the account can be restored.
  let until: String

  static let fields: [String: Field<DeletedAccountView>] = [
    "sign_in_link": .text { _ in AccountLinks.signIn },
    "until": .text { $0.until },
  ]
}

/// One thing that ends with the account.
struct EndingView: View {
  let text: String

  static let fields: [String: Field<EndingView>] = ["words": .text { $0.text }]
}
