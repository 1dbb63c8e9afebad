import Core
import Database
import Foundation
import Glibc
import Testing

@testable import Accounts
@testable import App
@testable import CheckIn

/// An instance in which each user has a unique mark in every field, with the browsers of all users.
final class CanaryWorld {
  let instance: TestInstance
  private(set) var browsers: [CanaryPerson: TestClient] = [:]
  private(set) var identifiers: [CanaryPerson: ID<Person>] = [:]
  /// Finds the marks and the restricted identifiers.
  var finder = CanaryFinder()
  /// URLs that exist only with content: pictures, links of mails, pages of staff.
  var addresses: [CanaryAddress] = []
  /// Values of a route parameter, by the preceding path segment.
  var values: [String: [String]] = [:]
  /// The file of both logs.
  let logPath: String
  /// Mails sent before Tom deleted his account, which may contain his data.
  var mailsBeforeLeaving: Set<String> = []
  private let log: Int32

  init() throws {
    logPath = FileManager.default.temporaryDirectory.appending(path: "canaries-\(UUID())").path
    log = open(logPath, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    instance = try TestInstance(log: log, securityLog: log)
    try found()
    try begin()
    try goQuiet()
    try changeAddresses()
    try linkProviders()
    try addPasskeys()
    try register()
    try appointStaff()
    for person in CanaryPerson.members + CanaryPerson.guests { try fill(person) }
    try meet()
    try exerciseTogether()
    try moderate()
    try end()
  }

  deinit {
    close(log)
    unlink(logPath)
  }

  func browser(_ person: CanaryPerson) throws -> TestClient { try #require(browsers[person]) }

  func id(_ person: CanaryPerson) throws -> ID<Person> { try #require(identifiers[person]) }

  func execute(_ query: Query) throws {
    try instance.database.write { _ = try $0.execute(query) }
  }

  /// The couple of a user.
  func couple(_ person: CanaryPerson) throws -> String {
    let found = try instance.database.read {
      try $0.value("SELECT couple_id FROM users WHERE id = \(id(person))", as: ID<Couple>.self)
    }
    return try #require(found).description
  }

  // MARK: Users

  private func found() throws {
    let seeder = instance.instance.features.accounts.seeder
    func found(_ people: [CanaryPerson], _ couple: CanaryPerson? = nil) throws {
      let made = try seeder.found(
        people.map { ($0.mark(.name), $0.address($0 == .ann ? .changed : .email)) },
        couple: couple?.mark(.couple), anniversary: couple == nil ? nil : LocalDay(number: 20_420),
        password: TestInstance.password, now: instance.clock.now())
      for (person, viewer) in zip(people, made) { identifiers[person] = viewer.id }
    }
    for two in [[CanaryPerson.ann, .ben], [.cyd, .dee], [.eve, .fin]] { try found(two, two[0]) }
    for person in CanaryPerson.members + CanaryPerson.staff where identifiers[person] == nil {
      try found([person])
    }
    for person in CanaryPerson.members where person != .ann {
      browsers[person] = try instance.signedIn(person.mark(.email))
    }
    browsers[.ann] = try instance.signedIn(CanaryPerson.ann.mark(.changed))
    for guest in CanaryPerson.guests {
      browsers[guest] = try instance.guest(guest.mark(.name))
      identifiers[guest] = try instance.person(guest.mark(.name))
    }
  }

  /// Ann has changed her address; others have a change waiting for confirmation.
  private func changeAddresses() throws {
    let ann = try browser(.ann)
    let fields: KeyValuePairs = [
      "email": CanaryPerson.ann.address(.email), "current_password": TestInstance.password,
    ]
    ann.post("/settings/email", fields)
    let page = ann.get(try instance.link(to: CanaryPerson.ann.address(.email)))
    let token = try #require(page.value(of: "token"))
    try #require(ann.post("/settings/email/confirm", ["token": token]).status == 303)
    for person in CanaryPerson.members where person != .ann {
      let answer = try browser(person).post(
        "/settings/email",
        ["email": person.address(.changed), "current_password": TestInstance.password])
      try #require(answer.status == 303, "\(answer.status)")
    }
  }

  /// Members have linked an account with a provider.
  private func linkProviders() throws {
    let store = ProviderIdentityStore(keys: instance.instance.site.keys)
    for person in CanaryPerson.members {
      let subject = ProviderSubject(
        issuer: "https://login.example.test", subject: person.mark(.email))
      try instance.database.write {
        _ = try store.link(subject, to: id(person), now: instance.clock.now(), in: $0)
      }
    }
  }

  private func addPasskeys() throws {
    for person in CanaryPerson.members {
      _ = try browser(person).addPasskey()
      let id = try id(person)
      try instance.database.write {
        try $0.execute("UPDATE passkeys SET name = \(person.mark(.passkey)) WHERE user_id = \(id)")
      }
    }
  }

  /// Ivy has started to register with a partner, and then alone.
  private func register() throws {
    let browser = instance.browser()
    browsers[.ivy] = browser
    let ivy = CanaryPerson.ivy
    let two = browser.post(
      "/register",
      [
        "email_a": ivy.address(.email), "email_b": ivy.address(.invited),
        "couple_name": ivy.mark(.couple), "anniversary": "2020-02-29", "accept": "1",
      ])
    try #require(two.status == 303)
    let alone = instance.browser().post(
      "/register/alone",
      [
        "email": ivy.address(.changed), "display_name": ivy.mark(.name),
        "password": TestInstance.password, "accept": "1",
      ])
    try #require(alone.status == 303)
  }

  private func appointStaff() throws {
    for (person, role) in [(CanaryPerson.moe, Role.moderator), (.ora, .admin)] {
      browsers[person] = try instance.promoted(person.mark(.email), as: role)
    }
  }

  // MARK: Check-in

  /// Every user who can has a contact, a note and a check-in.
  private func begin() throws {
    for person in CanaryPerson.members + CanaryPerson.guests {
      let browser = try browser(person)
      let added = browser.post(
        "/checkin/contacts", ["name": person.mark(.contact), "email": person.address(.reach)])
      try #require(added.status == 303, "\(person) \(added.status)")
      let set = browser.call(
        .put, "/checkin/settings",
        "{\"note\":\"\(person.mark(.note))\",\"sheet\":\"\(person.mark(.note))\"}")
      try #require(set.status == 200, "\(person) \(set.text)")
      try #require(browser.tap().status == 303, "\(person)")
      let listed = browser.call(.get, "/checkin/contacts").list("contacts")
      for contact in listed {
        finder.add(try #require(contact["id"] as? String), CanaryMark(.contact, of: person))
      }
      let contact = try instance.contact(person.mark(.reach))
      try instance.database.write {
        try instance.checkIn.channels.add(
          .random(), to: contact, offer: "sms", recipient: person.mark(.reach), in: $0)
      }
      let link = try instance.contactPage(person.mark(.reach)).dropFirst("/c/".count)
      finder.add(String(link), CanaryMark(.link, of: person))
    }
    try #require(try browser(.ann).post("/checkin/contacts", ["partner": "1"]).status == 303)
  }

  /// All users miss check-ins until their contacts are alerted; then one contact has reached Ann,
  /// and all check in again.
  private func goQuiet() throws {
    try instance.goQuiet()
    let (contact, page) = (
      instance.browser(), try instance.contactPage(CanaryPerson.ann.mark(.reach))
    )
    contact.get(page)
    try #require(contact.post(page, ["button": "reached"]).status == 303)
    try instance.work()
    for person in CanaryPerson.members + CanaryPerson.guests where person != .wes {
      try browser(person).tap()
    }
    try instance.work()
    let timer = try browser(.ann).post(
      "/checkin/timer",
      [
        "button": "start", "minutes": "4320", "grace": "120",
        "note": CanaryPerson.ann.mark(.note),
      ])
    try #require(timer.status == 303)
  }

  // MARK: The end

  private func end() throws {
    for (person, id) in identifiers {
      try execute(
        "UPDATE sessions SET browser = \(person.mark(.browser)) WHERE user_id = \(id)")
    }
    for (person, browser) in browsers where person != .ivy {
      try #require(browser.post("/settings/export").status == 303, "\(person)")
    }
    try instance.work()
    mailsBeforeLeaving = Set(try instance.allMails().map { $0.mail.header("message-id") })
    try #require(try browser(.tom).leave().status == 303)
    try instance.work()
    try gatherAddresses()
  }
}
