import Core
import Database
import Secrets
import Web

/// The `pairspot admin` commands besides those for roles.
extension StaffRoleService {
  /// A member with a staff role.
  public struct Member: Sendable {
    public let email: String
    public let name: String
    public let role: Role
    public let hasSecondFactor: Bool
  }

  /// Thrown if no member has the address.
  public struct UnknownAddress: Error, CustomStringConvertible {
    public let description = "no member has that address"
  }

  /// A second factor that a command turned on.
  public struct PrintedSecret: Sendable {
    /// The `otpauth:` URL for an authenticator app.
    public let address: String
    /// The new password of an account without one; nil otherwise.
    public let password: String?
  }

  /// All moderators and admins, the admins first.
  public func all() throws -> [Member] {
    try services.site.database.read { try services.staff.members(services.people, in: $0) }
  }

  /// Removes the second factor of a member who lost it and the recovery codes. For staff, returns a
  /// link to set up another one. All sessions end, and the user is notified by mail. Throws
  /// `UnknownAddress`.
  public func resetSecondFactor(email entered: String, now: Instant) throws -> String? {
    let person = try member(entered)
    let link = try services.site.database.write { writer in
      try services.secondFactor.turnOff(person.id, now: now, in: writer)
      try services.sessions.endAll(of: person.id, in: writer)
      try services.staffRecord.note(
        .resetSecondFactor, to: AuditTarget(kind: "person", bytes: person.id.bytes),
        details: "", by: nil, now: now, in: writer)
      return person.role > .member
        ? try setupLink(for: person.id, now: now, in: writer) : String?.none
    }
    services.site.securityLog.write(
      .secondFactorChanged, of: .person(person.id), at: now,
      .init(command: "admin reset-second-factor"))
    return link
  }

  /// Ends all sessions of a user. Throws 404 if the viewer is no longer an admin.
  func endSessions(of person: ID<Person>, by viewer: Viewer, now: Instant) throws {
    try services.site.database.write { writer in
      guard try services.staff.role(of: viewer.id, in: writer) == .admin else {
        throw Problem.notFound
      }
      try endSessions(of: person, by: viewer, now: now, in: writer)
    }
  }

  /// Ends all sessions of a user on behalf of an admin, or of the operator without a viewer.
  func endSessions(
    of person: ID<Person>, by viewer: Viewer?, now: Instant, in writer: WriteTransaction
  ) throws {
    try services.sessions.endAll(of: person, in: writer)
    try services.secondFactor.mails.notify(.signedOut, person, now: now, in: writer)
    try services.staffRecord.note(
      .endSessions, to: AuditTarget(kind: "person", bytes: person.bytes), details: "",
      by: viewer, now: now, in: writer)
  }

  /// Turns a second factor on at once, and sets a random password if there is none: for trying out,
  /// never in production. Nil if one is on already. Throws `UnknownAddress`.
  public func enrolAtOnce(email entered: String, now: Instant) throws -> PrintedSecret? {
    let person = try member(entered)
    let password = person.passwordHash == nil ? Token.random().text : nil
    let hash = try password.map { try services.hasher.hash($0) }
    let secret = RandomBytes.make(TOTP.secretLength)
    return try services.site.database.write { writer in
      guard try !services.secondFactor.store.isOn(person.id, in: writer) else { return nil }
      try services.secondFactor.store.begin(person.id, secret: secret, now: now, in: writer)
      // An earlier step, so that the first code that the app shows is valid.
      let step = TOTP.step(at: now.milliseconds / 1000) - TOTP.drift - 1
      _ = try services.secondFactor.store.confirm(person.id, step: step, now: now, in: writer)
      if let hash { try services.people.setPassword(hash, of: person.id, in: writer) }
      try StaffStore.links.revokeAll(of: person.id, now: now, in: writer)
      let account = try services.people.address(of: person.id, in: writer) ?? ""
      return PrintedSecret(
        address: SecondFactorSetup.address(secret: Base32.text(secret), account: account),
        password: password)
    }
  }

  func member(_ entered: String) throws -> Credentials {
    var errors: [String: FieldError] = [:]
    guard let email = AccountRules.address(entered, field: "email", &errors) else {
      throw InvalidAddressError()
    }
    guard let found = try services.people.credentials(emailHash: services.people.hash(email)) else {
      throw UnknownAddress()
    }
    return found
  }
}
