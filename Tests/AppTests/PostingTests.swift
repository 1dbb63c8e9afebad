import Foundation
import Testing

@testable import App

@Suite("Posting")
struct PostingTests {
  private func fields(_ nonce: String, _ content: String) -> [(String, String)] {
    [("nonce", nonce), ("content", content), ("visibility", "public")]
  }

  @Test("A form sent twice posts once and gets the first answer again")
  func twice() throws {
    let house = try TestHouse()
    try house.couple()
    let ann = try house.signedIn("ann")
    let first = ann.post("/posts", all: fields("n1", "Words"))
    let second = ann.post("/posts", all: fields("n1", "Words"))
    #expect(first.status == 303 && first.location == second.location)
    #expect(try house.count("SELECT count(*) FROM posts") == 1)
  }

  @Test("The same nonce with other words is a second post")
  func otherWords() throws {
    let house = try TestHouse()
    try house.couple()
    let ann = try house.signedIn("ann")
    let first = ann.post("/posts", all: fields("n1", "Words"))
    let second = ann.post("/posts", all: fields("n1", "Other words"))
    #expect(second.status == 303 && first.location != second.location)
    #expect(try house.count("SELECT count(*) FROM posts") == 2)
  }

  @Test("The same nonce with another picture is a second post, with the same one it isn't")
  func pictures() throws {
    let house = try TestHouse()
    try house.couple()
    let ann = try house.signedIn("ann")
    func send(_ bytes: [UInt8]) -> Answer {
      ann.upload("/posts", fields("n1", "Words"), files: [("images", bytes)])
    }
    let first = send(SmallPicture.png)
    #expect(send(SmallPicture.png).location == first.location)
    // Data behind a valid picture is dropped, but the file is another one.
    #expect(send(SmallPicture.png + [0]).location != first.location)
    #expect(try house.count("SELECT count(*) FROM posts") == 2)
  }

  @Test("A nonce is one's own: somebody else's form with the same one is their post")
  func othersNonce() throws {
    let house = try TestHouse()
    try house.couple()
    let first = try house.signedIn("ann").post("/posts", all: fields("n1", "Words"))
    let second = try house.signedIn("ben").post("/posts", all: fields("n1", "Words"))
    #expect(first.location != second.location)
    #expect(try house.count("SELECT count(*) FROM posts") == 2)
  }

  @Test("Eight sendings of one form at once make one post")
  func atOnce() throws {
    let house = try TestHouse()
    try house.couple()
    let ann = try house.signedIn("ann")
    ann.get("/")
    let taps = (1...8).map { _ in Tap(ann.copy()) }
    DispatchQueue.concurrentPerform(iterations: taps.count) {
      taps[$0].upload("/posts", fields("n1", "Words"), SmallPicture.png)
    }
    #expect(Set(taps.compactMap(\.answer?.location)).count == 1)
    #expect(taps.allSatisfy { $0.status == 303 || $0.status == 503 })
    #expect(try house.count("SELECT count(*) FROM posts") == 1)
    #expect(try house.count("SELECT count(*) FROM post_images") == 1)
  }

  @Test("After 24 hours the nonces are forgotten")
  func forgotten() throws {
    let house = try TestHouse()
    try house.couple()
    let ann = try house.signedIn("ann")
    ann.post("/posts", all: fields("n1", "Words"))
    try house.work()
    #expect(try house.count("SELECT count(*) FROM answers") == 1)
    house.clock.advance(seconds: 25 * 3600)
    try house.work()
    #expect(try house.count("SELECT count(*) FROM answers") == 0)
  }

