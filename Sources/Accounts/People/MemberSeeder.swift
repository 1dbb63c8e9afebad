import Core
import Database
import Secrets

/// Creates members and couples without mails, for demo data and tests.
public struct MemberSeeder: Sendable {
  private let services: AccountsEnvironment

  init(_ services: AccountsEnvironment) {
    self.services = services
  }

  /// Whether no user has ever registered.
  public func isEmpty() throws -> Bool {
    try services.site.database.read { try services.people.isEmpty(in: $0) }
  }

  /// Creates a single member, or an active couple of two; returns them as viewers. The password is a
  /// random one, hashed at the cost of codes. Throws if an address is taken.
  public func found(
    _ members: [(name: String, email: String)], couple name: String? = nil,
    anniversary: LocalDay? = nil, password: String, language: Language = .english, now: Instant
  ) throws -> [Viewer] {
    let hash = try services.hasher.hash(code: password)
    let people = members.map { (id: ID<Person>(now: now), name: $0.name, email: $0.email) }
    let couple = name.map { (id: ID<Couple>(now: now), name: $0) }
    try services.site.database.write { writer in
      if let couple {
        try services.couples.add(
          couple.id, name: couple.name, anniversary: anniversary, status: .active, now: now,
          in: writer)
      }
      for (index, person) in people.enumerated() {
        let member = NewMember(
          id: person.id, displayName: person.name, email: person.email, passwordHash: hash,
          language: language, timeZone: nil, termsVersion: services.legal.termsVersion,
          couple: couple.map { ($0.id, index + 1) })
        try services.people.add(member, now: now, in: writer)
        if let couple {
          try services.couples.join(couple.id, person: person.id, now: now, in: writer)
        }
      }
    }
    return people.map { person in
      Viewer(
        id: person.id, role: .member, avatar: .init(name: person.name, avatar: nil),
        couple: couple.map { .init(id: $0.id, name: $0.name, status: .active, partner: nil) })
    }
  }
}
