import Core
import Database
import Templates
import Web

/// `/settings/email`: the address, and the request to change it. The page is the same whether or
/// not the new address has an account; only the mail differs.
struct EmailSettingsPages {
  static let requests = RateLimit("email-change", maximum: 5, window: .hours(1))

  private let services: AccountsEnvironment
  private let page: Page<EmailSettingsView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("settings/email", title: "settings_email.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    try asking.detour(next: AccountLinks.emailSettings, context)
      ?? response(context, errors: [:], status: 200)
  }

  private var asking: ReauthenticationService {
    ReauthenticationService(.changeEmail, services: services)
  }

  @Sendable func save(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    var errors: [String: FieldError] = [:]
    let email = AccountRules.address(context.form["email"], field: "email", &errors)
    let current = try services.site.database.read {
      try services.settings.store.address(of: viewer.id, in: $0)
    }
    if let email, email == current { errors["email"] = FieldError("error.email_own") }
    try asking.check(context, &errors)
    try SecondFactorSettingsService(services: services).check(context, &errors)
    guard errors.isEmpty, let email else {
      return try response(context, errors: errors, status: 422)
    }
    try services.limits.count(Self.requests, viewer.id.description, now: context.now)
    try services.site.database.write {
      try ask(for: email, viewer, context, in: $0)
    }
    context.flash("toast.email_link_sent")
    return .seeOther(AccountLinks.emailSettings)
  }

  /// Stores the request and queues the right mail. A taken address is stored as well, with a link
  /// that is never sent, so that both cases look alike.
  private func ask(
    for email: String, _ viewer: Viewer, _ context: Context, in writer: WriteTransaction
  ) throws {
    let settings = services.settings
    let now = context.now
    let token = try settings.emailChanges.make(for: viewer.id, email: email, now: now, in: writer)
    let wait = try RecipientLimits(services.limits).add(
      .emailChange, to: email, now: now, in: writer)
    guard wait == nil else { return }
    guard
      let holder = try settings.store.holder(emailHash: services.people.hash(email), in: writer)
    else {
      return try settings.mails.verifyAddress(
        token, to: email, language: context.language, now: now, in: writer)
    }
    let recipient = try services.people.recipient(holder, language: context.language, in: writer)
    guard let recipient else { return }
    try settings.mails.addressIsTaken(to: recipient, now: now, in: writer)
  }

  private func response(
    _ context: Context, errors: [String: FieldError], status: Int
  ) throws -> Response {
    let viewer = try context.signedIn()
    let settings = services.settings
    let (address, pending, linked) = try services.site.database.read { reader in
      (
        try settings.store.address(of: viewer.id, in: reader),
        try settings.emailChanges.pending(of: viewer.id, now: context.now, in: reader),
        try services.identities.all(of: viewer.id, in: reader)
      )
    }
    let view = EmailSettingsView(
      address: address ?? "", stopped: services.providerWithoutMail(linked),
      pending: pending?.email,
      until: pending.map { DateFormatting(context).moment($0.expiresAt) } ?? "",
      email: context.form["email"], isConfirmed: asking.isConfirmed(context),
      asksForCode: try services.secondFactor.isOn(viewer.id), errors: errors.texts(context))
    return page.response(view, context, status: .init(code: status))
  }
}

struct EmailSettingsView: FormContent {
  let address: String
  /// The provider that no longer forwards mail to the address.
  let stopped: String?
  let pending: String?
  let until: String
  let email: String
  let isConfirmed: Bool
  let asksForCode: Bool
  let errors: [String: String]

  static let fields: [String: Field<EmailSettingsView>] =
    formFields(
      errors: ["email", "current_password", "code"],
      [
        "address": .text { $0.address },
        "stopped": .optionalText { $0.stopped },
        "pending": .optionalText { $0.pending },
        "until": .text { $0.until },
        "email": .text { $0.email },
        "confirmed": .flag { $0.isConfirmed },
        "second_factor": .flag { $0.asksForCode },
      ])
}
