import Core
import Database
import Testing

@testable import App
@testable import CheckIn

@Suite("Partners as emergency contacts")
struct PartnerContactTests {
  /// Ann with Ben as contact and a note.
  private func couple(_ instance: TestInstance) throws -> (ann: TestClient, ben: TestClient) {
    try instance.couple()
    let ann = try instance.signedIn("ann")
    #expect(ann.post("/checkin/contacts", ["partner": "1"]).status == 303)
    ann.call(.put, "/checkin/settings", #"{"note":"Keys under the mat"}"#)
    return (ann, try instance.signedIn("ben"))
  }

  private func contact(_ instance: TestInstance) throws -> Contact {
    try #require(try instance.contacts(of: instance.person("Ann")).first)
  }

  @Test("A partner is a contact by account, and their address is not shown")
  func hidden() throws {
    let instance = try TestInstance()
    let (ann, ben) = try couple(instance)
    #expect(try contact(instance).account == instance.person("Ben"))
    let id = try contact(instance).id
    for path in ["/checkin", "/checkin/contacts", "/checkin/contacts/\(id)"] {
      let page = ann.get(path)
      #expect(page.shows("Ben") && !page.shows("ben@example.test"), "\(path)")
    }
    let listed = ann.call(.get, "/checkin/contacts")
    #expect(listed.text.contains("Ben") && !listed.text.contains("ben@example.test"))
    #expect(ann.post("/checkin/contacts/\(id)", ["name": "Benny"]).status == 303)
    #expect(try contact(instance).name == "Benny")
    _ = ben
  }

  @Test("Mail goes to the partner's new address after they change it")
  func newAddress() throws {
    let instance = try TestInstance()
    _ = try couple(instance)
    let ben = try instance.person("Ben")
    try instance.database.write {
      try PartnerContacts(services: instance.checkIn).addressChanged(
        ben, to: "ben.new@example.test", now: instance.clock.now(), in: $0)
    }
    #expect(try contact(instance).email == "ben.new@example.test")
    #expect(try contact(instance).account == ben)
  }

  @Test("After a parting the former partner stays a contact without the note until confirmed")
  func parting() throws {
    let instance = try TestInstance()
    let (ann, ben) = try couple(instance)
    #expect(ann.get("/settings/part").shows("name=\"contact\""))
    #expect(!ben.get("/settings/part").shows("name=\"contact\""))
    #expect(ben.part().status == 303)
    #expect(try contact(instance).isAsked && contact(instance).counts)
    #expect(ann.get("/checkin").shows("Your couple has ended"))
    #expect(ann.get("/settings/part").shows("/checkin/contacts"))
    let mails = try instance.mails(to: "ann@example.test").map { $0.text }
    #expect(mails.contains { $0.contains("/checkin/contacts") })
    let id = try contact(instance).id
    #expect(ann.post("/checkin/contacts/\(id)", ["confirm": "1"]).status == 303)
    #expect(try !contact(instance).isAsked)
    #expect(!ann.get("/checkin").shows("Your couple has ended"))
  }

  @Test("A partner who is a contact is told in the app too, until the alert ends")
  func told() throws {
    let instance = try TestInstance()
    let (ann, ben) = try couple(instance)
    #expect(ann.post("/checkin", ["button": "check-in"]).status == 303)
    try instance.goTo("2026-03-04", "21:00")
    #expect(try instance.signedIn("ben").notices() == ["Ann made you an emergency contact"])
    try instance.goTo("2026-03-05", "09:15")
    let later = try instance.signedIn("ben")
    #expect(later.notices().count { $0.contains("Ann may need help.") } == 1)
    #expect(try instance.signedIn("ann").notices().allSatisfy { !$0.contains("may need help") })
    #expect(try instance.signedIn("ann").post("/checkin", ["button": "check-in"]).status == 303)
    #expect(later.notices() == ["Ann made you an emergency contact"])
    _ = ben
  }

  @Test("The notice to a partner stays until both alerts, of a call for help and of silence, end")
  func twoAlerts() throws {
    let instance = try TestInstance()
    let (ann, _) = try couple(instance)
    #expect(ann.post("/checkin", ["button": "check-in"]).status == 303)
    try instance.goTo("2026-03-04", "21:00")
    try instance.goTo("2026-03-05", "09:15")
    let (back, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    func isTold() -> Bool { ben.notices().contains { $0.contains("Ann may need help.") } }
    #expect(back.post("/checkin/help", ["note": "Fell"]).status == 303)
    back.post("/checkin/timer", ["button": "end"])
    #expect(isTold())
    back.post("/checkin", ["button": "check-in"])
    #expect(!isTold())
  }

  @Test("The feed, the check-in page and the notice lead a partner to the page of the alert")
  func alertPage() throws {
    let instance = try TestInstance()
    let (ann, _) = try couple(instance)
    let page = CheckInLinks.asContact(try contact(instance).id)
    #expect(ann.post("/checkin", ["button": "check-in"]).status == 303)
    try instance.goTo("2026-03-04", "21:00")
    let before = try instance.signedIn("ben")
    for path in ["/", "/checkin"] { #expect(!before.get(path).shows("received-alert"), "\(path)") }
    try instance.goTo("2026-03-05", "09:15")
    let ben = try instance.signedIn("ben")
    for path in ["/", "/checkin"] {
      let shown = ben.get(path)
      #expect(shown.shows("Ann hasn’t checked in since 2 March 2026, 08:00."), "\(path)")
      #expect(shown.shows("href=\"\(page)\""), "\(path)")
      #expect(!(try instance.signedIn("ann").get(path).shows("received-alert")), "\(path)")
    }
    let link = try #require(
      ben.get("/notifications").text.firstMatch(of: /\/notifications\/[0-9a-f-]{36}/)?.output)
    #expect(ben.get(String(link)).location == page)
    let answer = ben.get(page)
    #expect(answer.shows("About Ann") && answer.shows("value=\"looking\""))
    #expect(!answer.shows("/c/") && answer.headers[.cacheControl] == "no-store")
    #expect(ben.post(page, ["button": "reached"]).location == page)
    #expect(ben.get(page).shows("that you’ve reached Ann"))
    #expect(!ben.get("/").shows("received-alert") && !ben.get("/checkin").shows("received-alert"))
    #expect(try instance.signedIn("ann").get("/checkin").shows("Ben says they’ve reached you"))
  }

  @Test("The page of a partner opens for no other account, and ends with the contact")
  func otherAccounts() throws {
    let instance = try TestInstance()
    let (ann, ben) = try couple(instance)
    try instance.alone("sam")
    let contact = try contact(instance)
    let page = CheckInLinks.asContact(contact.id)
    #expect(ben.get(page).shows("There’s no alert about Ann."))
    for other in [ann, try instance.signedIn("sam")] {
      #expect(other.get(page).status == 404)
      #expect(other.post(page, ["button": "weekly-on"]).status == 404)
    }
    #expect(instance.browser().get(page).status == 303)
    #expect(ben.post(page, ["button": "weekly-on"]).location == page)
    #expect(try self.contact(instance).weeklyAt != nil)
    try instance.watched()
    #expect(ben.get(CheckInLinks.asContact(try instance.contact("ming").id)).status == 404)
    #expect(ann.post("/checkin/contacts/\(contact.id)/remove").status == 303)
    #expect(ben.get(page).status == 410)
  }

  @Test("A partner who has not been told yet is shown no alert")
  func notYetTold() throws {
    let instance = try TestInstance()
    let (ann, _) = try couple(instance)
    ann.post("/checkin/contacts", ["email": "pat@example.test"])
    ann.call(.put, "/checkin/settings", #"{"contact_pause_minutes":60}"#)
    let id = try contact(instance).id
    ann.post("/checkin/contacts/\(id)", ["move": "down"])
    #expect(ann.post("/checkin", ["button": "check-in"]).status == 303)
    try instance.goTo("2026-03-05", "09:15")
    #expect(!(try instance.signedIn("ben").get("/").shows("received-alert")))
    try instance.goTo("2026-03-05", "10:30")
    #expect(try instance.signedIn("ben").get("/").shows("received-alert"))
  }

  @Test("A partner is told in the app that they are a contact, while they are one and want mail")
  func chosen() throws {
    let instance = try TestInstance()
    let (ann, ben) = try couple(instance)
    #expect(ben.notices() == ["Ann made you an emergency contact"] && ann.notices().isEmpty)
    #expect(ben.get("/settings/notifications").shows("value=\"contact_chosen\""))
    let link = try #require(
      ben.get("/notifications").text.firstMatch(of: /\/notifications\/[0-9a-f-]{36}/)?.output)
    let id = try contact(instance).id
    #expect(ben.get(String(link)).location == CheckInLinks.asContact(id))
    #expect(ben.get(CheckInLinks.asContact(id)).shows("You’re an emergency contact for Ann."))
    let path = "/checkin/contacts/\(id)"
    #expect(ann.post("\(path)/remove").status == 303)
    #expect(ben.notices().isEmpty)
    #expect(ann.post("\(path)/undo").status == 303)
    #expect(ben.notices().count == 1)
    #expect(ann.post("\(path)/remove").status == 303)
    try instance.database.write {
      _ = try instance.checkIn.contacts.refuse(
        "ben@example.test", now: instance.clock.now(), in: $0)
    }
    #expect(ann.post("\(path)/undo").status == 303)
    #expect(ben.notices().isEmpty)
  }

  @Test("Who has turned the notice off is not told")
  func turnedOff() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ben = try instance.signedIn("ben")
    #expect(ben.post("/settings/notifications", ["on_page": "partner_posted"]).status == 303)
    #expect(
      try instance.signedIn("ann").post("/checkin/contacts", ["partner": "1"]).status == 303)
    #expect(ben.notices().isEmpty)
  }

