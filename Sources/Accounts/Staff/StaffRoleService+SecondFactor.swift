import Core
import Database
import Secrets
import Web

/// What `pairspot admin` does besides giving roles.
extension StaffRoleService {
  /// A member who has a part in looking after an instance.
  public struct Member: Sendable {
    public let email: String
    public let name: String
    public let role: Role
    public let hasSecondFactor: Bool
  }

  /// The address has no account.
  public struct UnknownAddress: Error, CustomStringConvertible {
    public let description = "no member has that address"
  }

  /// A second factor that was turned on by command.
  public struct PrintedSecret: Sendable {
    /// For an authenticator app.
    public let address: String
    /// The new password of an account that had none; nil otherwise.
    public let password: String?
  }

  /// Every moderator and admin, the admins first.
  public func all() throws -> [Member] {
    try services.site.database.read { try services.staff.members(services.people, in: $0) }
  }

  /// Takes a member's second factor away who has lost phone and recovery codes; answers a link to
  /// set up another one, for staff. Every session ends, and the person is told by mail. Throws
  /// `UnknownAddress`.
  public func resetSecondFactor(email typed: String, now: Instant) throws -> String? {
    let person = try member(typed)
    let link = try services.site.database.write { writer in
      try services.secondFactor.turnOff(person.id, now: now, in: writer)
      try services.sessions.endAll(of: person.id, in: writer)
      try services.staffRecord.note(
        .resetSecondFactor, to: AuditTarget(kind: "person", bytes: person.id.bytes),
        details: "", by: nil, now: now, in: writer)
      guard person.role > .member else { return String?.none }
      let token = try services.staff.makeLink(for: person.id, now: now, in: writer)
      return services.site.baseURL + AccountLinks.enrolStaff(token.text)
    }
    services.site.securityLog.write(
      .secondFactorChanged, of: .person(person.id), at: now,
      .init(command: "admin reset-second-factor"))
    return link
  }

  /// Ends all sessions of a person. Throws 404 when who does it is no admin any more.
  func endSessions(of person: ID<Person>, by viewer: Viewer, now: Instant) throws {
    try services.site.database.write { writer in
      guard try services.staff.role(of: viewer.id, in: writer.reader) == .admin else {
        throw Problem.notFound
      }
      try services.sessions.endAll(of: person, in: writer)
      try services.secondFactor.mails.tell(.signedOut, person, now: now, in: writer)
      try services.staffRecord.note(
        .endSessions, to: AuditTarget(kind: "person", bytes: person.bytes), details: "",
        by: viewer, now: now, in: writer)
    }
  }

  /// Turns a second factor on at once, and sets a random password where there is none: for trying
  /// out, never in production. Nil when one is on already. Throws `UnknownAddress`.
  public func enrolAtOnce(email typed: String, now: Instant) throws -> PrintedSecret? {
    let person = try member(typed)
    let password = person.passwordHash == nil ? Token.random().text : nil
    let hash = try password.map { try services.hasher.hash($0) }
    let secret = RandomBytes.make(TOTP.secretLength)
    return try services.site.database.write { writer in
      guard try !services.secondFactor.store.isOn(person.id, in: writer.reader) else { return nil }
      try services.secondFactor.store.begin(person.id, secret: secret, now: now, in: writer)
      // So that the very first code that the app shows works.
      let step = TOTP.step(at: now.milliseconds / 1000) - TOTP.drift - 1
      _ = try services.secondFactor.store.confirm(person.id, step: step, now: now, in: writer)
      if let hash { try services.people.setPassword(hash, of: person.id, in: writer) }
      try services.staff.endLinks(of: person.id, in: writer)
      let account = try services.people.address(of: person.id, in: writer.reader) ?? ""
      return PrintedSecret(
        address: SecondFactorSetup.address(secret: Base32.text(secret), account: account),
        password: password)
    }
  }

  private func member(_ typed: String) throws -> Credentials {
    var errors: [String: FieldError] = [:]
    guard let email = AccountRules.address(typed, field: "email", &errors) else {
      throw WrongAddress()
    }
    guard let found = try services.people.credentials(emailHash: services.people.hash(email)) else {
      throw UnknownAddress()
    }
    return found
  }
}
