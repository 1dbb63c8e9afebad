import Core
import Testing

@testable import App

@Suite("Parting")
struct SeparationTests {
  private static let days30: Int64 = 30 * 86_400

  @Test("It takes the password, freezes the couple, and mails both")
  func parting() throws {
    let instance = try TestInstance()
    try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    for wrong in ["", "not the password"] {
      let answer = ann.part(wrong)
      #expect(answer.status == 422)
      #expect(answer.shows("<a href=\"#current_password\">Current password</a>"))
    }
    #expect(try instance.couples() == ["Ann & Ben": "active"])
    #expect(ann.part().location == "/settings/part")
    #expect(try instance.couples() == ["Ann & Ben": "frozen"])
    for (browser, name) in [(ann, "ann"), (ben, "ben")] {
      #expect(try instance.mails(to: "\(name)@example.test").count == 1)
      #expect(browser.get("/settings/part").shows("name=\"undo\""))
      #expect(browser.post("/posts", ["content": "New"]).status == 403)
      #expect(browser.get("/").shows("/settings/part"))
    }
    #expect(try instance.problems() == [])
  }

  @Test("Parting twice changes nothing and writes no more mails")
  func twice() throws {
    let instance = try TestInstance()
    try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    for browser in [ann, ben, ann] { #expect(browser.part().location == "/settings/part") }
    #expect(try instance.mails(to: "ann@example.test").count == 1)
    #expect(try instance.count("SELECT count(*) FROM partings") == 1)
  }

  @Test("A member without a couple of two cannot separate")
  func nobody() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    #expect(sam.get("/settings/part").shows("not in a couple right now"))
    #expect(sam.part().location == "/settings/part")
    try sam.write("Alone")
    #expect(sam.part().location == "/settings/part")
    #expect(sam.post("/settings/part", ["undo": "1"]).location == "/settings/part")
    #expect(try instance.couples() == ["Sam": "single"])
    #expect(try instance.allMails().isEmpty)
  }

  // MARK: Undoing

  @Test("Undoing needs both: one asks, the other agrees, and both are mailed each time")
  func undo() throws {
    let instance = try TestInstance()
    try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    let post = try ann.write("Ours")
    ann.part()
    for _ in 1...2 {
      #expect(ann.post("/settings/part", ["undo": "1"]).location == "/settings/part")
    }
    #expect(try instance.couples() == ["Ann & Ben": "frozen"])
    #expect(ann.get("/settings/part").shows("name=\"take_back\""))
    #expect(ben.get("/settings/part").shows("Ann wants to undo this"))
    #expect(ben.post("/settings/part", ["undo": "1"]).location?.hasPrefix("/couples/") == true)
    #expect(try instance.couples() == ["Ann & Ben": "active"])
    for name in ["ann", "ben"] {
      #expect(try instance.mails(to: "\(name)@example.test").count == 3)
    }
    #expect(instance.browser().get(post).status == 200)
    instance.clock.advance(seconds: Self.days30 + 3600)
    try instance.work()
    #expect(try instance.couples() == ["Ann & Ben": "active"])
    #expect(try instance.problems() == [])
  }

  @Test("The request can be withdrawn, and then the other one can ask again")
  func withdraw() throws {
    let instance = try TestInstance()
    try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    ann.part()
    ann.post("/settings/part", ["undo": "1"])
    ben.post("/settings/part", ["take_back": "1"])
    #expect(ann.get("/settings/part").shows("name=\"take_back\""))
    ann.post("/settings/part", ["take_back": "1"])
    ben.post("/settings/part", ["undo": "1"])
    #expect(try instance.couples() == ["Ann & Ben": "frozen"])
  }

