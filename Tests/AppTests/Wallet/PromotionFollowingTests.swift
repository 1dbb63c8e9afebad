import Core
import Foundation
import Testing

@testable import App

/// Promotion has no effect in "Following" (docs/developer/wallet.md#feed).
@Suite("Promoted posts in the tab Following")
struct PromotionFollowingTests {
  private let instance: TestInstance
  private let ann: TestClient
  private let kim: TestClient
  private let sam: TestClient
  /// Newest first: Kim's, Ann's promoted one, and two more of Kim's.
  private let posts: [String]

  private var promoted: String { posts[1] }

  init() throws {
    instance = try TestInstance()
    let people = try instance.couple()
    try instance.couple("Kim & Lee", "kim", "lee")
    try instance.alone("sam")
    (ann, kim, sam) = (
      try instance.signedIn("ann"), try instance.signedIn("kim"), try instance.signedIn("sam")
    )
    try instance.grant(100, to: people[0].id)
    var made: [String] = []
    for (browser, words) in [
      (kim, "First"), (kim, "Second"), (ann, "Ours, promoted"), (kim, "Last"),
    ] {
      instance.clock.advance(seconds: 1)
      made.append(String(try browser.write(words).suffix(36)))
    }
    posts = made.reversed()
    try #require(ann.promote("/posts/\(posts[1])").status == 200)
  }

  /// Follows the couple of a user.
  private func follow(_ browser: TestClient) throws {
    let id = try #require(browser.call(.get, "/account").json["couple_id"] as? String)
    #expect(sam.post("/couples/\(id)/follow").status == 303)
  }

  private func listed(_ path: String) -> [String] {
    sam.call(.get, path).list("posts").compactMap { $0["id"] as? String }
  }

  @Test("Followers of other couples see none of it there, on the page and in the API")
  func others() throws {
    try follow(kim)
    // In "Everyone" it comes first.
    #expect(sam.get("/").promoted == [promoted])
    #expect(listed("/posts").first == promoted)
    let plain = posts.filter { $0 != promoted }
    let page = sam.get("/?scope=following")
    #expect(page.posts == plain)
    #expect(page.promoted == [] && !page.shows("Ours, promoted"))
    #expect(listed("/posts?scope=following") == plain)
    let some = sam.call(.get, "/posts?scope=following").list("posts")
    #expect(some.allSatisfy { $0["is_promoted"] as? Bool == false })
  }

  @Test("Followers of its couple see it in its normal place, without a label")
  func own() throws {
    try follow(kim)
    try follow(ann)
    #expect(sam.get("/").promoted == [promoted])
    let page = sam.get("/?scope=following")
    #expect(page.posts == posts)
    #expect(page.promoted == [])
    #expect(listed("/posts?scope=following") == posts)
    for limit in 1...4 {
      #expect(listed("/posts?scope=following&limit=\(limit)") == Array(posts.prefix(limit)))
    }
  }
}
