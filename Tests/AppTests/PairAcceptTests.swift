import Basics
import Testing

@testable import App

@Suite("Accepting to be a couple")
struct PairAcceptTests {
  private func invited(_ house: TestHouse, _ name: String = "ben") throws -> String {
    try house.alone("ann")
    try house.signedIn("ann").invite("\(name)@example.test")
    return try house.invitation(to: name)
  }

  @Test("Opening the link consumes nothing; signed out one signs in first and comes back")
  func comingBack() throws {
    let house = try TestHouse()
    try house.alone("ben")
    let link = try invited(house)
    let ben = house.browser()
    for _ in 1...2 { #expect(ben.get(link).status == 303) }
    let next = try #require(ben.get(ben.get(link).location ?? "").value(of: "next"))
    #expect(next == link)
    #expect(ben.signIn("ben@example.test", TestHouse.password, next: next).location == link)
    for _ in 1...2 { #expect(ben.get(link).shows("Ann would like to be a couple with you")) }
    #expect(try house.couples() == [:])
    #expect(try ben.acceptPair(link).status == 303)
    #expect(ben.get(link).status == 410)
  }

  @Test("Another account is told so, and can't accept")
  func another() throws {
    let house = try TestHouse()
    for name in ["ben", "eve"] { try house.alone(name) }
    let link = try invited(house)
    let eve = try house.signedIn("eve")
    let page = eve.get(link)
    #expect(page.status == 403 && page.shows("another account"))
    #expect(!page.shows("ben@example.test"))
    let token = String(link.dropFirst("/pair/accept?token=".count))
    #expect(eve.post("/pair/accept", ["token": token]).status == 403)
    #expect(try house.signedIn("ann").post("/pair/accept", ["token": token]).status == 403)
    #expect(try house.couples() == [:])
  }

  @Test("Somebody without an account chooses a name and a password, and is in the couple")
  func newPerson() throws {
    let house = try TestHouse()
    let link = try invited(house, "new")
    let browser = house.browser()
    let page = browser.get(link)
    #expect(page.status == 200 && page.shows("new@example.test") && page.shows("Ann would"))
    let token = try #require(page.value(of: "token"))
    let answer = browser.post(
      "/pair/accept",
      [
        "token": token, "display_name": "Newt", "password": TestHouse.password, "accept": "1",
      ])
    #expect(answer.location?.hasPrefix("/couples/") == true)
    #expect(browser.get("/").shows("Ann &amp; Newt"))
    #expect(try house.couples() == ["Ann & Newt": "active"])
    #expect(house.browser().signIn("new@example.test", TestHouse.password).status == 303)
    #expect(try house.mails(to: "ann@example.test").count == 1)
    #expect(try house.problems() == [])
  }

  @Test(
    "What is missing is 422 and makes nobody",
    arguments: ["display_name", "password", "accept"])
  func incomplete(field: String) throws {
    let house = try TestHouse()
    let link = try invited(house, "new")
    let browser = house.browser()
    var fields = [
      "token": try #require(browser.get(link).value(of: "token")), "display_name": "<Newt>",
      "password": TestHouse.password, "accept": "1",
    ]
    fields[field] = nil
    let answer = browser.post("/pair/accept", all: fields.sorted { $0.key < $1.key })
    #expect(answer.status == 422 && answer.shows("href=\"#\(field)\""))
    #expect(answer.shows("&lt;Newt&gt;") || field == "display_name")
    #expect(!answer.shows(TestHouse.password))
    #expect(try house.count("SELECT count(*) FROM users") == 1)
    #expect(browser.get(link).status == 200)
  }

  @Test("Who is in a couple by now is told so; so is who was invited by somebody in a couple")
  func tooLate() throws {
    let house = try TestHouse()
    for name in ["ann", "ben", "cy", "di"] { try house.alone(name) }
    let (ann, ben) = (try house.signedIn("ann"), try house.signedIn("ben"))
    ann.invite("ben@example.test")
    let fromAnn = try house.invitation(to: "ben")
    let token = try #require(ben.get(fromAnn).value(of: "token"))
    _ = try house.paired("cy", "ann")
    // Ann's own invitation ended with her pairing.
    #expect(ben.get(fromAnn).status == 410)
    #expect(ben.post("/pair/accept", ["token": token]).status == 410)
    house.clock.advance(seconds: 1)
    let di = try house.signedIn("di")
    di.invite("ben@example.test")
    let fromDi = try house.invitation(to: "ben")
    ben.invite("nobody@example.test")
    let page = house.browser().get(try house.invitation(to: "nobody"))
    house.browser().post(
      "/pair/accept",
      [
        "token": page.value(of: "token") ?? "", "display_name": "New",
        "password": TestHouse.password, "accept": "1",
      ])
    #expect(try house.couples() == ["Cy & Ann": "active", "Ben & New": "active"])
    #expect(ben.get(fromDi).status == 409)
    #expect(di.get("/pair").shows("ben@example.test"))
    #expect(try house.problems() == [])
  }

  @Test("Posts of before stay where they were: public ones for all, private ones for their author")
  func earlierPosts() throws {
    let house = try TestHouse()
    for name in ["ann", "ben", "sam"] { try house.alone(name) }
    let ann = try house.signedIn("ann")
    let (open, own) = (
      try ann.writeWithPicture("Alone, for all"), try ann.write("Diary", visibility: "couple")
    )
    let before = try #require(ann.get(open).text.firstMatch(of: /\/couples\/[0-9a-f-]{36}/)).output
    let (_, ben, _) = try house.paired("ann", "ben")
    let sam = try house.signedIn("sam")
    for browser in [ann, ben, sam, house.browser()] {
      #expect(browser.get(open).shows("Alone, for all"))
      #expect(browser.get(String(before)).shows(">Ann<"))
      for picture in browser.get(open).pictures { #expect(browser.get(picture).status == 200) }
    }
    #expect(ann.get(own).status == 200 && ann.get(String(before)).shows("Diary"))
    for browser in [ben, sam, house.browser()] {
      #expect(browser.get(own).status == 404 && !browser.get(String(before)).shows("Diary"))
    }
    #expect(ann.post("\(own)/delete").status == 303)
    #expect(ann.get("\(before)/edit").status == 403)
    #expect(try house.couples() == ["Ann": "single", "Ann & Ben": "active"])
    #expect(try house.problems() == [])
  }

  @Test("Names that are long together still make a name that fits")
  func longNames() throws {
    let house = try TestHouse()
    let (one, two) = (String(repeating: "a", count: 40), String(repeating: "b", count: 40))
    for name in [one, two] { try house.alone(name) }
    let (browser, _, page) = try house.paired(one, two)
    let edit = browser.get("\(page)/edit")
    let name = try #require(try house.couples().keys.first)
    #expect(name.count <= 60 && edit.shows(name.replacing("&", with: "&amp;")))
  }

  // MARK: The invitation that a registration sends

  @Test("A registered couple with a member's address: the link in their mail lets them in")
  func registration() throws {
    let house = try TestHouse()
    try house.alone("ben")
    let ann = house.browser()
    _ = RegisterCoupleTests.register(ann)
    try RegisterCoupleTests.complete(ann, house.link(to: "ann@example.test"), "Ann")
    #expect(try house.couples() == ["Ann & Ben": "pending"])
    let (ben, link) = (try house.signedIn("ben"), try house.invitation(to: "ben"))
    #expect(house.browser().get(link.replacing("/pair/accept", with: "/verify")).status == 200)
    #expect(ben.get(link).shows("Ann would like"))
    #expect(try ben.acceptPair(link).location?.hasPrefix("/couples/") == true)
    #expect(try house.couples() == ["Ann & Ben": "active"])
    #expect(ann.get("/register/waiting").location == "/")
    #expect(ben.get(link).status == 410)
    #expect(try house.problems() == [])
  }

  @Test("The member may come first and waits then, and is alone again if nobody follows")
  func registrationFirst() throws {
    let house = try TestHouse()
    try house.alone("ben")
    let ben = try house.signedIn("ben")
    try ben.write("Alone")
    _ = RegisterCoupleTests.register(house.browser())
    #expect(try ben.acceptPair(house.invitation(to: "ben")).location == "/register/waiting")
    #expect(ben.get("/register/waiting").shows("ann@example.test"))
    #expect(ben.get("/pair").shows("on the way"))
    #expect(try house.couples() == ["Ben": "single", "Ann & Ben": "pending"])
    house.clock.advance(seconds: 8 * 86_400)
    try house.work()
    #expect(try house.couples() == ["Ben": "single"])
    try ben.write("Alone again")
    #expect(try house.couples() == ["Ben": "single"])
    #expect(try house.problems() == [])
  }

  @Test("Whose address was free when the mail went is led to the way of registering")
  func registrationOfNobody() throws {
    let house = try TestHouse()
    _ = RegisterCoupleTests.register(house.browser())
    let link = try house.link(to: "ben@example.test").replacing("/verify", with: "/pair/accept")
    #expect(house.browser().get(link).location?.hasPrefix("/verify?token=") == true)
  }
}
