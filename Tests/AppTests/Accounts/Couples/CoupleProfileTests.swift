import Testing

@testable import App

@Suite("A couple's profile")
struct CoupleProfileTests {
  @discardableResult
  private func save(_ browser: TestClient, _ page: String, _ changes: [String: String] = [:])
    -> TestResponse
  {
    let fields = ["couple_name": "New name", "anniversary": "2021-05-06", "bio": "About us"]
      .merging(changes) { $1 }
    return browser.post("\(page)/edit", all: fields.sorted { $0.key < $1.key })
  }

  private func profile(_ instance: TestInstance) throws -> String {
    "/couples/\(try #require(try instance.couple().first?.couple).id)"
  }

  @Test("Either partner edits it; others are refused, signed-out visitors are sent to sign in")
  func whoEdits() throws {
    let instance = try TestInstance()
    let page = try profile(instance)
    try instance.alone("sam")
    for name in ["ann", "ben"] {
      let browser = try instance.signedIn(name)
      #expect(save(browser, page, ["bio": "By \(name)"]).location == page)
      #expect(browser.get(page).shows("By \(name)"))
    }
    #expect(save(try instance.signedIn("sam"), page).status == 403)
    #expect(save(instance.browser(), page).location?.hasPrefix("/sign-in") == true)
    #expect(try instance.signedIn("ann").get(page).shows("By ben"))
  }

  @Test(
    "Wrong input is 422 with what was typed",
    arguments: [
      ("couple_name", ""), ("couple_name", String(repeating: "n", count: 61)),
      ("anniversary", "2099-01-01"), ("anniversary", "x"),
      ("bio", String(repeating: "b", count: 301)),
    ])
  func wrongInput(field: String, value: String) throws {
    let instance = try TestInstance()
    let page = try profile(instance)
    let ann = try instance.signedIn("ann")
    let answer = save(ann, page, [field: value])
    #expect(answer.status == 422 && (value.isEmpty || (value.isEmpty || answer.shows(value))))
    #expect(ann.get(page).shows("Ann &amp; Ben"))
  }

  @Test("A new picture replaces the old one, whose address and files are gone")
  func avatars() throws {
    let instance = try TestInstance()
    let page = try profile(instance)
    let ann = try instance.signedIn("ann")
    func upload() throws -> [String] {
      let answer = ann.upload(
        "\(page)/edit", [("couple_name", "Two"), ("anniversary", "2020-01-01"), ("bio", "")],
        files: [("avatar", SmallPicture.png), ("own_avatar", SmallPicture.png)])
      try #require(answer.status == 303, "\(answer.text)")
      return Array(Set(ann.get(page).pictures))
    }
    let first = try upload()
    #expect(first.count == 2)
    for picture in first {
      #expect(instance.browser().get(picture).headers[.accelRedirect] != nil)
    }
    #expect(try instance.mediaFiles().count == 4)
    let second = try upload()
    #expect(Set(second).isDisjoint(with: first) && second.count == 2)
    for picture in first { #expect(ann.get(picture).status == 404) }
    #expect(try instance.mediaFiles().count == 4)
  }

  @Test("A file that is no picture is an error, and the typed values are kept")
  func brokenAvatar() throws {
    let instance = try TestInstance()
    let page = try profile(instance)
    let answer = try instance.signedIn("ann").upload(
      "\(page)/edit", [("couple_name", "Typed"), ("anniversary", "2020-01-01"), ("bio", "")],
      files: [("avatar", SmallPicture.png), ("own_avatar", [1, 2, 3])])
    #expect(answer.status == 422 && answer.shows("Typed"))
    #expect(try instance.mediaFiles().isEmpty)
  }

  @Test("Day 1 is the anniversary day itself, in the reader's own zone")
  func days() throws {
    let instance = try TestInstance()
    let page = try profile(instance)
    let ann = try instance.signedIn("ann")
    // 2026-03-02 08:00 in Taipei is still the day before in Los Angeles.
    save(ann, page, ["anniversary": "2026-03-01"])
    func count(_ zone: String) throws -> String? {
      let shown = instance.browser().get(page, headers: [.cookie: "tz=\(zone)"])
      return shown.text.firstMatch(of: /figure-large">(\d+)</).map { String($0.output.1) }
    }
    #expect(try count("Asia/Taipei") == "2")
    #expect(try count("America/Los_Angeles") == "1")
    #expect(try count("Not/AZone") == "2")
  }

  @Test("A pending couple is visible to its member only")
  func pending() throws {
    let instance = try TestInstance()
    let ann = instance.browser()
    _ = RegisterCoupleTests.register(ann)
    try RegisterCoupleTests.complete(ann, instance.link(to: "ann@example.test"), "Ann")
    let match = ann.get("/").text.firstMatch(of: /\/couples\/[0-9a-f-]{36}/)
    let page = String(try #require(match).output)
    #expect(ann.get(page).status == 200)
    #expect(instance.browser().get(page).status == 404)
  }
}
