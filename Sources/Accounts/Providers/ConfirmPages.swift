import Core
import Templates
import Web

/// `/settings/confirm`: a member without a password confirms an action by a linked provider, a
/// passkey or a mailed code, and goes on to the action's page.
struct ConfirmPages {
  private let services: AccountsEnvironment
  private let page: Page<ConfirmView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("settings/confirm", title: "confirm.title", in: services.site)
  }

  /// The action of the address or form, and its page.
  static func wanted(_ context: Context) -> (ProtectedAction, next: String)? {
    let isForm = context.request.method == .post
    let value = { isForm ? context.form[$0] : context.request.queryValue($0) ?? "" }
    guard let action = ProtectedAction(rawValue: value("action")),
      let next = Context.safePath(value("next"))
    else { return nil }
    return (action, next)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    try response(
      context, isMailed: context.request.queryValue("mailed") != nil, errors: [:], status: 200)
  }

  @Sendable func send(_ context: Context) throws -> Response {
    guard let (action, next) = Self.wanted(context) else { throw Problem.notFound }
    let asking = ReauthenticationService(action, services: services)
    if context.form.has("mail_code") {
      try asking.mailCode(context)
      context.flash("toast.code_mailed")
      return .seeOther(AccountLinks.confirm(action, next: next) + "&mailed=1")
    }
    var errors: [String: FieldError] = [:]
    try asking.checkCode(context, &errors)
    guard errors.isEmpty else {
      return try response(context, isMailed: true, errors: errors, status: 422)
    }
    try asking.confirm(context)
    return .seeOther(next)
  }

  private func response(
    _ context: Context, isMailed: Bool, errors: [String: FieldError], status: Int
  ) throws -> Response {
    let viewer = try context.signedIn()
    guard let (action, next) = Self.wanted(context) else { throw Problem.notFound }
    let (linked, passkeys) = try services.site.database.read { reader in
      (
        try services.identities.all(of: viewer.id, in: reader).map(\.issuer),
        try services.passkeys.count(of: viewer.id, in: reader)
      )
    }
    let view = ConfirmView(
      action: action, name: context.text(action.textKey), next: next, isMailed: isMailed,
      providers: services.providers.filter { linked.contains($0.issuer) }.map {
        ProviderButtonView($0, link: AccountLinks.confirm(action, with: $0.name, next: next))
      }, hasPasskey: passkeys > 0, errors: errors.texts(context))
    return page.response(view, context, status: .init(code: status))
  }
}

struct ConfirmView: FormContent {
  let action: ProtectedAction
  /// The action's name, such as "delete your account".
  let name: String
  let next: String
  let isMailed: Bool
  let providers: [ProviderButtonView]
  let hasPasskey: Bool
  let errors: [String: String]

  static let fields: [String: Field<ConfirmView>] = formFields(
    errors: ["code"],
    [
      "form_action": .text { _ in AccountLinks.confirm },
      "back_link": .text { _ in AccountLinks.settings },
      "action": .text { $0.action.rawValue },
      "name": .text { $0.name },
      "next": .text { $0.next },
      "mailed": .flag { $0.isMailed },
      "has_providers": .flag { !$0.providers.isEmpty },
      "providers": .list { $0.providers },
      "has_passkey": .flag { $0.hasPasskey },
      "passkey_action": .text { _ in AccountLinks.passkeyConfirm },
      "passkey_options": .text { AccountLinks.passkeyConfirm($0.action) },
    ])
}
