import Basics
import HTTPTypes
import Secrets
import Templates
import Web

/// `/sign-in` and `/sign-out` (accounts.md, "Signing in").
struct SignInPages {
  /// How often an address may try at all.
  static let perAddress = RateLimit("sign-in", most: 10, window: .minutes(1))
  /// How often an account may be tried in vain from browsers that never signed in to it.
  static let failures = RateLimit("sign-in-failures", most: 10, window: .hours(1))

  private let services: AccountServices
  private let page: Template<SignInView>

  init(_ services: AccountServices) throws {
    self.services = services
    page = try services.site.templates.template("accounts/sign-in")
  }

  @Sendable func show(_ request: Request, _ context: Context) -> Response {
    response(context, next: request.queryValue("next"), errors: [:], problem: nil, status: 200)
  }

  @Sendable func signIn(_ request: Request, _ context: Context) throws -> Response {
    var errors: [String: FieldError] = [:]
    let email = AccountRules.address(context.form["email"], field: "email", &errors)
    if context.form["password"].isEmpty { errors["password"] = .empty("password") }
    guard errors.isEmpty, let email else {
      return response(
        context, next: context.form["next"], errors: errors, problem: nil, status: 422)
    }
    guard let person = try person(email: email, password: context.form["password"], context)
    else {
      return response(
        context, next: context.form["next"], errors: [:], problem: "sign_in.mismatch", status: 422)
    }
    return try services.welcome(person, next: context.next(), request, context)
  }

  /// The member whose address and password these are, or who left with them and may come back.
  /// Unknown addresses are counted and take as long as known ones.
  private func person(
    email: String, password: String, _ context: Context
  ) throws -> Credentials? {
    let candidates = try candidates(email, now: context.now)
    // A browser that was in before is counted for itself alone, whatever strangers do, be they
    // behind the same address or not.
    let known = candidates.first {
      DeviceCookie.knows($0.id, passwordHash: $0.passwordHash, context)
    }
    let browser = known.map { DeviceCookie.subject($0.id, isKnown: true) }
    try services.limits.count(Self.perAddress, browser ?? context.address, now: context.now)
    // The one that reaches the limit is still told "wrong"; the next one is told to wait.
    return try services.limits.attempt(Self.failures, browser ?? email, now: context.now) {
      try match(password, candidates)
    }
  }

  private func match(_ password: String, _ candidates: [Credentials]) throws -> Credentials? {
    for candidate in candidates.isEmpty ? [nil] : candidates.map(Optional.some) {
      let matches = try AccountServices.patiently {
        try services.hasher.verify(password, against: candidate?.passwordHash)
      }
      if let candidate, matches { return candidate }
    }
    return nil
  }

  /// Whose address it is, and who left with it and may come back. An address can have been
  /// deleted and be somebody's again: who is here goes first.
  private func candidates(_ email: String, now: Instant) throws -> [Credentials] {
    let hash = services.people.hash(email)
    let found = try services.people.credentials(emailHash: hash)
    return try (found.map { [$0] } ?? [])
      + services.leaving.store.credentials(emailHash: hash, now: now)
  }

  @Sendable func signOut(_ request: Request, _ context: Context) throws -> Response {
    if let viewer = context.viewer { try services.leaving.signOut(viewer, context) }
    context.endSession()
    context.say("toast.signed_out")
    var response = Response.seeOther("/")
    if context.site.cookieStyle.secure { response.headers[.clearSiteData] = "\"cache\"" }
    return response
  }

  private func response(
    _ context: Context, next: String?, errors: [String: FieldError], problem: String?, status: Int
  ) -> Response {
    let view = SignInView(
      page: PageView(context, title: "sign_in.title"), email: context.form["email"],
      next: Context.safePath(next) ?? "/", problem: problem.map { context.text($0) },
      errors: errors.texts(context))
    return .html(page.render(view, in: context.language), status: .init(code: status))
  }
}

struct SignInView: View {
  let page: PageView
  let email: String
  let next: String
  let problem: String?
  let errors: [String: String]

  static let fields: [String: Field<SignInView>] = [
    "page": .child { $0.page },
    "email": .text { $0.email },
    "next": .text { $0.next },
    "problem": .optionalText { $0.problem },
    "email_error": .optionalText { $0.errors["email"] },
    "password_error": .optionalText { $0.errors["password"] },
    "errors": .optional { ErrorsView($0.errors, order: ["email", "password"]) },
  ]
}
