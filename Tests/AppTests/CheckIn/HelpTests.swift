import Core
import Database
import Foundation
import Mail
import Testing

@testable import App
@testable import CheckIn

@Suite("Calls for help")
struct HelpTests {
  private static let page = "/checkin/help"

  private func mails(_ instance: TestInstance, to name: String) throws -> [SentMail] {
    try instance.mails(to: "\(name)@example.test")
  }

  /// Mei, with two contacts.
  private func mei(_ instance: TestInstance) throws -> TestClient {
    try instance.watched(by: ["ming", "lin"])
    try instance.work()
    return try instance.signedIn("mei")
  }

  @Test("It alerts the contacts at once, with the note; “I’m safe” gives the all-clear")
  func wholeWay() throws {
    let instance = try TestInstance()
    let mei = try mei(instance)
    let form = mei.get("\(Self.page)?note=Harvest%20Walk")
    #expect(form.shows("Harvest Walk") && form.shows("Alert my contacts now"))
    #expect(try instance.number("SELECT count(*) FROM alerts") == 0)
    instance.clock.advance(seconds: 60)
    #expect(mei.post(Self.page, ["note": "Twisted my ankle"]).location == "/checkin")
    try instance.work()
    for name in ["ming", "lin"] {
      let mail = try #require(try mails(instance, to: name).last)
      #expect(mail.subject == "[PairSpot] Mei needs help")
      #expect(mail.text.contains("Mei called for help on"))
      #expect(mail.text.contains("> Twisted my ankle") && !mail.text.contains("timer"))
    }
    let contact = instance.browser().get(try instance.contactPage("ming"))
    #expect(contact.shows("Mei called for help on") && contact.shows("Twisted my ankle"))
    #expect(mei.get("/checkin").shows("I’m safe"))
    #expect(mei.get("/checkin/record").shows("You called for help"))
    #expect(mei.get(Self.page).shows("I’m safe") && !mei.get(Self.page).shows("Alert my contacts"))

    instance.clock.advance(seconds: 60)
    mei.post("/checkin/timer", ["button": "end"])
    try instance.work()
    #expect(try mails(instance, to: "lin").last?.subject == "[PairSpot] Mei is safe")
    #expect(try instance.number("SELECT count(*) FROM alerts WHERE ended_at IS NULL") == 0)
  }

  @Test("It reaches at once also contacts who are alerted in turn otherwise, and is not extended")
  func atOnce() throws {
    let instance = try TestInstance()
    let mei = try mei(instance)
    let changed = try instance.database.write {
      try $0.execute("UPDATE checkin_settings SET contact_pause = 60")
    }
    #expect(changed == 1)
    instance.clock.advance(seconds: 60)
    mei.post(Self.page, ["note": "Fell"])
    try instance.work()
    for name in ["ming", "lin"] {
      #expect(try mails(instance, to: name).last?.subject == "[PairSpot] Mei needs help")
    }
    mei.post("/checkin/timer", ["button": "extend"])
    #expect(mei.cookie("toast") == "toast.timer_over")
    #expect(try instance.number("SELECT count(*) FROM alerts WHERE ended_at IS NULL") == 1)
  }

