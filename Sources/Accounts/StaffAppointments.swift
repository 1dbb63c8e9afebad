import Basics
import Secrets
import Web

/// Makes people moderators and admins, for `pairspot admin create`.
public struct StaffAppointments: Sendable {
  /// What came of it.
  public struct Outcome: Sendable {
    /// Whether an account was made for it.
    public let isNew: Bool
    /// The link for setting up what is missing; nil when nothing is.
    public let link: String?
  }

  /// The address is none.
  public struct WrongAddress: Error, CustomStringConvertible {
    public let description = "that is not an e-mail address"
  }

  private let services: AccountServices

  init(_ services: AccountServices) {
    self.services = services
  }

  /// Gives a member the role, or makes a member with it. Every session of theirs ends: rights
  /// have changed.
  public func appoint(email typed: String, as role: Role, now: Instant) throws -> Outcome {
    var errors: [String: FieldError] = [:]
    guard let email = AccountRules.address(typed, field: "email", &errors) else {
      throw WrongAddress()
    }
    let known = try services.people.credentials(emailHash: services.people.hash(email))
    return try services.site.database.write { writer in
      let person = known?.id ?? ID<Person>(now: now)
      if known == nil {
        // Without a password nobody can sign in; name, password and terms come with the link.
        let member = NewMember(
          id: person, displayName: String(email.prefix { $0 != "@" }.prefix(40)), email: email,
          passwordHash: nil, language: services.site.defaultLanguage, timeZone: nil,
          termsVersion: services.legal.termsVersion, couple: nil)
        try services.people.add(member, now: now, in: writer)
      }
      try services.staff.setRole(role, of: person, in: writer)
      try services.sessions.endAll(of: person, in: writer)
      if known != nil {
        try services.secondFactor.mails.tell(.madeStaff, person, now: now, in: writer)
      }
      if try services.secondFactor.store.isOn(person, in: writer.reader) {
        return Outcome(isNew: false, link: nil)
      }
      let token = try services.staff.makeLink(for: person, now: now, in: writer)
      return Outcome(
        isNew: known == nil, link: services.site.baseURL + AccountLinks.enrolStaff(token.text))
    }
  }
}