  @Test("After 30 days it is final: no undoing, each is single, both are mailed")
  func final() throws {
    let instance = try TestInstance()
    try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    try instance.work()
    ann.part()
    ann.post("/settings/part", ["undo": "1"])
    instance.clock.advance(seconds: Self.days30 - 1)
    try instance.work()
    #expect(ben.get("/settings/part").shows("name=\"undo\""))
    instance.clock.advance(seconds: 1)
    ben.post("/settings/part", ["undo": "1"])
    #expect(try instance.couples() == ["Ann & Ben": "frozen"])
    instance.clock.advance(seconds: 3600)
    try instance.work()
    for name in ["ann", "ben"] {
      #expect(try instance.mails(to: "\(name)@example.test").count == 3)
    }
    #expect(try instance.count("SELECT count(*) FROM users WHERE couple_id IS NOT NULL") == 0)
    try ann.write("On my own")
    #expect(try instance.couples() == ["Ann & Ben": "frozen", "Ann": "single"])
    #expect(ann.get("/settings/part").shows("Ann &amp; Ben"))
    #expect(try instance.problems() == [])
  }

  @Test("A new couple ends the undoing, for the former partner too")
  func pairingAgain() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.alone("cy")
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    ann.part()
    ben.post("/settings/part", ["undo": "1"])
    #expect(ann.get("/pair").shows("can still undo that together"))
    _ = try instance.paired("ann", "cy")
    #expect(try instance.couples() == ["Ann & Ben": "frozen", "Ann & Cy": "active"])
    #expect(!ben.get("/settings/part").shows("name=\"undo\""))
    for browser in [ben, ann] { browser.post("/settings/part", ["undo": "1"]) }
    #expect(try instance.couples() == ["Ann & Ben": "frozen", "Ann & Cy": "active"])
    let subjects = try instance.mails(to: "ben@example.test").map(\.subject)
    #expect(subjects.filter { $0.contains("ended for good") }.count == 1)
    try ben.write("On my own")
    #expect(try instance.problems() == [])
  }

  @Test("The same two pairing again within the time is undoing it")
  func sameTwo() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let post = try ann.write("Ours")
    ann.part()
    _ = try instance.paired("ben", "ann")
    #expect(try instance.couples() == ["Ann & Ben": "active"])
    #expect(instance.browser().get(post).status == 200)
    #expect(try instance.problems() == [])
  }

  @Test("A member with posts from before the couple gets them back afterwards")
  func backAlone() throws {
    let instance = try TestInstance()
    for name in ["ann", "ben"] { try instance.alone(name) }
    try instance.signedIn("ann").write("Before")
    let (ann, ben, _) = try instance.paired("ann", "ben")
    ann.part()
    instance.clock.advance(seconds: Self.days30 + 3600)
    try instance.work()
    try ann.write("After")
    try ben.write("After too")
    #expect(
      try instance.couples() == ["Ann": "single", "Ben": "single", "Ann & Ben": "frozen"])
    #expect(
      try instance.count(
        "SELECT count(*) FROM posts p JOIN couples c ON c.id = p.couple_id AND c.name = 'Ann'")
        == 2)
    #expect(try instance.problems() == [])
  }

  // MARK: Visibility

  /// Whether a user sees a frozen couple's post, picture and profile, which must agree.
  private func sees(
    _ browser: TestClient, _ post: String, _ picture: String, _ couple: String
  ) -> Set<Bool> {
    [
      browser.get(post).status == 200, browser.get(picture).status == 200,
      browser.get(couple).shows("Our words"), browser.get(couple).status == 200,
    ]
  }

  @Test(
    "A frozen couple is seen by its two alone, for ever: strangers and new partners see nothing")
  func whoSees() throws {
    let instance = try TestInstance()
    let couple = try #require(try instance.couple().first?.couple)
    for name in ["cy", "sam"] { try instance.alone(name) }
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    let post = try ann.writeWithPicture("Our words")
    let picture = try #require(ann.get(post).pictures.first)
    let profile = "/couples/\(couple.id)"
    let (cy, sam, visitor) = (
      try instance.signedIn("cy"), try instance.signedIn("sam"), instance.browser()
    )
    ann.upload(
      "\(profile)/edit", [("couple_name", "Ann & Ben"), ("anniversary", "2020-01-01")],
      files: [("avatar", SmallPicture.png)])
    let avatar = try #require(ann.get(profile).pictures.first)
    func check(_ stage: Comment) {
      for browser in [ann, ben] {
        #expect(sees(browser, post, picture, profile) == [true], stage)
        #expect(browser.get(avatar).status == 200, stage)
        #expect(browser.get(profile).shows("Ben"), stage)
      }
      for browser in [cy, sam, visitor] {
        #expect(sees(browser, post, picture, profile) == [false], stage)
        #expect(browser.get(avatar).status == 404, stage)
        #expect(!browser.get("/").shows("Our words"), stage)
        #expect(browser.post("\(post)/like").status != 200, stage)
      }
    }
    ann.part()
    check("frozen")
    _ = try instance.paired("ann", "cy")
    check("one has paired again")
    instance.clock.advance(seconds: Self.days30 + 3600)
    try instance.work()
    check("final")
    #expect(ann.get("\(profile)/edit").status == 403)
    #expect(try instance.count("SELECT count(*) FROM likes") == 0)
  }

  @Test("Neither of a separated couple changes shared content; each changes the own picture")
  func unchanged() throws {
    let instance = try TestInstance()
    let couple = try #require(try instance.couple().first?.couple)
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    let profile = "/couples/\(couple.id)"
    let fields = [("couple_name", "Ann alone"), ("anniversary", "2020-01-01"), ("bio", "Lies")]
    ann.get("\(profile)/edit")
    #expect(ann.get(profile).shows("\(profile)/edit"))
    ann.part()
    for browser in [ann, ben] {
      #expect(!browser.get(profile).shows("\(profile)/edit"))
      #expect(browser.get("\(profile)/edit").status == 403)
      #expect(browser.upload("\(profile)/edit", fields, files: []).status == 403)
    }
    #expect(try instance.couples() == ["Ann & Ben": "frozen"])
    let saved = ann.upload(
      "/settings/profile", [("display_name", "Anna")], files: [("avatar", SmallPicture.png)])
    #expect(saved.location == "/settings/profile")
    let avatar = try #require(ann.get("/settings").pictures.first)
    #expect(ann.get(avatar).status == 200 && instance.browser().get(avatar).status == 404)
    instance.clock.advance(seconds: Self.days30 + 3600)
    try instance.work()
    #expect(instance.browser().get(avatar).status == 200)
  }

  @Test("An export names former couples and invited addresses")
  func exported() throws {
    let instance = try TestInstance()
    let ann = try #require(try instance.couple().first)
    let browser = try instance.signedIn("ann")
    browser.part()
    instance.clock.advance(seconds: Self.days30 + 3600)
    try instance.work()
    browser.invite("cy@example.test")
    let files = try instance.database.read { reader in
      try instance.instance.participants.flatMap { try $0.export(ann.id, from: reader) }
    }
    let text = files.map { String(decoding: $0.json, as: UTF8.self) }.joined()
    #expect(text.contains("Ann & Ben") && text.contains("cy@example.test"))
    try instance.purge(ann.id)
    #expect(try instance.count("SELECT count(*) FROM pair_invitations") == 0)
  }

  @Test("After parting the header shows the person, not the two")
  func header() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    ann.part()
    #expect(!ann.get("/about").shows("Ann &amp; Ben"))
  }

  @Test("When one of a parted two is gone for good, the other's posts stay theirs alone")
  func purged() throws {
    let instance = try TestInstance()
    let people = try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    let (hers, his) = (try ann.write("Hers"), try ben.write("His"))
    ann.part()
    ann.post("/settings/part", ["undo": "1"])
    try instance.purge(try #require(people.first).id)
    #expect(ben.get(his).status == 200 && ben.get(hers).status == 404)
    #expect(instance.browser().get(his).status == 404)
    ben.post("/settings/part", ["undo": "1"])
    #expect(try instance.couples() == ["Ben": "frozen"])
    instance.clock.advance(seconds: Self.days30 + 3600)
    try instance.work()
    try ben.write("On my own")
    try instance.purge(try #require(people.last).id)
    #expect(try instance.couples() == [:])
    #expect(try instance.problems() == [])
  }
}
