import Core
import Secrets
import Templates
import Web

/// `/sign-in/code`: the second factor after the right password
/// (docs/developer/sessions-and-tokens.md#signing-in).
struct SignInCodePage {
  private static let cookie = "code"

  private let services: AccountsEnvironment
  private let page: Page<SignInCodeView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("accounts/sign-in-code", title: "sign_in_code.title", in: services.site)
  }

  /// Redirects a browser here whose sign-in waits for its code.
  static func ask(_ token: Token, _ context: Context) -> Response {
    context.setCookie(cookie, token.text, maxAge: PendingSignInStore.tokens.lifetime)
    return .seeOther(AccountLinks.signInCode)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let found = try token(context).flatMap { token in
      try services.site.database.read {
        try PendingSignInStore.find(token, now: context.now, in: $0)
      }
    }
    guard found != nil else { return .seeOther(AccountLinks.signIn) }
    return response(context, errors: [:], status: 200)
  }

  @Sendable func send(_ context: Context) throws -> Response {
    guard let token = token(context) else { return .seeOther(AccountLinks.signIn) }
    let attempt = try attempt(token, context)
    let (found, verdict) = try services.site.database.write { writer in
      guard
        let found = try PendingSignInStore.find(token, now: context.now, in: writer)
      else { return (PendingSignIn?.none, SecondFactorService.Verdict.wrong) }
      // An empty field is not counted as a try.
      guard let attempt, attempt.person == found.person else { return (found, .wrong) }
      let verdict = try services.secondFactor.verify(attempt, now: context.now, in: writer)
      if verdict != .wrong { try PendingSignInStore.end(token, in: writer) }
      return (found, verdict)
    }
    guard let found else { return .seeOther(AccountLinks.signIn) }
    if !context.form["code"].isEmpty { context.note(verdict, of: found.person) }
    guard verdict != .wrong else {
      let error: FieldError =
        context.form["code"].isEmpty ? .empty("code") : FieldError("error.code_wrong")
      return response(context, errors: ["code": error], status: 422)
    }
    context.setCookie(Self.cookie, "", maxAge: 0)
    if let deletedAt = found.deletedAt {
      return RestorePages.offer(found.person, deletedAt: deletedAt, context)
    }
    let credentials = Credentials(
      id: found.person, role: found.role, passwordHash: found.passwordHash, language: nil)
    guard
      try services.signIn(
        VerifiedCredentials.password(credentials), role: found.role, origin: found.origin, context)
    else { return .seeOther(AccountLinks.signIn) }
    context.flash(verdict == .recoveryCode ? "toast.recovery_code_used" : "toast.signed_in")
    return .seeOther(services.afterSignIn(found.next, context))
  }

  /// The typed code; nil if it is empty or no sign-in is pending.
  private func attempt(
    _ token: Token, _ context: Context
  ) throws -> SecondFactorService.Attempt? {
    let found = try services.site.database.read {
      try PendingSignInStore.find(token, now: context.now, in: $0)
    }
    guard let found, !context.form["code"].isEmpty else { return nil }
    return try services.secondFactor.attempt(
      context.form["code"], of: found.person,
      on: TrustedDeviceCookie.knows(found.person, passwordHash: found.passwordHash, context)
        ? .browser(found.person) : nil, now: context.now)
  }

  private func token(_ context: Context) -> Token? {
    context.cookies[Self.cookie].flatMap { Token($0) }
  }

  private func response(
    _ context: Context, errors: [String: FieldError], status: Int
  ) -> Response {
    let view = SignInCodeView(errors: errors.texts(context))
    return page.response(view, context, status: .init(code: status))
  }
}

struct SignInCodeView: FormContent {
  let errors: [String: String]

  static let fields: [String: Field<SignInCodeView>] = formFields(
    errors: ["code"],
    [
      "action": .text { _ in AccountLinks.signInCode },
      "sign_in_link": .text { _ in AccountLinks.signIn },
    ])
}
