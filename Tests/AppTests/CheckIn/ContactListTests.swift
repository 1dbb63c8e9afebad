import Core
import Database
import Testing
import Web

@testable import App
@testable import CheckIn

@Suite("Contacts are added, ordered, changed and removed by their person alone")
struct ContactListTests {
  private func add(_ browser: TestClient, _ email: String, _ name: String = "") -> TestResponse {
    browser.post("/checkin/contacts", ["name": name, "email": email])
  }

  private func names(_ instance: TestInstance, _ person: ID<Person>) throws -> [String] {
    try instance.contacts(of: person).map(\.shownName)
  }

  /// Sam with two contacts.
  private func sam(_ instance: TestInstance) throws -> (TestClient, ID<Person>, [Contact]) {
    let sam = try instance.alone("sam").id
    let browser = try instance.signedIn("sam")
    #expect(add(browser, "pat@example.test", "Pat").location == "/checkin/contacts")
    #expect(add(browser, "quin@example.test").status == 303)
    return (browser, sam, try instance.contacts(of: sam))
  }

  // MARK: Adding

  @Test("A new contact is introduced, and the page shows the result of the mail")
  func adding() throws {
    let instance = try TestInstance()
    let (browser, person, _) = try sam(instance)
    var page = browser.get("/checkin/contacts")
    #expect(page.shows("<b>Pat</b>") && page.shows("pat@example.test"))
    #expect(page.shows("Email on its way") && !page.shows("data-testid=\"nobody\""))
    #expect(try instance.mails(to: "pat@example.test").count == 1)
    try instance.work()
    page = browser.get("/checkin/contacts")
    #expect(page.shows("Introduction · sent · 2 March 2026, 08:00"))
    #expect(try instance.contacts(of: person).map(\.state) == [.introduced, .introduced])
    #expect(page.shows("<span>Informed</span>"))
  }

