import Basics
import Secrets
import Templates
import Web

/// `/reset` and `/reset/confirm`: a new password by mail. The answer is always the same, whoever's
/// address it is (accounts.md, "Signing in").
struct ResetPages {
  static let perAddress = RateLimit("reset", most: 10, window: .minutes(1))
  /// A fourth mail within the hour is simply not sent.
  static let mails = RateLimit("reset-mails", most: 3, window: .hours(1))

  private let services: AccountServices
  private let ask: Template<ResetView>
  private let sent: Template<PlainView>
  private let confirm: Template<ConfirmResetView>
  private let gone: Template<PlainView>

  init(_ services: AccountServices) throws {
    self.services = services
    let templates = services.site.templates
    ask = try templates.template("accounts/reset")
    sent = try templates.template("accounts/reset-sent")
    confirm = try templates.template("accounts/reset-confirm")
    gone = try templates.template("accounts/verify-gone")
  }

  @Sendable func show(_ request: Request, _ context: Context) -> Response {
    asking(context, errors: [:], status: 200)
  }

  @Sendable func send(_ request: Request, _ context: Context) throws -> Response {
    var errors: [String: FieldError] = [:]
    guard let email = AccountRules.address(context.form["email"], field: "email", &errors) else {
      return asking(context, errors: errors, status: 422)
    }
    try services.limits.count(Self.perAddress, context.address, now: context.now)
    let found = try services.people.credentials(emailHash: services.people.hash(email))
    try services.site.database.write { writer in
      // Counted for unknown addresses alike.
      let wait = try services.limits.add(Self.mails, email, now: context.now, in: writer)
      guard wait == nil, let found,
        let recipient = try services.people.recipient(
          found.id, language: context.language, in: writer)
      else { return }
      let token = try services.resets.make(for: found.id, now: context.now, in: writer)
      try services.mails.reset(token, to: recipient, now: context.now, in: writer)
    }
    let view = PlainView(page: PageView(context, title: "reset_sent.title"))
    return .html(sent.render(view, in: context.language))
  }

  @Sendable func showConfirm(_ request: Request, _ context: Context) throws -> Response {
    guard let token = request.queryValue("token").flatMap({ Token($0) }),
      try services.resets.person(token, now: context.now) != nil
    else { return isGone(context) }
    return confirming(token, context, errors: [:], status: 200)
  }

  @Sendable func save(_ request: Request, _ context: Context) throws -> Response {
    guard let token = Token(context.form["token"]),
      let owner = try services.resets.person(token, now: context.now)
    else { return isGone(context) }
    var errors: [String: FieldError] = [:]
    let address = try services.site.database.read { try services.people.address(of: owner, in: $0) }
    guard let hash = try services.hash(context.form["password"], email: address, &errors) else {
      return confirming(token, context, errors: errors, status: 422)
    }
    guard let person = try change(token, to: hash, context) else { return isGone(context) }
    // Who reads the person's mail is no stranger: others' failures don't keep them out.
    DeviceCookie.remember(person, passwordHash: hash, context)
    context.say("toast.password_saved")
    return .seeOther(AccountLinks.signIn)
  }

  /// Whose password it is from now on; nil when the link was used meanwhile.
  private func change(
    _ token: Token, to hash: String, _ context: Context
  ) throws -> ID<Person>? {
    try services.site.database.write { writer in
      guard let person = try services.resets.use(token, now: context.now, in: writer) else {
        return nil
      }
      try services.people.setPassword(hash, of: person, in: writer)
      try services.sessions.endAll(of: person, in: writer)
      // Whoever knew the old password may have asked for another address.
      try services.settings.emailChanges.cancel(of: person, in: writer)
      let recipient = try services.people.recipient(
        person, language: context.language, in: writer)
      if let recipient {
        try services.mails.passwordWasChanged(to: recipient, now: context.now, in: writer)
      }
      return person
    }
  }

  // MARK: Views

  private func asking(
    _ context: Context, errors: [String: FieldError], status: Int
  ) -> Response {
    let view = ResetView(
      page: PageView(context, title: "reset.title"), email: context.form["email"],
      errors: errors.texts(context))
    return .html(ask.render(view, in: context.language), status: .init(code: status))
  }

  private func confirming(
    _ token: Token, _ context: Context, errors: [String: FieldError], status: Int
  ) -> Response {
    let view = ConfirmResetView(
      page: PageView(context, title: "reset_confirm.title"), token: token.text,
      errors: errors.texts(context))
    return .html(confirm.render(view, in: context.language), status: .init(code: status))
  }

  private func isGone(_ context: Context) -> Response {
    let view = PlainView(page: PageView(context, title: "verify_gone.title"))
    return .html(gone.render(view, in: context.language), status: .gone)
  }
}

struct ResetView: View {
  let page: PageView
  let email: String
  let errors: [String: String]

  static let fields: [String: Field<ResetView>] = [
    "page": .child { $0.page },
    "email": .text { $0.email },
    "email_error": .optionalText { $0.errors["email"] },
    "errors": .optional { ErrorsView($0.errors, order: ["email"]) },
  ]
}

struct ConfirmResetView: View {
  let page: PageView
  let token: String
  let errors: [String: String]

  static let fields: [String: Field<ConfirmResetView>] = [
    "page": .child { $0.page },
    "token": .text { $0.token },
    "password_error": .optionalText { $0.errors["password"] },
    "errors": .optional { ErrorsView($0.errors, order: ["password"]) },
  ]
}
