import Core
import Testing

@testable import App

@Suite("Notices of comments")
struct CommentNoticeTests {
  @Test("Both of the post's couple and earlier commenters are notified, never the author")
  func recipients() throws {
    let instance = try TestInstance()
    try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    let others = try instance.members("sam", "tia")
    let post = try ann.write("Words")
    instance.clock.advance(seconds: 1)
    try others[0].comment("First", on: post)
    #expect(ann.notices() == ["Sam commented on your post"])
    #expect(ben.notices() == ["Sam commented on your post", "Ann posted “Words”"])
    #expect(others[0].notices() == [])
    instance.clock.advance(seconds: 1)
    try others[1].comment("Second", on: post)
    #expect(ann.notices() == ["Tia and Sam commented on your post"])
    #expect(others[0].notices() == ["Tia also commented on a post"])
    try ann.comment("Thanks", on: post)
    #expect(others[1].notices() == ["Ann also commented on a post"])
    let link = try #require(
      others[1].get("/notifications").text.firstMatch(of: /\/notifications\/[0-9a-f-]{36}/)?.output)
    #expect(others[1].get(String(link)).location == post)
  }

  @Test("Deleting all one's comments on a post, or the post, takes the notices back")
  func retracted() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let sam = try instance.members("sam")[0]
    let post = try ann.write("Words")
    let first = try sam.comment("First", on: post)
    let second = try sam.comment("Second", on: post)
    sam.post("/comments/\(first)/delete")
    #expect(ann.notices().count == 1)
    sam.post("/comments/\(second)/delete")
    #expect(ann.notices() == [])
    try sam.comment("Third", on: post)
    #expect(ann.notices().count == 1)
    ann.post("\(post)/delete")
    #expect(ann.notices() == [])
  }

  @Test("Those who no longer see the post are not notified")
  func unseen() throws {
    let instance = try TestInstance()
    try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    let sam = try instance.members("sam")[0]
    let post = try ann.write("Words")
    try sam.comment("First", on: post)
    ann.post("\(post)/edit", ["content": "Words", "visibility": "couple"])
    instance.clock.advance(seconds: 1)
    try ben.comment("Between us", on: post)
    #expect(sam.notices() == [])
    #expect(ann.notices() == ["Ben and Sam commented on your post"])
  }
}
