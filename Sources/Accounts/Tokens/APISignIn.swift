import Core
import Database
import Secrets
import Web

/// An app's credentials for signing in or restoring an account.
struct APICredentials: JSONRequest {
  var email = ""
  var password = ""
  var device: ID<Device>?
  var code: String?

  static let jsonName = "Login"
  static let jsonFields: [InputField<Self>] = [
    .required("email", bounds: TextFieldLimits.email, example: "mei@example.test") {
      $0.email = $1
    },
    .required("password", bounds: TextFieldLimits.filled, example: "lantern river seven") {
      $0.password = $1
    },
    .optional("device_id", note: "Binds the device.") { $0.device = $1 },
    .optional(
      "totp",
      note:
        "An app code or a recovery code, if two-factor authentication is on.",
      example: "123456"
    ) { $0.code = $1 },
  ]
}

/// Signing an app in: the steps shared by signing in with a password or a provider, and restoring,
/// so that all have the same rules and limits (docs/developer/sessions-and-tokens.md#signing-in).
struct APISignIn {
  let services: AccountsEnvironment

  private enum Outcome {
    case signedIn(TokenPair, SecondFactorService.Verdict?)
    case needsCode
    case wrongCode
    case refused(Problem)
  }

  /// Issues tokens for valid credentials. `admit` runs in the transaction that signs in and returns
  /// an error to refuse, or nil. Throws 401, 403 `device_already_bound`, 422, 429, 503 and the
  /// errors of `admit`.
  func tokens(
    _ input: APICredentials, _ context: Context,
    admit: (Credentials, WriteTransaction) throws -> Problem?
  ) throws -> TokenResponse {
    var errors: [String: FieldError] = [:]
    let email = AccountRules.address(input.email, field: "email", &errors)
    if input.password.isEmpty { errors["password"] = .empty("password") }
    guard errors.isEmpty, let email else { throw Problem.invalid(errors) }
    let found = try SignInService(services: services).person(
      email: email, password: input.password, from: context.address, now: context.now
    ) { try known($0, input.device) }
    guard let found else {
      context.note(.signInFailed, of: .email(email))
      throw Problem(.invalidCredentials)
    }
    return try tokens(
      for: found, device: input.device, code: input.code, context, admit: admit)
  }

  /// Issues tokens for a member whose identity was proved, after the second factor if it is on.
  /// Throws the same.
  func tokens(
    for found: Credentials, by method: SignInMethod = .other, device: ID<Device>?, code: String?,
    _ context: Context,
    admit: (Credentials, WriteTransaction) throws -> Problem?
  ) throws -> TokenResponse {
    let known = try known(found, device)
    let attempt = try attempt(code, of: found, on: known, now: context.now)
    // The transaction that signs in uses the code up. A wrong code must be counted, so it does not
    // throw inside.
    let outcome = try services.site.database.write {
      try signIn(found, by: method, device, attempt, context, admit: admit, in: $0)
    }
    switch outcome {
    case .signedIn(let pair, let verdict):
      if let verdict { context.note(verdict, of: found.id) }
      context.note(.signInSucceeded, of: .person(found.id))
      return try services.answer(pair, now: context.now)
    case .needsCode: throw Problem(.secondFactorRequired)
    case .wrongCode:
      context.note(SecondFactorService.Verdict.wrong, of: found.id)
      throw Problem(.invalidCredentials, fields: ["totp": FieldError("error.code_wrong")])
    case .refused(let problem): throw problem
    }
  }

  private func signIn(
    _ person: Credentials, by method: SignInMethod, _ device: ID<Device>?,
    _ attempt: SecondFactorService.Attempt?,
    _ context: Context, admit: (Credentials, WriteTransaction) throws -> Problem?,
    in writer: WriteTransaction
  ) throws -> Outcome {
    guard try VerifiedCredentials.password(person).isStillValid(services, in: writer) else {
      return .refused(Problem(.invalidCredentials))
    }
    var verdict: SecondFactorService.Verdict?
    if try services.secondFactor.store.isOn(person.id, in: writer) {
      guard let attempt else { return .needsCode }
      verdict = try services.secondFactor.verify(attempt, now: context.now, in: writer)
      if verdict == .wrong { return .wrongCode }
    }
    if let problem = try admit(person, writer) { return .refused(problem) }
    let pair = try services.tokens.start(
      person.id,
      from: .init(
        device: device, app: context.userAgent, session: services.origin(of: method, in: writer)),
      now: context.now,
      in: writer)
    if let device, let hash = person.passwordHash {
      try services.devices.remember(
        device, of: person.id, passwordHash: hash, now: context.now, in: writer)
    }
    return .signedIn(pair, verdict)
  }

  /// The typed code; nil if there is none, or none is needed.
  private func attempt(
    _ code: String?, of person: Credentials, on known: TrustedDevice?, now: Instant
  ) throws -> SecondFactorService.Attempt? {
    guard let code, !code.isEmpty, try services.secondFactor.isOn(person.id) else {
      return nil
    }
    return try services.secondFactor.attempt(code, of: person.id, on: known, now: now)
  }

  /// The device, if the user signed in on it before: apps have no trusted-device cookie.
  private func known(_ person: Credentials, _ device: ID<Device>?) throws -> TrustedDevice? {
    guard let device, let hash = person.passwordHash else { return nil }
    let isKnown = try services.site.database.read {
      try services.devices.knows(device, of: person.id, passwordHash: hash, in: $0)
    }
    return isKnown ? .app(person.id, device) : nil
  }
}
