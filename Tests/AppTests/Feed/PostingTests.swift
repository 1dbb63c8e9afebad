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
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let first = ann.post("/posts", all: fields("n1", "Words"))
    let second = ann.post("/posts", all: fields("n1", "Words"))
    #expect(first.status == 303 && first.toastLink == second.toastLink)
    #expect(try instance.count("SELECT count(*) FROM posts") == 1)
  }

  @Test("A form that a browser sends again weeks later, with a network at last, posts once")
  func weeksLater() throws {
    let instance = try TestInstance()
    try instance.couple()
    let sent = fields("n1", "Words")
    let first = try instance.signedIn("ann").post("/posts", all: sent)
    for (days, isKnown) in [(29, true), (2, false)] {
      instance.clock.advance(seconds: Int64(days) * 86_400)
      try instance.work()
      let again = try instance.signedIn("ann").post("/posts", all: sent)
      #expect((again.toastLink == first.toastLink) == isKnown)
    }
  }

  @Test("The same nonce with other words is a second post")
  func otherWords() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let first = ann.post("/posts", all: fields("n1", "Words"))
    let second = ann.post("/posts", all: fields("n1", "Other words"))
    #expect(second.status == 303 && first.toastLink != second.toastLink)
    #expect(try instance.count("SELECT count(*) FROM posts") == 2)
  }

  @Test("The same nonce with another picture is a second post, with the same one it isn't")
  func pictures() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    func send(_ bytes: [UInt8]) -> TestResponse {
      ann.upload("/posts", fields("n1", "Words"), files: [("images", bytes)])
    }
    let first = send(SmallPicture.png)
    #expect(send(SmallPicture.png).toastLink == first.toastLink)
    // Data after a valid picture is dropped, but the file is a different one.
    #expect(send(SmallPicture.png + [0]).toastLink != first.toastLink)
    #expect(try instance.count("SELECT count(*) FROM posts") == 2)
  }

  @Test("A nonce is per user: another user's form with the same one is a separate post")
  func othersNonce() throws {
    let instance = try TestInstance()
    try instance.couple()
    let first = try instance.signedIn("ann").post("/posts", all: fields("n1", "Words"))
    let second = try instance.signedIn("ben").post("/posts", all: fields("n1", "Words"))
    #expect(first.toastLink != second.toastLink)
    #expect(try instance.count("SELECT count(*) FROM posts") == 2)
  }

  @Test("Eight sendings of one form at once make one post")
  func atOnce() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    ann.get("/")
    let taps = (1...8).map { _ in ParallelClient(ann.copy()) }
    DispatchQueue.concurrentPerform(iterations: taps.count) {
      taps[$0].upload("/posts", fields("n1", "Words"), SmallPicture.png)
    }
    #expect(Set(taps.compactMap(\.answer?.toastLink)).count == 1)
    #expect(taps.allSatisfy { $0.status == 303 || $0.status == 503 })
    #expect(try instance.count("SELECT count(*) FROM posts") == 1)
    #expect(try instance.count("SELECT count(*) FROM post_images") == 1)
  }

  @Test("After 30 days the nonces are forgotten")
  func forgotten() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    ann.post("/posts", all: fields("n1", "Words"))
    try instance.work()
    #expect(try instance.count("SELECT count(*) FROM answers") == 1)
    instance.clock.advance(seconds: .days(30) - 3600)
    try instance.work()
    #expect(try instance.count("SELECT count(*) FROM answers") == 1)
    instance.clock.advance(seconds: 2 * 3600)
    try instance.work()
    #expect(try instance.count("SELECT count(*) FROM answers") == 0)
  }

  @Test("A lone member's first post makes a couple of one, the second uses it")
  func alone() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    #expect(try instance.count("SELECT count(*) FROM couples") == 0)
    try sam.writeWithPicture("First")
    try sam.write("Second")
    #expect(try instance.count("SELECT count(*) FROM couples WHERE status = 'single'") == 1)
    #expect(try instance.count("SELECT count(*) FROM couples") == 1)
    #expect(try instance.count("SELECT count(*) FROM couple_members") == 1)
    let couple = try #require(
      try instance.database.read {
        try $0.value("SELECT lower(hex(id)) FROM couples", as: String.self)
      })
    #expect(
      try instance.mediaFiles().allSatisfy {
        $0.hasPrefix("couples/") && $0.replacing("-", with: "").contains(couple)
      })
  }

  @Test("Two first posts at once make one couple of one")
  func aloneAtOnce() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    sam.get("/")
    let taps = (1...8).map { _ in ParallelClient(sam.copy()) }
    DispatchQueue.concurrentPerform(iterations: taps.count) {
      taps[$0].post("/posts", ["nonce": "n\($0)", "content": "Words \($0)"])
    }
    #expect(taps.allSatisfy { $0.status == 303 })
    #expect(try instance.count("SELECT count(*) FROM couples") == 1)
    #expect(try instance.count("SELECT count(*) FROM posts") == 8)
  }

  @Test("A pending couple can't post")
  func pending() throws {
    let instance = try TestInstance()
    let ann = instance.browser()
    _ = RegisterCoupleTests.register(ann)
    try RegisterCoupleTests.complete(ann, instance.link(to: "ann@example.test"), "Ann")
    #expect(!ann.get("/").shows("data-composer"))
    #expect(ann.post("/posts", ["content": "Words"]).status == 403)
    #expect(try instance.count("SELECT count(*) FROM posts") == 0)
  }

  @Test("A picture that fails loses neither the words nor the good pictures")
  func keptPictures() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let answer = ann.upload(
      "/posts", fields("n1", "Kept words"),
      files: [("images", SmallPicture.png), ("images", Array("no picture".utf8))])
    #expect(answer.status == 422 && answer.shows("Kept words"))
    let kept = try #require(answer.value(of: "kept"))
    #expect(ann.get("/media/drafts/\(kept)").headers[.accelRedirect] != nil)
    let again = ann.post("/posts", all: fields("n2", "Kept words") + [("kept", kept)])
    let post = try #require(again.toastLink)
    #expect(!ann.get(post).pictures.isEmpty)
    #expect(try instance.mediaFiles().count == 3)
    #expect(try instance.count("SELECT count(*) FROM draft_images") == 0)
  }

  @Test("A form with kept pictures sent twice posts once too")
  func keptTwice() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let kept = try #require(
      ann.upload(
        "/posts", fields("n1", "Words"),
        files: [("images", SmallPicture.png), ("images", [1, 2, 3])]
      ).value(of: "kept"))
    let first = ann.post("/posts", all: fields("n2", "Words") + [("kept", kept)])
    let second = ann.post("/posts", all: fields("n2", "Words") + [("kept", kept)])
    #expect(first.status == 303 && second.toastLink == first.toastLink)
    #expect(try instance.count("SELECT count(*) FROM posts") == 1)
    #expect(try instance.count("SELECT count(*) FROM post_images") == 1)
  }

  @Test("Kept pictures of others are neither shown nor used, and one can drop one's own")
  func othersDrafts() throws {
    let instance = try TestInstance()
    try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    let kept = try #require(
      ann.upload(
        "/posts", fields("n1", "Words"),
        files: [("images", SmallPicture.png), ("images", [1, 2, 3])]
      ).value(of: "kept"))
    #expect(ben.get("/media/drafts/\(kept)").status == 404)
    let answer = ben.post("/posts", all: fields("n2", "Words") + [("kept", kept)])
    #expect(answer.status == 422 && answer.value(of: "kept") == nil)
    let dropped = ann.post(
      "/posts", all: fields("n3", "Words") + [("kept", kept), ("drop", kept)])
    #expect(ann.get(dropped.toastLink ?? "").pictures.isEmpty)
    #expect(try instance.mediaFiles().isEmpty)
  }

  @Test("A form whose kept pictures are gone by now says so, and posts nothing without them")
  func lateDrafts() throws {
    let instance = try TestInstance()
    try instance.couple()
    let kept = try #require(
      try instance.signedIn("ann").upload(
        "/posts", fields("n1", "Words"),
        files: [("images", SmallPicture.png), ("images", [1, 2, 3])]
      ).value(of: "kept"))
    instance.clock.advance(seconds: 25 * 3600)
    try instance.work()
    let ann = try instance.signedIn("ann")
    let late = ann.post("/posts", all: fields("n2", "Kept words") + [("kept", kept)])
    #expect(late.status == 422 && late.shows("Kept words"))
    #expect(late.shows("Some of your pictures were kept for a day and are gone."))
    #expect(ann.post("/posts", all: fields("n3", "Kept words")).status == 303)
  }

  @Test("Abandoned drafts of pictures are deleted after 24 hours")
  func draftPurge() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    ann.upload(
      "/posts", fields("n1", "Words"),
      files: [("images", SmallPicture.png), ("images", [1, 2, 3])])
    try instance.work()
    #expect(try instance.mediaFiles().count == 3)
    instance.clock.advance(seconds: 25 * 3600)
    try instance.work()
    #expect(try instance.mediaFiles().isEmpty)
    #expect(try instance.count("SELECT count(*) FROM draft_images") == 0)
  }

  @Test("Ten pictures are one too many, the words stay")
  func tooMany() throws {
    let instance = try TestInstance()
    try instance.couple()
    let files = (1...10).map { _ in (field: "images", bytes: SmallPicture.png) }
    let answer = try instance.signedIn("ann").upload("/posts", fields("n1", "Words"), files: files)
    #expect(answer.status == 422 && answer.shows("Words"))
    #expect(try instance.count("SELECT count(*) FROM posts") == 0)
  }
}