  @Test("A lone member's first post makes a couple of one, the second uses it")
  func alone() throws {
    let house = try TestHouse()
    try house.alone("sam")
    let sam = try house.signedIn("sam")
    #expect(try house.count("SELECT count(*) FROM couples") == 0)
    try sam.writeWithPicture("First")
    try sam.write("Second")
    #expect(try house.count("SELECT count(*) FROM couples WHERE status = 'single'") == 1)
    #expect(try house.count("SELECT count(*) FROM couples") == 1)
    #expect(try house.count("SELECT count(*) FROM couple_members") == 1)
    let couple = try #require(
      try house.database.read { try $0.first("SELECT lower(hex(id)) FROM couples") { $0.text(0) } })
    #expect(
      try house.mediaFiles().allSatisfy {
        $0.hasPrefix("couples/") && $0.replacing("-", with: "").contains(couple)
      })
  }

  @Test("Two first posts at once make one couple of one")
  func aloneAtOnce() throws {
    let house = try TestHouse()
    try house.alone("sam")
    let sam = try house.signedIn("sam")
    sam.get("/")
    let taps = (1...8).map { _ in Tap(sam.copy()) }
    DispatchQueue.concurrentPerform(iterations: taps.count) {
      taps[$0].post("/posts", ["nonce": "n\($0)", "content": "Words \($0)"])
    }
    #expect(taps.allSatisfy { $0.status == 303 })
    #expect(try house.count("SELECT count(*) FROM couples") == 1)
    #expect(try house.count("SELECT count(*) FROM posts") == 8)
  }

  @Test("A pending couple can't post")
  func pending() throws {
    let house = try TestHouse()
    let ann = house.browser()
    _ = RegisterCoupleTests.register(ann)
    try RegisterCoupleTests.complete(ann, house.link(to: "ann@example.test"), "Ann")
    #expect(!ann.get("/").shows("data-composer"))
    #expect(ann.post("/posts", ["content": "Words"]).status == 403)
    #expect(try house.count("SELECT count(*) FROM posts") == 0)
  }

  @Test("A picture that fails loses neither the words nor the good pictures")
  func keptPictures() throws {
    let house = try TestHouse()
    try house.couple()
    let ann = try house.signedIn("ann")
    let answer = ann.upload(
      "/posts", fields("n1", "Kept words"),
      files: [("images", SmallPicture.png), ("images", Array("no picture".utf8))])
    #expect(answer.status == 422 && answer.shows("Kept words"))
    let kept = try #require(answer.value(of: "kept"))
    #expect(ann.get("/media/drafts/\(kept)").headers[.accelRedirect] != nil)
    let again = ann.post("/posts", all: fields("n2", "Kept words") + [("kept", kept)])
    let post = try #require(again.location)
    #expect(!ann.get(post).pictures.isEmpty)
    #expect(try house.mediaFiles().count == 3)
    #expect(try house.count("SELECT count(*) FROM draft_images") == 0)
  }

  @Test("A form with kept pictures sent twice posts once too")
  func keptTwice() throws {
    let house = try TestHouse()
    try house.couple()
    let ann = try house.signedIn("ann")
    let kept = try #require(
      ann.upload(
        "/posts", fields("n1", "Words"),
        files: [("images", SmallPicture.png), ("images", [1, 2, 3])]
      ).value(of: "kept"))
    let first = ann.post("/posts", all: fields("n2", "Words") + [("kept", kept)])
    let second = ann.post("/posts", all: fields("n2", "Words") + [("kept", kept)])
    #expect(first.status == 303 && second.location == first.location)
    #expect(try house.count("SELECT count(*) FROM posts") == 1)
    #expect(try house.count("SELECT count(*) FROM post_images") == 1)
  }

  @Test("Kept pictures of others are neither shown nor used, and one can drop one's own")
  func othersDrafts() throws {
    let house = try TestHouse()
    try house.couple()
    let (ann, ben) = (try house.signedIn("ann"), try house.signedIn("ben"))
    let kept = try #require(
      ann.upload(
        "/posts", fields("n1", "Words"),
        files: [("images", SmallPicture.png), ("images", [1, 2, 3])]
      ).value(of: "kept"))
    #expect(ben.get("/media/drafts/\(kept)").status == 404)
    let post = ben.post("/posts", all: fields("n2", "Words") + [("kept", kept)]).location
    #expect(ben.get(post ?? "").pictures.isEmpty)
    let dropped = ann.post(
      "/posts", all: fields("n3", "Words") + [("kept", kept), ("drop", kept)])
    #expect(ann.get(dropped.location ?? "").pictures.isEmpty)
    #expect(try house.mediaFiles().isEmpty)
  }

  @Test("Kept pictures that nobody came back for are gone after 24 hours")
  func draftPurge() throws {
    let house = try TestHouse()
    try house.couple()
    let ann = try house.signedIn("ann")
    ann.upload(
      "/posts", fields("n1", "Words"),
      files: [("images", SmallPicture.png), ("images", [1, 2, 3])])
    try house.work()
    #expect(try house.mediaFiles().count == 3)
    house.clock.advance(seconds: 25 * 3600)
    try house.work()
    #expect(try house.mediaFiles().isEmpty)
    #expect(try house.count("SELECT count(*) FROM draft_images") == 0)
  }

  @Test("Ten pictures are one too many, the words stay")
  func tooMany() throws {
    let house = try TestHouse()
    try house.couple()
    let files = (1...10).map { _ in (field: "images", bytes: SmallPicture.png) }
    let answer = try house.signedIn("ann").upload("/posts", fields("n1", "Words"), files: files)
    #expect(answer.status == 422 && answer.shows("Words"))
    #expect(try house.count("SELECT count(*) FROM posts") == 0)
  }
}
