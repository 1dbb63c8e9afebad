import Core
import Testing

@testable import App

@Suite("Accepting to be a couple")
struct PairAcceptTests {
  private func invited(_ instance: TestInstance, _ name: String = "ben") throws -> String {
    try instance.alone("ann")
    try instance.signedIn("ann").invite("\(name)@example.test")
    return try instance.invitation(to: name)
  }

  @Test("Opening the link consumes nothing; signed out one signs in first and comes back")
  func comingBack() throws {
    let instance = try TestInstance()
    try instance.alone("ben")
    let link = try invited(instance)
    let ben = instance.browser()
    for _ in 1...2 { #expect(ben.get(link).status == 303) }
    let next = try #require(ben.get(ben.get(link).location ?? "").value(of: "next"))
    #expect(next == link)
    #expect(ben.signIn("ben@example.test", TestInstance.password, next: next).location == link)
    for _ in 1...2 { #expect(ben.get(link).shows("Ann wants to pair with you")) }
    #expect(try instance.couples() == [:])
    #expect(try ben.acceptPair(link).status == 303)
    #expect(ben.get(link).status == 410)
  }

  @Test("Another account is refused with an explanation")
  func another() throws {
    let instance = try TestInstance()
    for name in ["ben", "eve"] { try instance.alone(name) }
    let link = try invited(instance)
    let eve = try instance.signedIn("eve")
    let page = eve.get(link)
    #expect(page.status == 403 && page.shows("another account"))
    #expect(!page.shows("ben@example.test"))
    let token = String(link.dropFirst("/pair/accept?token=".count))
    #expect(eve.post("/pair/accept", ["token": token]).status == 403)
    #expect(try instance.signedIn("ann").post("/pair/accept", ["token": token]).status == 403)
    #expect(try instance.couples() == [:])
  }

  @Test("A visitor without an account chooses a name and a password and joins the couple")
  func newPerson() throws {
    let instance = try TestInstance()
    let link = try invited(instance, "new")
    let browser = instance.browser()
    let page = browser.get(link)
    #expect(page.status == 200 && page.shows("new@example.test") && page.shows("Ann wants"))
    let token = try #require(page.value(of: "token"))
    let answer = browser.post(
      "/pair/accept",
      [
        "token": token, "display_name": "Newt", "password": TestInstance.password, "accept": "1",
      ])
    #expect(answer.location?.hasPrefix("/couples/") == true)
    #expect(browser.get("/").shows("Ann &amp; Newt"))
    #expect(try instance.couples() == ["Ann & Newt": "active"])
    #expect(instance.browser().signIn("new@example.test", TestInstance.password).status == 303)
    #expect(try instance.mails(to: "ann@example.test").count == 1)
    #expect(try instance.problems() == [])
  }

  @Test(
    "A missing value is 422 and creates no account",
    arguments: ["display_name", "password", "accept"])
  func incomplete(field: String) throws {
    let instance = try TestInstance()
    let link = try invited(instance, "new")
    let browser = instance.browser()
    var fields = [
      "token": try #require(browser.get(link).value(of: "token")), "display_name": "<Newt>",
      "password": TestInstance.password, "accept": "1",
    ]
    fields[field] = nil
    let answer = browser.post("/pair/accept", all: fields.sorted { $0.key < $1.key })
    #expect(answer.status == 422 && answer.shows("href=\"#\(field)\""))
    #expect(answer.shows("&lt;Newt&gt;") || field == "display_name")
    #expect(!answer.shows(TestInstance.password))
    #expect(try instance.count("SELECT count(*) FROM users") == 1)
    #expect(browser.get(link).status == 200)
  }

  @Test("A member of a couple is refused; so is the invitee of a member of a couple")
  func tooLate() throws {
    let instance = try TestInstance()
    for name in ["ann", "ben", "cy", "di"] { try instance.alone(name) }
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    ann.invite("ben@example.test")
    let fromAnn = try instance.invitation(to: "ben")
    let token = try #require(ben.get(fromAnn).value(of: "token"))
    _ = try instance.paired("cy", "ann")
    // Ann's own invitation became invalid when she was paired.
    #expect(ben.get(fromAnn).status == 410)
    #expect(ben.post("/pair/accept", ["token": token]).status == 410)
    instance.clock.advance(seconds: 1)
    let di = try instance.signedIn("di")
    di.invite("ben@example.test")
    let fromDi = try instance.invitation(to: "ben")
    ben.invite("nobody@example.test")
    let page = instance.browser().get(try instance.invitation(to: "nobody"))
    instance.browser().post(
      "/pair/accept",
      [
        "token": page.value(of: "token") ?? "", "display_name": "New",
        "password": TestInstance.password, "accept": "1",
      ])
    #expect(try instance.couples() == ["Cy & Ann": "active", "Ben & New": "active"])
    #expect(ben.get(fromDi).status == 409)
    #expect(di.get("/pair").shows("ben@example.test"))
    #expect(try instance.problems() == [])
  }

  @Test("Posts of before stay where they were: public ones for all, private ones for their author")
  func earlierPosts() throws {
    let instance = try TestInstance()
    for name in ["ann", "ben", "sam"] { try instance.alone(name) }
    let ann = try instance.signedIn("ann")
    let (open, own) = (
      try ann.writeWithPicture("Alone, for all"), try ann.write("Diary", visibility: "couple")
    )
    let before = try #require(ann.get(open).text.firstMatch(of: /\/couples\/[0-9a-f-]{36}/)).output
    let (_, ben, _) = try instance.paired("ann", "ben")
    let sam = try instance.signedIn("sam")
    for browser in [ann, ben, sam, instance.browser()] {
      #expect(browser.get(open).shows("Alone, for all"))
      #expect(browser.get(String(before)).shows(">Ann<"))
      for picture in browser.get(open).pictures { #expect(browser.get(picture).status == 200) }
    }
    #expect(ann.get(own).status == 200 && ann.get(String(before)).shows("Diary"))
    for browser in [ben, sam, instance.browser()] {
      #expect(browser.get(own).status == 404 && !browser.get(String(before)).shows("Diary"))
    }
    #expect(ann.post("\(own)/delete").status == 303)
    #expect(ann.get("\(before)/edit").status == 403)
    #expect(try instance.couples() == ["Ann": "single", "Ann & Ben": "active"])
    #expect(try instance.problems() == [])
  }

  @Test("Names that are long together still make a name that fits")
  func longNames() throws {
    let instance = try TestInstance()
    let (one, two) = (String(repeating: "a", count: 40), String(repeating: "b", count: 40))
    for name in [one, two] { try instance.alone(name) }
    let (browser, _, page) = try instance.paired(one, two)
    let edit = browser.get("\(page)/edit")
    let name = try #require(try instance.couples().keys.first)
    #expect(name.count <= 60 && edit.shows(name.replacing("&", with: "&amp;")))
  }

  // MARK: Invitations from registrations

  @Test("A registered couple with a member's address: the link in their mail lets them in")
  func registration() throws {
    let instance = try TestInstance()
    try instance.alone("ben")
    let ann = instance.browser()
    _ = RegisterCoupleTests.register(ann)
    try RegisterCoupleTests.complete(ann, instance.link(to: "ann@example.test"), "Ann")
    #expect(try instance.couples() == ["Ann & Ben": "pending"])
    let (ben, link) = (try instance.signedIn("ben"), try instance.invitation(to: "ben"))
    #expect(instance.browser().get(link.replacing("/pair/accept", with: "/verify")).status == 200)
    #expect(ben.get(link).shows("Ann wants to pair"))
    #expect(try ben.acceptPair(link).location?.hasPrefix("/couples/") == true)
    #expect(try instance.couples() == ["Ann & Ben": "active"])
    #expect(ann.get("/register/waiting").location == "/")
    #expect(ben.get(link).status == 410)
    #expect(try instance.problems() == [])
  }

  @Test("The member may accept first and waits; without the other, the member is alone again")
  func registrationFirst() throws {
    let instance = try TestInstance()
    try instance.alone("ben")
    let ben = try instance.signedIn("ben")
    try ben.write("Alone")
    _ = RegisterCoupleTests.register(instance.browser())
    #expect(try ben.acceptPair(instance.invitation(to: "ben")).location == "/register/waiting")
    #expect(ben.get("/register/waiting").shows("ann@example.test"))
    #expect(ben.get("/pair").shows("Waiting for your partner"))
    #expect(try instance.couples() == ["Ben": "single", "Ann & Ben": "pending"])
    instance.clock.advance(seconds: 8 * 86_400)
    try instance.work()
    #expect(try instance.couples() == ["Ben": "single"])
    try ben.write("Alone again")
    #expect(try instance.couples() == ["Ben": "single"])
    #expect(try instance.problems() == [])
  }

  @Test("An invitee whose address had no account then is led to the registration")
  func registrationOfNobody() throws {
    let instance = try TestInstance()
    _ = RegisterCoupleTests.register(instance.browser())
    let link = try instance.link(to: "ben@example.test").replacing("/verify", with: "/pair/accept")
    #expect(instance.browser().get(link).location?.hasPrefix("/verify?token=") == true)
  }
}
