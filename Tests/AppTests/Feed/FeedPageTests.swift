import Foundation
import HTTPTypes
import Testing

@testable import App

@Suite("Pages of the feed")
struct FeedPageTests {
  @Test("Posts of the same moment are on one page each, whatever their kind")
  func ties() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let (kim, sam) = (try instance.members("kim")[0], try instance.members("sam")[0])
    try kim.write("First")
    ann.post("/couples/\(try kim.coupleID())/follow")
    try instance.database.write { try $0.execute("DELETE FROM posts") }
    var written: [String] = []
    for (writer, visibility) in [
      (sam, "public"), (ann, "couple"), (kim, "followers"), (ann, "public"),
    ] {
      for _ in 0..<3 {
        written.append(String(try writer.apiPost("Now", visibility: visibility).suffix(36)))
      }
    }
    var (found, cursor): ([String], String?) = ([], "")
    while let place = cursor {
      let page = ann.call(.get, "/posts?limit=5\(place)")
      found += page.list("posts").compactMap { $0["id"] as? String }
      cursor = (page.json["next_cursor"] as? String).map { "&cursor=\($0)" }
    }
    #expect(found == written.sorted(by: >))
  }

  @Test("Both see the two in the order of their couple, on the circle and beside the feed")
  func order() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.signedIn("ann").share("Snow")
    for name in ["ann", "ben"] {
      let page = try instance.signedIn(name).get("/").text
      for place in [/moment-circle"[\s\S]*?<\/a>/, /home-together[\s\S]*?<\/section>/] {
        let part = try #require(page.firstMatch(of: place)).output
        let initials = part.matches(of: /aria-hidden="true">(\w)</).map { String($0.output.1) }
        #expect(initials == ["A", "B"], "\(name)")
      }
    }
  }
}
