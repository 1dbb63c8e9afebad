import Core
import Templates
import Web

/// `/settings/passkeys/…`: adding, renaming and removing a passkey.
struct PasskeySettingsPages {
  private let services: AccountsEnvironment
  private let newPage: Page<NewPasskeyView>
  private let page: Page<PasskeyView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    newPage = try Page("passkeys/new", title: "passkey_new.title", in: services.site)
    page = try Page("passkeys/passkey", title: "passkey.title", in: services.site)
  }

  private var asking: ReauthenticationService {
    ReauthenticationService(.changeSignIn, services: services)
  }

  // MARK: Adding

  /// Marks that this session gave a code, since a passkey replaces the second factor.
  private static let codeGiven = SealedCookie(name: "passkey-code", lifetime: .minutes(10))

  private func asksForCode(_ context: Context) throws -> Bool {
    let viewer = try context.signedIn()
    return try services.secondFactor.isOn(viewer.id)
      && Self.codeGiven.read(for: viewer.id, context) != CodeBinding(.changeSignIn, context).text
  }

  private func isReady(_ context: Context) throws -> Bool {
    try asking.isConfirmed(context) && !asksForCode(context)
  }

  @Sendable func options(_ context: Context) throws -> Response {
    guard try isReady(context) else { throw Problem.notFound }
    return try services.passkeyService.creationOptions(context)
  }

  @Sendable func showNew(_ context: Context) throws -> Response {
    try asking.detour(next: AccountLinks.newPasskey, context)
      ?? newResponse(context, errors: [:], status: 200)
  }

  /// Takes the password first, and a code with a second factor; then the answer of the browser.
  @Sendable func add(_ context: Context) throws -> Response {
    var errors: [String: FieldError] = [:]
    guard try isReady(context) else {
      if let away = try asking.detour(next: AccountLinks.newPasskey, context) { return away }
      try asking.check(context, &errors)
      if try asksForCode(context) {
        try SecondFactorSettingsService(services: services).check(context, &errors)
      }
      guard errors.isEmpty else { return try newResponse(context, errors: errors, status: 422) }
      try asking.confirm(context)
      try Self.codeGiven.set(
        CodeBinding(.changeSignIn, context).text, for: context.signedIn().id, context)
      return .seeOther(AccountLinks.newPasskey)
    }
    let name = name(context, &errors)
    let new = NewPasskey.brought(.add, name: name, context, &errors)
    guard errors.isEmpty, let new else {
      return try newResponse(context, errors: errors, status: 422)
    }
    PasskeyChallenge.clear(context)
    let isAdded = try services.passkeyService.add(new, context)
    context.flash(isAdded ? "toast.passkey_added" : "toast.passkey_known")
    return .seeOther(AccountLinks.signInSettings)
  }

  private func name(_ context: Context, _ errors: inout [String: FieldError]) -> String {
    AccountRules.name(
      context.form["name"], limits: PasskeyStore.nameLimits, field: "name", &errors)
  }

  private func newResponse(
    _ context: Context, errors: [String: FieldError], status: Int
  ) throws -> Response {
    let viewer = try context.signedIn()
    let count = try services.site.database.read {
      try services.passkeys.count(of: viewer.id, in: $0)
    }
    let browser = BrowserName(context.request.headers[.userAgent] ?? "").description(context)
    let view = NewPasskeyView(
      name: context.form.has("name")
        ? context.form["name"] : PasskeyStore.nameLimits.beginning(of: browser),
      isConfirmed: asking.isConfirmed(context), asksForCode: try asksForCode(context),
      isFull: count >= PasskeyStore.maximum,
      errors: errors.texts(context))
    return newPage.response(view, context, status: .init(code: status))
  }

  // MARK: Renaming and removing

  @Sendable func show(_ context: Context) throws -> Response {
    let passkey = try find(context)
    return try asking.detour(next: AccountLinks.passkey(passkey.id), context)
      ?? response(passkey, context, errors: [:], status: 200)
  }

  @Sendable func change(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let passkey = try find(context)
    var errors: [String: FieldError] = [:]
    if context.form.has("remove") {
      try asking.check(context, &errors)
      guard errors.isEmpty else {
        return try response(passkey, context, errors: errors, status: 422)
      }
      if try services.passkeyService.remove(passkey.id, context) {
        context.flash("toast.passkey_removed")
      }
    } else {
      let name = name(context, &errors)
      guard errors.isEmpty else {
        return try response(passkey, context, errors: errors, status: 422)
      }
      try services.site.database.write {
        try services.passkeys.rename(passkey.id, of: viewer.id, to: name, in: $0)
      }
      context.flash("toast.saved")
    }
    return .seeOther(AccountLinks.signInSettings)
  }

  private func find(_ context: Context) throws -> Passkey {
    let (viewer, id) = (try context.signedIn(), try context.id("id", Passkey.self))
    let found = try services.site.database.read {
      try services.passkeys.find(id, of: viewer.id, in: $0)
    }
    guard let found else { throw Problem.notFound }
    return found
  }

  private func response(
    _ passkey: Passkey, _ context: Context, errors: [String: FieldError], status: Int
  ) throws -> Response {
    let viewer = try context.signedIn()
    let ways = try services.site.database.read { try services.signInWays(of: viewer.id, in: $0) }
    let view = PasskeyView(
      passkey: passkey,
      name: context.form.has("name") ? context.form["name"] : passkey.name,
      isLast: !ways.mayRemovePasskey, isConfirmed: asking.isConfirmed(context),
      errors: errors.texts(context))
    return page.response(view, context, status: .init(code: status))
  }
}

