import Basics
import Testing

@testable import App
@testable import CheckIn

@Suite("Partners as emergency contacts")
struct PartnerContactTests {
  /// Ann with Ben as contact and a note.
  private func couple(_ house: TestHouse) throws -> (ann: Browser, ben: Browser) {
    try house.couple()
    let ann = try house.signedIn("ann")
    #expect(ann.post("/checkin/contacts", ["partner": "1"]).status == 303)
    ann.call(.put, "/checkin/settings", #"{"note":"Keys under the mat"}"#)
    return (ann, try house.signedIn("ben"))
  }

  private func contact(_ house: TestHouse) throws -> Contact {
    try #require(try house.contacts(of: house.person("Ann")).first)
  }

  @Test("A partner is a contact by account, and their address is not shown")
  func hidden() throws {
    let house = try TestHouse()
    let (ann, ben) = try couple(house)
    #expect(try contact(house).account == house.person("Ben"))
    let id = try contact(house).id
    for path in ["/checkin", "/checkin/contacts", "/checkin/contacts/\(id)"] {
      let page = ann.get(path)
      #expect(page.shows("Ben") && !page.shows("ben@example.test"), "\(path)")
    }
    let listed = ann.call(.get, "/checkin/contacts")
    #expect(listed.text.contains("Ben") && !listed.text.contains("ben@example.test"))
    #expect(ann.post("/checkin/contacts/\(id)", ["name": "Benny"]).status == 303)
    #expect(try contact(house).name == "Benny")
    _ = ben
  }

  @Test("Mail goes to the partner's new address after they change it")
  func newAddress() throws {
    let house = try TestHouse()
    _ = try couple(house)
    let ben = try house.person("Ben")
    try house.database.write {
      try PartnerContacts(services: house.checkIn).addressChanged(
        ben, to: "ben.new@example.test", now: house.clock.now(), in: $0)
    }
    #expect(try contact(house).email == "ben.new@example.test")
    #expect(try contact(house).account == ben)
  }

  @Test("After a parting the former partner stays a contact without the note until confirmed")
  func parting() throws {
    let house = try TestHouse()
    let (ann, ben) = try couple(house)
    #expect(ann.get("/settings/part").shows("name=\"contact\""))
    #expect(!ben.get("/settings/part").shows("name=\"contact\""))
    #expect(ben.part().status == 303)
    #expect(try contact(house).isAsked && contact(house).counts)
    #expect(ann.get("/checkin").shows("You have parted"))
    #expect(ann.get("/settings/part").shows("/checkin/contacts"))
    let mails = try house.mails(to: "ann@example.test").map { $0.text }
    #expect(mails.contains { $0.contains("/checkin/contacts") })
    let id = try contact(house).id
    #expect(ann.post("/checkin/contacts/\(id)", ["confirm": "1"]).status == 303)
    #expect(try !contact(house).isAsked)
    #expect(!ann.get("/checkin").shows("You have parted"))
  }

  @Test("The alert to a former partner leaves the note out until they are confirmed")
  func note() throws {
    for isConfirmed in [false, true] {
      let house = try TestHouse()
      let (ann, ben) = try couple(house)
      let tapped = ann.post("/checkin", ["button": "check-in"])
      #expect(tapped.status == 303)
      #expect(ben.part().status == 303)
      if isConfirmed {
        ann.post("/checkin/contacts/\(try contact(house).id)", ["confirm": "1"])
      }
      try house.goTo("2026-03-05", "09:15")
      let alerts = try house.mails(to: "ben@example.test")
        .filter { $0.subject.contains("check-in") }.map(\.text)
      #expect(!alerts.isEmpty)
      #expect(alerts.contains { $0.contains("Keys under the mat") } == isConfirmed)
    }
  }

  @Test("A person who parts can remove the partner, and undoing a parting shows the note again")
  func choices() throws {
    let house = try TestHouse()
    let (ann, ben) = try couple(house)
    #expect(ben.part().status == 303)
    for browser in [ann, ben] { browser.post("/settings/part", ["undo": "1"]) }
    #expect(try !contact(house).isAsked)
    let parted = ann.post(
      "/settings/part", ["current_password": TestHouse.password, "contact": "remove"])
    #expect(parted.status == 303)
    #expect(try house.contacts(of: house.person("Ann")).isEmpty)
  }

  @Test("A partner who deletes their account counts as no contact until they come back")
  func deletion() throws {
    let house = try TestHouse()
    let (_, ben) = try couple(house)
    ben.post("/settings/delete", ["current_password": TestHouse.password])
    #expect(try !contact(house).counts)
    house.clock.advance(seconds: 31 * 86_400)
    try house.work()
    #expect(try house.contacts(of: house.person("Ann")).isEmpty)
    #expect(try house.problems() == [])
  }
}
