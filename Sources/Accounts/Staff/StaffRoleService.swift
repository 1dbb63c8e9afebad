import Core
import Database
import Secrets
import Web

/// Gives members staff roles, for `pairspot admin create` and for admins.
public struct StaffRoleService: Sendable {
  /// The result of `appoint`.
  public struct Outcome: Sendable {
    /// Whether an account was created.
    public let isNew: Bool
    /// The link to set up what is missing; nil if nothing is.
    public let link: String?
  }

  /// Thrown if the text is not an e-mail address.
  public struct InvalidAddressError: Error, CustomStringConvertible {
    public let description = "that is not an e-mail address"
  }

  /// Thrown if the change would leave the instance without an admin.
  public struct LastAdmin: Error, CustomStringConvertible {
    public let description = "that is the only admin; make another one first"
  }

  let services: AccountsEnvironment

  init(_ services: AccountsEnvironment) {
    self.services = services
  }

  /// Gives a member the role, or creates a member with it. All sessions of the member end, since
  /// the rights change. Throws `LastAdmin`.
  public func appoint(email entered: String, as role: Role, now: Instant) throws -> Outcome {
    var errors: [String: FieldError] = [:]
    guard let email = AccountRules.address(entered, field: "email", &errors) else {
      throw InvalidAddressError()
    }
    let known = try services.people.credentials(emailHash: services.people.hash(email))
    let person = known?.id ?? ID<Person>(now: now)
    let outcome = try services.site.database.write { writer in
      if known == nil {
        // Without a password, signing in is impossible. The link asks for name, password and
        // acceptance of the terms.
        let member = NewMember(
          id: person, displayName: String(email.prefix { $0 != "@" }.prefix(40)), email: email,
          passwordHash: nil, language: services.site.defaultLanguage, timeZone: nil,
          termsVersion: services.legal.termsVersion, couple: nil)
        try services.people.add(member, now: now, in: writer)
      }
      try set(role, of: person, by: nil, now: now, in: writer)
      if known != nil {
        try services.secondFactor.mails.notify(.madeStaff, person, now: now, in: writer)
      }
      let link = try setupLink(for: person, now: now, in: writer)
      return Outcome(isNew: known == nil, link: link)
    }
    services.site.securityLog.write(
      .roleChanged, of: .person(person), at: now, .init(command: "admin create"))
    return outcome
  }

  /// Changes a member's role on behalf of an admin. Throws 404 if the viewer is no longer an admin:
  /// two admins may revoke each other's role at the same moment.
  func assign(_ role: Role, to person: ID<Person>, by viewer: Viewer, now: Instant) throws {
    try services.site.database.write { writer in
      guard person != viewer.id,
        try services.staff.role(of: viewer.id, in: writer) == .admin,
        let before = try services.staff.role(of: person, in: writer), before >= .member
      else { throw Problem.notFound }
      guard before != role else { return }
      try replace(with: role, of: person, by: viewer, now: now, in: writer)
    }
  }

  /// Gives an existing member another role and notifies them. Links of former staff stop working.
  func replace(
    with role: Role, of person: ID<Person>, by viewer: Viewer?, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try set(role, of: person, by: viewer, now: now, in: writer)
    if role == .member { try StaffStore.links.revokeAll(of: person, now: now, in: writer) }
    try services.secondFactor.mails.notify(
      role == .member ? .noStaff : .madeStaff, person, now: now, in: writer)
  }

  /// Sets the role and logs it. All sessions end, since the rights change. Throws `LastAdmin`.
  private func set(
    _ role: Role, of person: ID<Person>, by viewer: Viewer?, now: Instant,
    in writer: WriteTransaction
  ) throws {
    let before = try services.staff.role(of: person, in: writer)
    if role < .admin { try services.staff.checkAdmin(besides: person, in: writer) }
    try services.staff.setRole(role, of: person, in: writer)
    try services.sessions.endAll(of: person, in: writer)
    try services.staffRecord.note(
      .changeRole, to: AuditTarget(kind: "person", bytes: person.bytes),
      details: "\(before ?? .member) → \(role)", by: viewer, now: now, in: writer)
  }
}