  @Test("It ends a running timer, whose note the contacts read too, and alerts only once")
  func timer() throws {
    let instance = try TestInstance()
    let mei = try mei(instance)
    mei.get("/checkin/timer")
    mei.post(
      "/checkin/timer",
      ["button": "start", "minutes": "60", "grace": "15", "note": "Along the river"])
    for _ in 1...2 { #expect(mei.post(Self.page, ["note": "Fell"]).location == "/checkin") }
    #expect(mei.cookie("toast") == "toast.help_already")
    instance.clock.advance(seconds: .hours(2))
    try CheckInScan(services: instance.checkIn).run(now: instance.clock.now())
    try instance.work()
    #expect(try instance.number("SELECT count(*) FROM alerts") == 1)
    let mail = try #require(try mails(instance, to: "ming").last)
    #expect(mail.text.contains("> Fell\n> Along the river"))
  }

  @Test("The link in a timer’s mail says that there is a call for help, which it does not end")
  func timerLink() throws {
    let instance = try TestInstance()
    let mei = try mei(instance)
    mei.get("/checkin/timer")
    mei.post("/checkin/timer", ["button": "start", "minutes": "60", "grace": "15", "note": ""])
    instance.clock.advance(seconds: .minutes(48))
    try CheckInScan(services: instance.checkIn).run(now: instance.clock.now())
    let path = try instance.link(to: "mei@example.test")
    try #require(path.hasPrefix("/timer/"))
    instance.clock.advance(seconds: 60)
    mei.post(Self.page, ["note": "Fell"])
    let browser = instance.browser()
    let shown = browser.get(path)
    #expect(shown.shows("You called for help on") && !shown.shows("This timer has ended."))
    #expect(browser.post(path).location == path)
    #expect(browser.cookie("toast") == "toast.help_already")
    #expect(try instance.number("SELECT count(*) FROM alerts WHERE ended_at IS NULL") == 1)
    mei.post("/checkin/timer", ["button": "end"])
    #expect(browser.get(path).shows("This timer has ended."))
  }

  @Test(
    "Without a contact nothing is sent, and the words stay; so it is with words that are too long")
  func refused() throws {
    let instance = try TestInstance()
    try instance.alone("kim")
    let kim = try instance.signedIn("kim")
    #expect(kim.get(Self.page).shows("No contact would be alerted"))
    let answer = kim.post(Self.page, ["note": "Fell"])
    #expect(answer.status == 422 && answer.shows("No contact would be alerted"))
    let mei = try mei(instance)
    let long = String(repeating: "x", count: 301)
    let tooLong = mei.post(Self.page, ["note": long, "share_place": "1"])
    #expect(tooLong.status == 422 && tooLong.shows(long))
    #expect(try instance.number("SELECT count(*) FROM checkin_timers") == 0)
  }

  @Test(
    "The alert has the last place shared with a group, if the user chose that",
    arguments: [true, false])
  func place(isShared: Bool) throws {
    let instance = try TestInstance()
    let mei = try mei(instance)
    let group = try mei.makeGroup()
    try #require(mei.share(24.9936, 121.301, with: group).status == 204)
    #expect(mei.get(group.page).shows("/checkin/help?note="))
    instance.clock.advance(seconds: 60)
    mei.post(Self.page, isShared ? ["share_place": "1"] : [:])
    try instance.work()
    let mail = try #require(try mails(instance, to: "ming").last)
    #expect(mail.text.contains("openstreetmap") == isShared)
  }

  @Test("The API calls for help once, and ends it")
  func api() throws {
    let instance = try TestInstance()
    let mei = try mei(instance)
    let answer = mei.call(.post, "/checkin/help", #"{"note":"Fell"}"#)
    #expect(answer.status == 201 && answer.json["help"] as? Bool == true)
    #expect(answer.json["alerted_at"] is String)
    #expect(mei.call(.post, "/checkin/help", "{}").status == 409)
    #expect(mei.call(.delete, "/checkin/timer").status == 204)
    let long = String(repeating: "x", count: 301)
    #expect(mei.call(.post, "/checkin/help", #"{"note":"\#(long)"}"#).status == 422)
  }

  @Test("A watchman that takes over the alert tells of a call for help, not of a timer")
  func watchman() throws {
    let pair = try WatchmanPair()
    let mei = try mei(pair.server)
    try pair.pass(.minutes(30))
    pair.serverMailIsDown = true
    mei.post(Self.page, ["note": "Fell"])
    try pair.pass(.minutes(30))
    pair.stopServer()
    try pair.pass(WatchmanPair.grace + .hours(3))
    let mail = try #require(pair.mail.sent.last { $0.to.description == "ming@example.test" })
    #expect(mail.subject == "[PairSpot] Mei needs help")
    #expect(mail.text.contains("This email comes from the watchman"))
    #expect(mail.text.contains("called for help on") && !mail.text.contains("timer"))
  }

  @Test("A tap from before the call that is received after it does not end the call")
  func lateTap() throws {
    let instance = try TestInstance()
    let mei = try mei(instance)
    let open: Query = "SELECT count(*) FROM alerts WHERE ended_at IS NULL"
    let before = instance.clock.now()
    instance.clock.advance(seconds: 60)
    mei.post(Self.page, ["note": "Fell"])
    instance.clock.advance(seconds: 60)
    #expect(mei.tap([("tapped_at", before.rfc3339)]).status == 303)
    #expect(try instance.number(open) == 1)
    #expect(mei.tap([("tapped_at", instance.clock.now().rfc3339)]).status == 303)
    #expect(try instance.number(open) == 0)
  }

  @Test("A guest's call goes on when the guest signs in as a member, until it is ended")
  func signedIn() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let browser = instance.browser()
    browser.begin("Gia", contact: "kai@example.test")
    try instance.work()
    instance.clock.advance(seconds: 60)
    browser.post(Self.page, ["note": "Fell"])
    try instance.work()
    #expect(try mails(instance, to: "kai").last?.subject == "[PairSpot] Gia needs help")
    browser.get("/sign-in")
    browser.signIn("sam@example.test", TestInstance.password)
    browser.post("/merge", ["take": "1"])
    try instance.work()
    let open: Query = "SELECT count(*) FROM alerts WHERE ended_at IS NULL"
    #expect(try instance.number(open) == 1)
    #expect(try mails(instance, to: "kai").allSatisfy { !$0.subject.contains("safe") })
    #expect(browser.get("/checkin").shows("I’m safe"))
    browser.post("/checkin/timer", ["button": "end"])
    #expect(try instance.number(open) == 0)
  }

  @Test("A guest's call stays a call when the guest becomes a member")
  func merged() throws {
    let instance = try TestInstance()
    _ = try mei(instance)
    try instance.alone("kim")
    let (mei, kim) = (try instance.person("Mei"), try instance.person("Kim"))
    let now = instance.clock.now()
    try instance.database.write { writer in
      let timers = instance.checkIn.timers
      try timers.set(
        CheckInTimer(
          id: ID<CheckInTimer>(now: now), person: mei, note: "", startedAt: now, endsAt: now,
          grace: 0, isHelp: true), in: writer)
      try timers.move(from: mei, to: kim, in: writer)
      #expect(try timers.find(of: kim, in: writer)?.isHelp == true)
    }
  }
}
