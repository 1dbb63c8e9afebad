import Core
import Secrets
import Web

/// Rejected input, with errors by field.
struct ValidationError: Error {
  let errors: [String: FieldError]
}

/// The registering user, for pages and API.
struct Registrant {
  let language: Language
  /// The version of the accepted terms; empty for none.
  let termsVersion: String
  /// The hash of a secret that only this browser has.
  let browserHash: [UInt8]
  /// The client's IP address, for rate limits.
  let address: String
  /// The operator's invitation, if there is one.
  let invitation: String?
}

/// The first steps of registration, for pages and API: validates, counts and stores the input and
/// queues the mails. No response reveals whether an address is known
/// (docs/developer/accounts.md#registering-a-couple).
struct SignUpService {
  let services: AccountsEnvironment

  /// Registers a couple by two addresses. Throws 403 and 429.
  @discardableResult
  func couple(
    _ checked: CoupleRegistration, by registrant: Registrant, now: Instant
  ) throws -> PendingRegistration {
    try services.registrationAccess.require(registrant.invitation, now: now)
    try services.limits.count(RegistrationService.perAddress, registrant.address, now: now)
    return try begin(
      .couple, registrant, sides: [checked.emailA, checked.emailB],
      coupleName: checked.coupleName, anniversary: checked.anniversary, now: now)
  }

  /// Registers a single member by address, name and password; without a password the member chooses
  /// how to sign in after following the mailed link. Throws `ValidationError`, 403, 429
  /// and 503.
  @discardableResult
  func alone(
    name enteredName: String, email enteredEmail: String, password: String?, accepts: Bool,
    by registrant: Registrant, now: Instant
  ) throws -> PendingRegistration {
    try services.registrationAccess.require(registrant.invitation, now: now)
    var errors: [String: FieldError] = [:]
    let name = AccountRules.name(
      enteredName, limits: AccountRules.displayNameLimits, field: "display_name", &errors)
    if !accepts { errors["accept"] = FieldError("error.accept") }
    return try begin(
      name: name, email: enteredEmail, password: password, guest: nil, registrant, errors, now: now)
  }

  /// Registers a guest as a member. Throws `ValidationError`, 429 and 503.
  @discardableResult
  func upgrade(
    _ guest: Viewer, email: String, password: String, by registrant: Registrant, now: Instant
  ) throws -> PendingRegistration {
    try begin(
      name: guest.avatar.name, email: email, password: password, guest: guest.id, registrant, [:],
      now: now)
  }

  /// Registers by an account with a provider, which has verified the address: alone, or with `couple`
  /// as one of two. Nil if the address has an account, or the provider's is linked to another
  /// member. Throws 403 and 429.
  func verified(
    _ email: String, couple: CoupleRegistration?,
    completing completion: RegistrationService.Completion, by registrant: Registrant, now: Instant
  ) throws -> RegistrationService.Completed? {
    try services.registrationAccess.require(registrant.invitation, now: now)
    try services.limits.count(RegistrationService.perAddress, registrant.address, now: now)
    let registration = registration(
      couple == nil ? .alone : .couple, registrant,
      sides: [email, couple?.emailB].compactMap { $0 },
      coupleName: couple?.coupleName ?? "", anniversary: couple?.anniversary,
      displayName: completion.displayName, now: now)
    return try services.registration.begin(registration, completing: completion, now: now)
  }

  private func begin(
    name: String, email entered: String, password: String?, guest: ID<Person>?,
    _ registrant: Registrant, _ wrong: [String: FieldError], now: Instant
  ) throws -> PendingRegistration {
    var errors = wrong
    let email = AccountRules.address(entered, field: "email", &errors)
    // Hashing is expensive: only for input that is valid otherwise, and counted before.
    if errors.isEmpty {
      try services.limits.count(RegistrationService.perAddress, registrant.address, now: now)
    }
    let isFine =
      password.map { services.accepts($0, email: email, names: [name], &errors) } ?? true
    guard errors.isEmpty, isFine, let email else { throw ValidationError(errors: errors) }
    let hash = try password.map { password in
      try AccountsEnvironment.mappingBusyTo503 { try services.hasher.hash(password) }
    }
    return try begin(
      .alone, registrant, sides: [email], displayName: name, passwordHash: hash, guest: guest,
      now: now)
  }

  private func begin(
    _ kind: PendingRegistration.Kind, _ registrant: Registrant, sides: [String],
    coupleName: String = "", anniversary: LocalDay? = nil, displayName: String = "",
    passwordHash: String? = nil, guest: ID<Person>? = nil, now: Instant
  ) throws -> PendingRegistration {
    let registration = registration(
      kind, registrant, sides: sides, coupleName: coupleName, anniversary: anniversary,
      displayName: displayName, passwordHash: passwordHash, guest: guest, now: now)
    try services.registration.begin(registration, now: now)
    return registration
  }

  private func registration(
    _ kind: PendingRegistration.Kind, _ registrant: Registrant, sides: [String],
    coupleName: String, anniversary: LocalDay?, displayName: String, passwordHash: String? = nil,
    guest: ID<Person>? = nil, now: Instant
  ) -> PendingRegistration {
    PendingRegistration(
      id: ID(now: now), kind: kind, coupleName: coupleName, anniversary: anniversary,
      displayName: displayName, passwordHash: passwordHash, language: registrant.language,
      termsVersion: registrant.termsVersion, browserHash: registrant.browserHash, couple: nil,
      guest: guest,
      sides: sides.enumerated().map { index, email in
        PendingRegistration.Side(
          number: index + 1, email: email, sentAt: now, person: nil, completedAt: nil)
      })
  }
}

extension AccountsEnvironment {
  /// Whether the password is the one with which the guest registered. Throws 503.
  func isOfGuest(_ registration: PendingRegistration, _ password: String) throws -> Bool {
    guard registration.guest != nil else { return false }
    return try Self.mappingBusyTo503 {
      try hasher.verify(password, against: registration.passwordHash)
    }
  }

  /// A registrant with a page; the terms are linked next to its button.
  func registrant(_ context: Context) -> Registrant {
    Registrant(
      language: context.language, termsVersion: legal.termsVersion,
      browserHash: context.currentAnchor().sha256, address: context.address,
      invitation: context.invitation)
  }
}
