import Core
import Database
import Testing

@testable import App
@testable import CheckIn

@Suite("Removed contacts can be restored for 30 days")
struct RemovedContactTests {
  private static let list = "/checkin/contacts"

  /// Sam with the contacts Pat and Quin, who were introduced.
  private func sam(_ instance: TestInstance) throws -> (TestClient, ID<Person>, [Contact]) {
    let sam = try instance.alone("sam").id
    let browser = try instance.signedIn("sam")
    for name in ["Pat", "Quin"] {
      browser.post(Self.list, ["name": name, "email": "\(name.lowercased())@example.test"])
    }
    try instance.work()
    try instance.work()
    return (browser, sam, try instance.contacts(of: sam))
  }

  private func undo(_ contact: Contact) -> String { "\(Self.list)/\(contact.id)/undo" }

  private func remove(_ contact: Contact, by browser: TestClient) -> TestResponse {
    browser.post("\(Self.list)/\(contact.id)/remove")
  }

  private func names(_ instance: TestInstance, _ person: ID<Person>) throws -> [String] {
    try instance.contacts(of: person).map(\.shownName)
  }

  @Test("The message has a button that restores, and so has the list; the contact comes last")
  func restored() throws {
    let instance = try TestInstance()
    let (browser, person, contacts) = try sam(instance)
    #expect(!browser.get(Self.list).shows("data-testid=\"removed-contacts\""))
    #expect(remove(contacts[0], by: browser).toastLink == undo(contacts[0]))
    let page = browser.get(Self.list)
    #expect(page.shows("data-testid=\"removed-contacts\"") && page.shows("30 days left"))
    #expect(page.shows("pat@example.test") && page.shows("action=\"\(undo(contacts[0]))\""))
    #expect(browser.post(undo(contacts[0])).location == Self.list)
    #expect(try names(instance, person) == ["Quin", "Pat"])
    let restored = try #require(try instance.contacts(of: person).last)
    #expect(restored.id == contacts[0].id && restored.state == .introduced)
    #expect(try instance.mails(to: "pat@example.test").count == 1)
    #expect(!browser.get(Self.list).shows("data-testid=\"removed-contacts\""))
    #expect(browser.post(undo(contacts[0])).status == 404)
  }

  @Test("Apps list and restore a contact, with the same refusals")
  func apps() throws {
    let instance = try TestInstance()
    let (browser, person, contacts) = try sam(instance)
    try instance.alone("eve")
    let eve = try instance.signedIn("eve")
    let path = "\(Self.list)/\(contacts[0].id)"
    #expect(browser.call(.delete, path).status == 204)
    let listed = browser.call(.get, "\(Self.list)/removed")
    #expect(listed.status == 200 && listed.text.contains("\"pat@example.test\""))
    let end = instance.clock.now().adding(seconds: 30 * 86_400)
    #expect(listed.text.contains("\"restore_until\":\"\(end.rfc3339.dropLast()).000Z\""))
    #expect(!eve.call(.get, "\(Self.list)/removed").text.contains("pat@"))
    #expect(eve.call(.post, "\(path)/restore").status == 404)
    browser.post(Self.list, ["name": "Pat", "email": "pat@example.test"])
    #expect(browser.call(.post, "\(path)/restore").status == 422)
    let again = try #require(try instance.contacts(of: person).last)
    #expect(browser.call(.delete, "\(Self.list)/\(again.id)").status == 204)
    #expect(browser.call(.post, "\(path)/restore").status == 200)
    #expect(try names(instance, person) == ["Quin", "Pat"])
    #expect(browser.call(.post, "\(path)/restore").status == 404)
  }

  @Test("A removed contact gets no mail, and nothing counts on them")
  func nothingSent() throws {
    let instance = try TestInstance()
    let person = try instance.watched(by: ["ming", "lin"])
    try instance.work()
    let (browser, ming) = (try instance.signedIn("mei"), try instance.contact("ming"))
    instance.browser().post(try instance.contactPage("ming"), ["button": "weekly-on"])
    #expect(try instance.contact("ming").weeklyAt != nil)
    let mails = try instance.mails(to: "ming@example.test").map(\.subject)
    #expect(remove(ming, by: browser).status == 303)
    #expect(instance.browser().get(try instance.contactPage("ming")).status == 410)
    #expect(browser.call(.get, "/checkin/contacts").list("contacts").count == 1)
    instance.clock.advance(seconds: 8 * 86_400)
    try instance.work()
    let later = try instance.mails(to: "ming@example.test").map(\.subject)
    // Old mails are removed from the folder.
    #expect(Set(later).isSubset(of: mails))
    #expect(try !instance.mails(to: "lin@example.test").isEmpty)
    #expect(try names(instance, person) == ["Lin"])
  }