struct NewPasskeyView: FormContent {
  let name: String
  /// Whether the password was entered within the last minutes.
  let isConfirmed: Bool
  let asksForCode: Bool
  let isFull: Bool
  let errors: [String: String]

  private var isReady: Bool { isConfirmed && !asksForCode && !isFull }

  static let fields: [String: Field<NewPasskeyView>] = formFields(
    errors: ["current_password", "code", "name", "credential"],
    [
      "action": .text { _ in AccountLinks.newPasskey },
      "options": .text { _ in AccountLinks.newPasskeyOptions },
      "back_link": .text { _ in AccountLinks.signInSettings },
      "name": .text { $0.name },
      "asks": .flag { !$0.isReady && !$0.isFull },
      "confirmed": .flag { $0.isConfirmed },
      "second_factor": .flag { $0.asksForCode },
      "ready": .flag { $0.isReady },
      "full": .flag { $0.isFull },
      "maximum": .integer { _ in PasskeyStore.maximum },
    ])
}

struct PasskeyView: FormContent {
  let passkey: Passkey
  let name: String
  /// Whether it is the last way to sign in.
  let isLast: Bool
  let isConfirmed: Bool
  let errors: [String: String]

  static let fields: [String: Field<PasskeyView>] = formFields(
    errors: ["current_password", "name"],
    [
      "action": .text { AccountLinks.passkey($0.passkey.id) },
      "back_link": .text { _ in AccountLinks.signInSettings },
      "name": .text { $0.name },
      "last": .flag { $0.isLast },
      "confirmed": .flag { $0.isConfirmed },
    ])
}

/// A passkey in the list of the ways to sign in.
struct PasskeyRowView: View {
  let passkey: Passkey
  let since: String
  let used: String?

  init(_ passkey: Passkey, _ when: DateFormatting) {
    self.passkey = passkey
    since = when.moment(passkey.createdAt)
    used = passkey.usedAt.map { when.moment($0) }
  }

  static let fields: [String: Field<PasskeyRowView>] = [
    "name": .text { $0.passkey.name },
    "since": .text { $0.since },
    "used": .optionalText { $0.used },
    "link": .text { AccountLinks.passkey($0.passkey.id) },
  ]
}
