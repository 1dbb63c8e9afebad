import Core
import Foundation
import Testing
import Web

@testable import App

@Suite("Blocked couples see nothing of each other")
struct BlockTests {
  private func couple(of browser: TestClient) throws -> String {
    let id = try #require(browser.call(.get, "/account").json["couple_id"] as? String)
    return "/couples/\(id)"
  }

  @Test("Neither sees the other's page, posts and pictures, on pages and by the API")
  func bothWays() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.couple("Kim & Lee", "kim", "lee")
    let (ann, kim) = (try instance.signedIn("ann"), try instance.signedIn("kim"))
    let ours = [try ann.writeWithPicture("From Ann"), try couple(of: ann)]
    let theirs = [try kim.writeWithPicture("From Kim"), try couple(of: kim)]
    #expect(ann.post("\(theirs[1])/block").location == "/settings/blocks")
    #expect(ann.post("\(theirs[1])/block").status == 303)
    for (reader, paths, words) in [(ann, theirs, "From Kim"), (kim, ours, "From Ann")] {
      for path in paths {
        #expect(reader.get(path).status == 404, "\(path)")
        #expect(reader.call(.get, path).status == 404, "\(path)")
      }
      #expect(!reader.get("/").shows(words))
      #expect(!reader.call(.get, "/posts").text.contains(words))
      let list = paths[1].dropFirst("/couples/".count)
      #expect(reader.call(.get, "/posts?couple_id=\(list)").status == 404)
      #expect(reader.call(.post, "\(paths[0])/like").status == 404)
      #expect(reader.report(paths[0]).status == 404)
    }
    // Both members of each couple are blocked; other users still see them.
    #expect(try instance.signedIn("lee").get(ours[0]).status == 404)
    #expect(try instance.members("sam")[0].get(ours[0]).status == 200)
    let picture = try #require(ann.get(ours[0]).pictures.first { $0.contains("/posts/") })
    #expect(kim.get(picture).status == 404)
    #expect(try instance.signedIn("ben").get("/settings/blocks").shows("Kim &amp; Lee"))
    #expect(!kim.get("/settings/blocks").names("Ann"))
  }

  @Test("Only the couple that made the block can remove it")
  func undone() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.couple("Kim & Lee", "kim", "lee")
    let (ann, kim) = (try instance.signedIn("ann"), try instance.signedIn("kim"))
    let (ours, theirs) = (try couple(of: ann), try couple(of: kim))
    #expect(ann.call(.post, "\(theirs)/block").status == 204)
    #expect(ann.call(.post, "\(theirs)/block").status == 204)
    #expect(ann.call(.get, "/blocks").list("blocks").count == 1)
    #expect(kim.call(.delete, "\(ours)/block").status == 204)
    #expect(kim.get(ours).status == 404)
    #expect(ann.post("/settings/blocks", ["couple_id": String(theirs.suffix(36))]).status == 303)
    #expect(kim.get(ours).status == 200)
    #expect(ann.call(.get, "/blocks").list("blocks").isEmpty)
  }

  @Test("The own couple can't be blocked; single members can block, and guests can't")
  func whose() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let ours = try couple(of: ann)
    #expect(ann.post("\(ours)/block").status == 422)
    #expect(try instance.guest("Gia").call(.post, "\(ours)/block").status == 403)
    let sam = try instance.members("sam")[0]
    #expect(sam.call(.post, "\(ours)/block").status == 204)
    #expect(sam.get(ours).status == 404)
    _ = try sam.write("Without Ann")
    #expect(!ann.get("/").shows("Without Ann"))
  }

  @Test("A block follows a member into a couple and out of it, whichever member made it")
  func pairing() throws {
    let instance = try TestInstance()
    try instance.couple("Kim & Lee", "kim", "lee")
    for name in ["ann", "ben", "sam"] { try instance.alone(name) }
    let (kim, sam) = (try instance.signedIn("kim"), try instance.signedIn("sam"))
    let theirs = try couple(of: kim)
    // Sam's couple followed before it was blocked; Ann made the block herself.
    sam.post("\(theirs)/follow")
    let sams = try couple(of: sam)
    #expect(try instance.signedIn("ann").call(.post, "\(sams)/block").status == 204)
    let (ann, _, page) = try instance.paired("ann", "ben")
    #expect(sam.get(page).status == 404 && ann.get(sams).status == 404)
    #expect(kim.call(.post, "\(page)/block").status == 204)
    let post = try kim.write("For others")
    #expect(ann.get(post).status == 404)
    #expect(ann.part().status == 303)
    instance.clock.advance(seconds: 31 * 86_400)
    try instance.work()
    let alone = try instance.signedIn("ann")
    #expect(alone.get(post).status == 404 && alone.get(sams).status == 404)
    #expect(try instance.signedIn("ben").get(post).status == 404)
    #expect(sam.get(post).status == 200)
  }
}
