import Core
import Database
import Foundation
import Testing

@testable import Accounts
@testable import App
@testable import CheckIn

extension TestInstance {
  var checkIn: CheckInEnvironment { instance.features.checkIn.services }

  /// A member with these contacts who has just checked in.
  @discardableResult
  func watched(_ name: String = "mei", by contacts: [String] = ["ming"]) throws -> ID<Person> {
    let person = try alone(name).id
    try add(contacts, to: person)
    try tap(person)
    return person
  }

  func card(_ person: ID<Person>) throws -> UserSummary {
    try #require(try database.read { try checkIn.people.card(person, in: $0) })
  }

  /// Adds contacts named like their addresses.
  func add(_ contacts: [String], to person: ID<Person>) throws {
    let card = try card(person)
    try database.write { writer in
      for contact in contacts {
        try ContactService(services: checkIn).add(
          to: card, name: contact.capitalized, email: "\(contact)@example.test",
          now: clock.now(), in: writer)
      }
    }
  }

  func tap(_ person: ID<Person>) throws {
    let card = try card(person)
    _ = try database.write {
      try CheckInService(services: checkIn).tap(by: card, now: clock.now(), in: $0)
    }
  }

  /// Advances three and a half days, after which the contacts have been alerted.
  func goQuiet() throws {
    try work()
    clock.advance(seconds: 84 * 3600)
    try CheckInScan(services: checkIn).run(now: clock.now())
    try work()
    // Later events get a later time.
    clock.advance(seconds: 60)
  }

  func contact(_ name: String) throws -> Contact {
    let email = "\(name)@example.test"
    let found = try database.read { reader in
      try reader.value(
        """
        SELECT id FROM emergency_contacts WHERE email_hash = \(instance.keys.lookupHash(email))
        """, as: ID<Contact>.self
      ).flatMap { try checkIn.contacts.find($0, in: reader) }
    }
    return try #require(found)
  }

  /// A contact's page, from the link in the mail.
  func contactPage(_ name: String = "ming") throws -> String {
    CheckInLinks.contact(checkIn.links.token(for: try contact(name).id))
  }

  func tapPage(_ person: ID<Person>, days: Int64 = 7) -> String {
    CheckInLinks.tap(
      checkIn.links.token(for: person, until: clock.now().adding(seconds: .days(days))))
  }

  /// The page that ends a timer; of another one than the running one without `timer`.
  func timerPage(_ person: ID<Person>, _ timer: ID<CheckInTimer> = .random()) -> String {
    CheckInLinks.timer(
      checkIn.links.token(
        for: timer, of: person, until: clock.now().adding(seconds: .days(7))))
  }

  func number(_ query: Query) throws -> Int {
    try database.read { try $0.count(query) }
  }

  /// All state that links in mails could change, as text.
  func watchedState() throws -> [String] {
    try database.read { reader in
      try [
        "SELECT hex(id) || state || coalesce(CAST(weekly_at AS TEXT), '') FROM emergency_contacts ORDER BY id",
        "SELECT hex(id) || coalesce(CAST(reached_at AS TEXT), '') || coalesce(CAST(ended_at AS TEXT), '') FROM alerts",
        "SELECT hex(user_id) || day FROM check_ins ORDER BY user_id, day",
        "SELECT hex(email_hash) FROM contact_refusals",
        "SELECT hex(mail_id) || state FROM contact_mails ORDER BY mail_id",
      ].flatMap { try reader.values($0, as: String.self) }
    }
  }
}