  @Test("Where the other contacts would see no name, the list asks for one")
  func unnamed() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam").id
    let browser = try instance.signedIn("sam")
    _ = add(browser, "quin@example.test")
    #expect(!browser.get("/checkin/contacts").shows("Add a name"))
    _ = add(browser, "pat@example.test", "Pat")
    #expect(browser.get("/checkin/contacts").text.ranges(of: "Add a name").count == 1)
    let quin = try #require(try instance.contacts(of: sam).first)
    browser.post("/checkin/contacts/\(quin.id)", ["name": "Quin", "email": "quin@example.test"])
    #expect(!browser.get("/checkin/contacts").shows("Add a name"))
  }

  @Test("Without contacts, or without usable ones, the page says that no one would be alerted")
  func nobody() throws {
    let instance = try TestInstance()
    let person = try instance.alone("sam").id
    let browser = try instance.signedIn("sam")
    #expect(browser.get("/checkin/contacts").shows("No one would be alerted"))
    _ = add(browser, "pat@example.test")
    #expect(!browser.get("/checkin/contacts").shows("data-testid=\"nobody\""))
    let pat = try #require(try instance.contacts(of: person).first)
    for (state, words) in [
      (Contact.State.refused, "Opted out – won’t be alerted"),
      (.bouncing, "Email bounces – won’t be alerted"),
    ] {
      try instance.database.write {
        try instance.checkIn.contacts.setState(state, of: pat.id, in: $0)
      }
      let page = browser.get("/checkin/contacts")
      #expect(page.shows("data-testid=\"nobody\"") && page.shows(words), "\(state)")
    }
  }

  @Test(
    "An invalid address is an error beside the field, and the input is kept",
    arguments: ["", "pat", "pat@", "pat@@example.test", "pat@example.test\r\nBcc: x@example.test"])
  func wrongAddress(email: String) throws {
    let instance = try TestInstance()
    let person = try instance.alone("sam").id
    let answer = add(try instance.signedIn("sam"), email, "Typed")
    #expect(answer.status == 422 && answer.shows("error-summary"))
    #expect(answer.shows("value=\"Typed\"") && answer.shows("aria-invalid"))
    #expect(try instance.contacts(of: person).isEmpty)
  }

  @Test("The check-in page names only contacts who would be alerted")
  func toldOnly() throws {
    let instance = try TestInstance()
    let (browser, _, contacts) = try sam(instance)
    func notifiedNames() throws -> Substring {
      let page = browser.get("/checkin").text
      return try #require(page.firstMatch(of: #/Emergency contacts</span><b>([^<]*)/#)?.1)
    }
    #expect(try notifiedNames() == "Pat, quin@example.test")
    for (contact, names) in zip(contacts, ["quin@example.test", "None"]) {
      try instance.database.write {
        try instance.checkIn.contacts.setState(.refused, of: contact.id, in: $0)
      }
      #expect(try notifiedNames() == names)
    }
  }

  @Test("An address twice is refused in words, however it is written")
  func twice() throws {
    let instance = try TestInstance()
    let (browser, person, _) = try sam(instance)
    for email in ["pat@example.test", " PAT@Example.TEST ", "ｐａｔ@example.test"] {
      let answer = add(browser, email, "Again")
      #expect(answer.status == 422 && answer.shows("already one of your contacts"), "\(email)")
    }
    #expect(try instance.contacts(of: person).count == 2)
  }

  @Test("Users cannot be their own contacts")
  func oneself() throws {
    let instance = try TestInstance()
    let (browser, person, contacts) = try sam(instance)
    let answer = add(browser, "sam@example.test")
    #expect(answer.status == 422 && answer.shows("You can’t be your own contact"))
    let changed = browser.post(
      "/checkin/contacts/\(contacts[0].id)", ["name": "Pat", "email": "SAM@example.test"])
    #expect(changed.status == 422 && changed.shows("You can’t be your own contact"))
    #expect(try names(instance, person) == ["Pat", "quin@example.test"])
  }

  @Test("A sixth contact is one too many, and the form is gone with the fifth")
  func sixth() throws {
    let instance = try TestInstance()
    let person = try instance.alone("sam").id
    let browser = try instance.signedIn("sam")
    for number in 1...5 { #expect(add(browser, "c\(number)@example.test").status == 303) }
    let page = browser.get("/checkin/contacts")
    #expect(!page.shows("id=\"email\"") && page.shows("remove one first"))
    let answer = add(browser, "c6@example.test")
    #expect(answer.status == 409 && answer.shows("You can have up to five contacts"))
    #expect(try instance.contacts(of: person).count == 5)
  }

  @Test("A name is one line of at most 50 characters, and nothing in it is markup")
  func name() throws {
    let instance = try TestInstance()
    let person = try instance.alone("sam").id
    let browser = try instance.signedIn("sam")
    let long = add(browser, "pat@example.test", String(repeating: "貓", count: 51))
    #expect(long.status == 422 && long.shows("At most 50 characters"))
    #expect(add(browser, "pat@example.test", " A\r\nB\u{202E}<b>\" ").status == 303)
    #expect(try names(instance, person) == ["A  B <b>\""])
    #expect(!browser.get("/checkin/contacts").shows("<b>\""))
  }

  @Test("A contact who refused all users here is added as refused, without a mail")
  func refusedBefore() throws {
    let instance = try TestInstance()
    let now = instance.clock.now()
    _ = try instance.database.write {
      try instance.checkIn.contacts.refuse("pat@example.test", now: now, in: $0)
    }
    try instance.alone("sam")
    let browser = try instance.signedIn("sam")
    #expect(add(browser, "pat@example.test").status == 303)
    let page = browser.get("/checkin/contacts")
    #expect(page.shows("won’t be alerted") && page.shows("data-testid=\"nobody\""))
    #expect(page.shows("opted out of our emails"))
    #expect(try instance.mails(to: "pat@example.test").isEmpty)
  }

  // MARK: The partner

  @Test("A member of a couple is offered the partner, who becomes the first contact")
  func partner() throws {
    let instance = try TestInstance()
    let ann = try #require(try instance.couple().first).id
    let browser = try instance.signedIn("ann")
    _ = add(browser, "pat@example.test", "Pat")
    #expect(browser.get("/checkin/contacts").shows("Add Ben, your partner"))
    #expect(browser.post("/checkin/contacts", ["partner": "1"]).status == 303)
    #expect(try names(instance, ann) == ["Ben", "Pat"])
    #expect(!browser.get("/checkin/contacts").shows("name=\"partner\""))
    #expect(browser.post("/checkin/contacts", ["partner": "1"]).status == 422)
    #expect(try instance.mails(to: "ben@example.test").count == 1)
  }

  @Test("A member without a partner is offered none")
  func noPartner() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let browser = try instance.signedIn("sam")
    #expect(!browser.get("/checkin/contacts").shows("name=\"partner\""))
    #expect(browser.post("/checkin/contacts", ["partner": "1"]).status == 404)
  }

  // MARK: Order

  @Test(
    "One goes up or down by one, and nowhere from the ends",
    arguments: [
      ("b", true, ["b", "a", "c"]), ("b", false, ["a", "c", "b"]), ("a", true, ["a", "b", "c"]),
      ("c", false, ["a", "b", "c"]), ("x", true, ["a", "b", "c"]),
    ])
  func moved(item: String, up: Bool, order: [String]) {
    #expect(ContactListPages.moved(item, up: up, in: ["a", "b", "c"]) == order)
  }

  @Test("The order is the person's to choose")
  func moving() throws {
    let instance = try TestInstance()
    let (browser, person, contacts) = try sam(instance)
    let pat = "/checkin/contacts/\(contacts[0].id)"
    #expect(
      browser.post(pat, ["move": "down"]).location == "/checkin/contacts#\(contacts[0].id)")
    #expect(try names(instance, person) == ["quin@example.test", "Pat"])
    browser.post(pat, ["move": "up"])
    browser.post(pat, ["move": "up"])
    #expect(try names(instance, person) == ["Pat", "quin@example.test"])
  }

  // MARK: Changing

  @Test("A new name keeps the contact; a new address is introduced in the same place")
  func changing() throws {
    let instance = try TestInstance()
    let (browser, person, contacts) = try sam(instance)
    try instance.work()
    try instance.work()
    let path = "/checkin/contacts/\(contacts[0].id)"
    #expect(browser.get(path).shows("value=\"pat@example.test\""))
    #expect(browser.post(path, ["name": "Patty", "email": "pat@example.test"]).status == 303)
    let renamed = try #require(try instance.contacts(of: person).first)
    #expect(renamed.id == contacts[0].id && renamed.name == "Patty")
    #expect(renamed.state == .introduced)
    #expect(browser.post(path, ["name": "Patty", "email": "patty@example.test"]).status == 303)
    let other = try #require(try instance.contacts(of: person).first)
    #expect(other.id != contacts[0].id && other.state == .pending)
    #expect(other.email == "patty@example.test")
    #expect(try instance.mails(to: "patty@example.test").count == 1)
    #expect(browser.get(path).status == 404)
  }

  @Test("An invalid change is an error beside its field, keeps the input, and changes nothing")
  func wrongChange() throws {
    let instance = try TestInstance()
    let (browser, person, contacts) = try sam(instance)
    let path = "/checkin/contacts/\(contacts[0].id)"
    for email in ["", "pat@", "quin@example.test"] {
      let answer = browser.post(path, ["name": "Typed", "email": email])
      #expect(answer.status == 422 && answer.shows("value=\"Typed\""), "\(email)")
      #expect(answer.shows("value=\"\(email)\""))
    }
    #expect(try names(instance, person) == ["Pat", "quin@example.test"])
  }

  @Test("An address whose mail came back can be tried again; others can't be mailed at will")
  func introducingAgain() throws {
    let instance = try TestInstance()
    let (browser, person, contacts) = try sam(instance)
    try instance.work()
    let (pat, path) = (contacts[0], "/checkin/contacts/\(contacts[0].id)")
    browser.post(path, ["introduce": "1"])
    #expect(try instance.mails(to: "pat@example.test").count == 1)
    #expect(!browser.get("/checkin/contacts").shows("name=\"introduce\""))
    try instance.database.write {
      try instance.checkIn.contacts.setState(.bouncing, of: pat.id, in: $0)
    }
    #expect(browser.get("/checkin/contacts").shows("name=\"introduce\""))
    #expect(browser.post(path, ["introduce": "1"]).status == 303)
    #expect(try instance.contacts(of: person)[0].state == .pending)
    #expect(try instance.mails(to: "pat@example.test").count == 2)
  }

  // MARK: Removing

  @Test("Removing asks first, and warns if no contact would be left")
  func removing() throws {
    let instance = try TestInstance()
    let (browser, person, contacts) = try sam(instance)
    let first = "/checkin/contacts/\(contacts[0].id)/remove"
    let page = browser.get(first)
    #expect(page.shows("Remove Pat?") && !page.shows("No one would be alerted"))
    #expect(try instance.contacts(of: person).count == 2)
    #expect(browser.post(first).location == "/checkin/contacts")
    #expect(try names(instance, person) == ["quin@example.test"])
    #expect(browser.post(first).status == 404)
    let last = "/checkin/contacts/\(contacts[1].id)/remove"
    #expect(browser.get(last).shows("No one would be alerted"))
    browser.post(last)
    #expect(browser.get("/checkin/contacts").shows("data-testid=\"nobody\""))
  }

  // MARK: Others

  @Test("Contacts are visible to their owner only")
  func others() throws {
    let instance = try TestInstance()
    let (_, person, contacts) = try sam(instance)
    try instance.couple()
    let ann = try instance.signedIn("ann")
    #expect(!ann.get("/checkin/contacts").shows("pat@example.test"))
    let path = "/checkin/contacts/\(contacts[0].id)"
    #expect(ann.get(path).status == 404 && ann.get("\(path)/remove").status == 404)
    for fields in [
      [("move", "down")], [("introduce", "1")], [("name", "Eve"), ("email", "eve@example.test")],
    ] {
      #expect(ann.post(path, all: fields).status == 404)
    }
    #expect(ann.post("\(path)/remove").status == 404)
    #expect(try names(instance, person) == ["Pat", "quin@example.test"])
    for path in [path, "\(path)/remove", "/checkin/contacts"] {
      #expect(instance.browser().get(path).location?.hasPrefix("/sign-in") == true)
    }
    for id in ["none", "%00", String(repeating: "a", count: 300)] {
      #expect(ann.get("/checkin/contacts/\(id)").status == 404)
    }
  }

  @Test("A guest has contacts too")
  func guest() throws {
    let instance = try TestInstance()
    let guest = try instance.guest("Gia")
    #expect(add(guest, "pat@example.test", "Pat").status == 303)
    #expect(guest.get("/checkin/contacts").shows("<b>Pat</b>"))
  }
}