  @Test("An introduction that waits is not sent, but after restoring")
  func recalled() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam").id
    let browser = try instance.signedIn("sam")
    browser.post(Self.list, ["name": "Pat", "email": "pat@example.test"])
    let pat = try #require(try instance.contacts(of: sam).first)
    #expect(remove(pat, by: browser).status == 303)
    try instance.work()
    #expect(try instance.mails(to: "pat@example.test").isEmpty)
    #expect(browser.post(undo(pat)).status == 303)
    try instance.work()
    #expect(try instance.mails(to: "pat@example.test").count == 1)
  }

  @Test("A contact who unsubscribes after being removed stays unsubscribed when restored")
  func refused() throws {
    let instance = try TestInstance()
    let (browser, person, contacts) = try sam(instance)
    let page = try instance.contactPage("pat")
    #expect(remove(contacts[0], by: browser).status == 303)
    #expect(instance.browser().post("\(page)/stop", ["button": "stop"]).status == 303)
    #expect(browser.post(undo(contacts[0])).status == 303)
    let restored = try #require(try instance.contacts(of: person).last)
    #expect(restored.state == .refused && !restored.counts)
    #expect(try instance.mails(to: "pat@example.test").count == 1)
  }

  @Test("A contact who was told of an alert gets the all-clear that waits when they are removed")
  func allClear() throws {
    let instance = try TestInstance()
    let person = try instance.watched(by: ["ming", "lin"])
    try instance.goQuiet()
    let (browser, ming) = (try instance.signedIn("mei"), try instance.contact("ming"))
    try instance.tap(person)
    #expect(remove(ming, by: browser).status == 303)
    let mails = try instance.mails(to: "ming@example.test")
    #expect(mails.contains { $0.subject.contains("checked in again") })
  }

  @Test("An alert that is opened again does not concern a contact who was removed before")
  func reopenedAlert() throws {
    let instance = try TestInstance()
    let person = try instance.watched(by: ["ming", "lin"])
    try instance.goQuiet()
    let (page, other) = (try instance.contactPage("ming"), try instance.contactPage("lin"))
    let (browser, ming) = (try instance.signedIn("mei"), try instance.contact("ming"))
    #expect(remove(ming, by: browser).status == 303)
    #expect(instance.browser().get(page).status == 200)
    try instance.tap(person)
    try instance.work()
    #expect(instance.browser().get(page).status == 410)
    try instance.database.write { try $0.execute("UPDATE alerts SET ended_at = NULL") }
    #expect(instance.browser().get(page).status == 410)
    #expect(instance.browser().get(other).status == 200)
  }

  @Test("Days count from the moment at which the first reachable contact is restored")
  func countedFrom() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam").id
    let (browser, now) = (try instance.signedIn("sam"), instance.clock.now())
    try instance.database.write {
      _ = try instance.checkIn.contacts.refuse("pat@example.test", now: now, in: $0)
    }
    browser.post(Self.list, ["name": "Pat", "email": "pat@example.test"])
    let pat = try #require(try instance.contacts(of: sam).first)
    #expect(remove(pat, by: browser).status == 303)
    try instance.database.write {
      try ContactService(services: instance.checkIn).again(pat, now: now, in: $0)
    }
    func isCounted() throws -> Bool {
      try instance.database.read { try instance.checkIn.monitors.hasCountedFrom(sam, in: $0) }
    }
    #expect(try !isCounted())
    #expect(browser.post(undo(pat)).status == 303)
    #expect(try isCounted())
  }

  @Test("Five stay the limit, and an address is a contact only once")
  func limits() throws {
    let instance = try TestInstance()
    let (browser, person, contacts) = try sam(instance)
    #expect(remove(contacts[0], by: browser).status == 303)
    for number in 1...4 {
      browser.post(Self.list, ["name": "", "email": "c\(number)@example.test"])
    }
    let full = browser.post(undo(contacts[0]))
    #expect(full.status == 409 && full.shows("data-testid=\"not-restored\""))
    #expect(full.shows("up to five contacts"))
    #expect(try instance.contacts(of: person).count == 5)
    #expect(remove(contacts[1], by: browser).status == 303)
    browser.post(Self.list, ["name": "Patty", "email": "pat@example.test"])
    // The address is a contact again: there is nothing to restore.
    let page = browser.get(Self.list)
    #expect(!page.shows(undo(contacts[0])) && page.shows(undo(contacts[1])))
    let again = browser.post(undo(contacts[0]))
    #expect(again.status == 409 && again.shows("already one of your contacts"))
    #expect(try instance.contacts(of: person).count == 5)
  }

  @Test("After 30 days the contact is erased; only the owner restores")
  func purged() throws {
    let instance = try TestInstance()
    let (browser, _, contacts) = try sam(instance)
    try instance.couple()
    #expect(remove(contacts[0], by: browser).status == 303)
    let ann = try instance.signedIn("ann")
    #expect(ann.post(undo(contacts[0])).status == 404 && !ann.get(Self.list).shows("Pat"))
    let all: Query = "SELECT count(*) FROM emergency_contacts"
    instance.clock.advance(seconds: 29 * 86_400)
    try instance.work()
    #expect(try instance.number(all) == 2)
    instance.clock.advance(seconds: 86_400 + 6 * 3600 + 1)
    let later = try instance.signedIn("sam")
    #expect(later.post(undo(contacts[0])).status == 404 && !later.get(Self.list).shows("Pat"))
    try instance.work()
    #expect(try instance.number(all) == 1)
    #expect(try instance.problems() == [])
  }

  @Test("A removed contact is exported with the moment, and a purge of the account leaves none")
  func exported() throws {
    let instance = try TestInstance()
    let (browser, person, contacts) = try sam(instance)
    #expect(remove(contacts[0], by: browser).status == 303)
    let files = try instance.database.read { reader in
      try instance.instance.features.checkIn.participant.export(person, from: reader)
    }
    let file = try #require(files.first { $0.name == "contacts.json" })
    let text = String(decoding: file.json, as: UTF8.self)
    #expect(text.contains("Pat") && text.contains("removedAt"))
    browser.post("/settings/delete", ["current_password": TestInstance.password])
    instance.clock.advance(seconds: 31 * 86_400)
    try instance.work()
    #expect(try instance.number("SELECT count(*) FROM emergency_contacts") == 0)
  }

  @Test("A partner who was removed and is restored after a parting does not see the note unasked")
  func formerPartner() throws {
    let instance = try TestInstance()
    try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    let person = try instance.person("Ann")
    #expect(ann.post(Self.list, ["partner": "1"]).status == 303)
    let contact = try #require(try instance.contacts(of: person).first)
    #expect(remove(contact, by: ann).status == 303)
    #expect(ann.get(Self.list).shows("Add Ben, your partner"))
    #expect(ann.post(undo(contact)).status == 303)
    #expect(try !instance.contacts(of: person)[0].isAsked)
    #expect(remove(contact, by: ann).status == 303)
    #expect(ben.part().status == 303)
    #expect(ann.post(undo(contact)).status == 303)
    #expect(try instance.contacts(of: person)[0].isAsked)
  }

  @Test("A removed partner whose address changes takes no other contact away")
  func newAddress() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let (person, ben) = (try instance.person("Ann"), try instance.person("Ben"))
    #expect(ann.post(Self.list, ["partner": "1"]).status == 303)
    let contact = try #require(try instance.contacts(of: person).first)
    #expect(remove(contact, by: ann).status == 303)
    ann.post(Self.list, ["name": "New", "email": "ben.new@example.test"])
    try instance.database.write {
      try PartnerContacts(services: instance.checkIn).addressChanged(
        ben, to: "ben.new@example.test", now: instance.clock.now(), in: $0)
    }
    #expect(try names(instance, person) == ["New"])
    #expect(ann.post(undo(contact)).status == 409)
  }
}