  @Test("A notice that cannot be written holds back neither the alert nor the all-clear")
  func failing() throws {
    let instance = try TestInstance()
    let (ann, _) = try couple(instance)
    #expect(ann.post("/checkin", ["button": "check-in"]).status == 303)
    try instance.migrate(
      """
      CREATE TRIGGER broken BEFORE INSERT ON notifications WHEN NEW.kind = 'partner_silent' BEGIN
        SELECT RAISE(ABORT, 'broken');
      END
      """)
    try instance.goTo("2026-03-05", "09:15")
    #expect(try instance.mails(to: "ben@example.test").contains { $0.subject.contains("check-in") })
    let open = "SELECT count(*) FROM alerts WHERE ended_at IS NULL" as Query
    #expect(try instance.count(open) == 1)
    #expect(
      try instance.count("SELECT count(*) FROM notifications WHERE kind = 'partner_silent'") == 0)
    #expect(try instance.signedIn("ann").post("/checkin", ["button": "check-in"]).status == 303)
    #expect(try instance.count(open) == 0)
  }

  @Test("The alert to a former partner leaves the note out until they are confirmed")
  func note() throws {
    for isConfirmed in [false, true] {
      let instance = try TestInstance()
      let (ann, ben) = try couple(instance)
      let tapped = ann.post("/checkin", ["button": "check-in"])
      #expect(tapped.status == 303)
      #expect(ben.part().status == 303)
      if isConfirmed {
        ann.post("/checkin/contacts/\(try contact(instance).id)", ["confirm": "1"])
      }
      try instance.goTo("2026-03-05", "09:15")
      let alerts = try instance.mails(to: "ben@example.test")
        .filter { $0.subject.contains("check-in") }.map(\.text)
      #expect(!alerts.isEmpty)
      #expect(alerts.contains { $0.contains("Keys under the mat") } == isConfirmed)
    }
  }

  @Test("A user who separates can remove the partner, and undoing it shows the note again")
  func choices() throws {
    let instance = try TestInstance()
    let (ann, ben) = try couple(instance)
    #expect(ben.part().status == 303)
    for browser in [ann, ben] { browser.post("/settings/part", ["undo": "1"]) }
    #expect(try !contact(instance).isAsked)
    let parted = ann.post(
      "/settings/part", ["current_password": TestInstance.password, "contact": "remove"])
    #expect(parted.status == 303)
    #expect(try instance.contacts(of: instance.person("Ann")).isEmpty)
  }

  @Test("A partner who deletes their account counts as no contact until they come back")
  func deletion() throws {
    let instance = try TestInstance()
    let (_, ben) = try couple(instance)
    ben.post("/settings/delete", ["current_password": TestInstance.password])
    #expect(try !contact(instance).counts)
    instance.clock.advance(seconds: 31 * 86_400)
    try instance.work()
    #expect(try instance.contacts(of: instance.person("Ann")).isEmpty)
    #expect(try instance.problems() == [])
  }
}
