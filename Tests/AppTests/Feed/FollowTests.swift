import Core
import Foundation
import HTTPTypes
import Testing
import Web

@testable import App

@Suite("Following")
struct FollowTests {
  /// Path of the couple of a user.
  private func couple(of browser: TestClient) throws -> String {
    let id = try #require(browser.call(.get, "/account").json["couple_id"] as? String)
    return "/couples/\(id)"
  }

  private func followers(_ page: String, _ browser: TestClient) -> Int? {
    browser.call(.get, page).json["follower_count"] as? Int
  }

  @Test("Twice is once, on pages and by the API; the count, the list and the button say so")
  func wholeWay() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.couple("Kim & Lee", "kim", "lee")
    let (ann, kim) = (try instance.signedIn("ann"), try instance.signedIn("kim"))
    let theirs = try couple(of: kim)
    #expect(ann.get(theirs).shows("\(theirs)/follow\""))
    for _ in 1...2 { #expect(ann.post("\(theirs)/follow").location == theirs) }
    #expect(ann.call(.post, "\(theirs)/follow").status == 204)
    #expect(try instance.count("SELECT count(*) FROM follows") == 1)
    #expect(followers(theirs, kim) == 1)
    let page = ann.get(theirs)
    #expect(page.shows("\(theirs)/unfollow\"") && page.shows("<b>1</b> follower<"))
    // The partner shares the follows and can end one for both.
    let ben = try instance.signedIn("ben")
    #expect(ben.get(theirs).shows("\(theirs)/unfollow\""))
    #expect(kim.get("\(theirs)/followers").shows("Ann &amp; Ben"))
    let listed = kim.call(.get, "\(theirs)/followers").list("followers")
    #expect(listed.map { $0["couple_name"] as? String } == ["Ann & Ben"])
    for _ in 1...2 { #expect(ben.call(.delete, "\(theirs)/follow").status == 204) }
    #expect(followers(theirs, kim) == 0 && kim.get("\(theirs)/followers").shows("No followers yet"))
  }

  @Test("A single member becomes a couple of one; guests, the own and unknown couples are refused")
  func whose() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let ours = try couple(of: ann)
    let sam = try instance.members("sam")[0]
    #expect(sam.post("\(ours)/follow").status == 303)
    #expect(try instance.couples() == ["Ann & Ben": "active", "Sam": "single"])
    #expect(ann.get("\(ours)/followers").shows("<b>Sam</b>"))
    #expect(ann.post("\(ours)/follow").status == 422)
    #expect(ann.call(.post, "\(ours)/follow").status == 422)
    let guest = try instance.guest("Gia")
    #expect(guest.call(.post, "\(ours)/follow").status == 403)
    #expect(guest.get(ours).shows("href=\"/become-a-member?next=\(ours)\">Follow<"))
    #expect(!instance.browser().get(ours).shows("/become-a-member"))
    #expect(ann.post("/couples/\(ID<Couple>.random())/follow").status == 404)
    #expect(ann.call(.delete, "/couples/\(ID<Couple>.random())/follow").status == 204)
    let visitor = instance.browser()
    visitor.get(ours)
    #expect(visitor.post("\(ours)/follow").location?.hasPrefix("/sign-in") == true)
    #expect(try instance.problems() == [])
  }

  @Test("Blocking ends it both ways, and following across a block is 404")
  func blocked() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.couple("Kim & Lee", "kim", "lee")
    let (ann, kim) = (try instance.signedIn("ann"), try instance.signedIn("kim"))
    let (ours, theirs) = (try couple(of: ann), try couple(of: kim))
    ann.post("\(theirs)/follow")
    kim.post("\(ours)/follow")
    #expect(try instance.count("SELECT count(*) FROM follows") == 2)
    #expect(kim.call(.post, "\(ours)/block").status == 204)
    #expect(try instance.count("SELECT count(*) FROM follows") == 0)
    for (browser, page) in [(ann, theirs), (kim, ours)] {
      #expect(browser.post("\(page)/follow").status == 404)
      #expect(browser.call(.post, "\(page)/follow").status == 404)
      #expect(browser.get("\(page)/followers").status == 404)
    }
    // Unblocking alone restores no follow.
    kim.call(.delete, "\(ours)/block")
    #expect(followers(ours, kim) == 0)
    #expect(ann.post("\(theirs)/follow").status == 303)
  }

  @Test("A third couple's list leaves out couples that a block separates from the viewer")
  func blockedInLists() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.couple("Kim & Lee", "kim", "lee")
    let (ann, kim) = (try instance.signedIn("ann"), try instance.signedIn("kim"))
    let (ours, theirs) = (try couple(of: ann), try couple(of: kim))
    let sam = try instance.members("sam")[0]
    sam.post("\(ours)/follow")
    kim.post("\(ours)/follow")
    sam.call(.post, "\(theirs)/block")
    #expect(!sam.get("\(ours)/followers").shows("Kim &amp; Lee"))
    #expect(ann.get("\(ours)/followers").shows("Kim &amp; Lee"))
  }

  @Test("Following shows posts of followed couples to all and to followers, nothing else")
  func tab() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.couple("Kim & Lee", "kim", "lee")
    let (ann, kim) = (try instance.signedIn("ann"), try instance.signedIn("kim"))
    let theirs = try couple(of: kim)
    let tab = "/?scope=following"
    #expect(ann.get(tab).shows("You’re not following anyone yet"))
    ann.post("\(theirs)/follow")
    #expect(ann.get(tab).shows("All quiet"))
    let posts = try ["public", "followers", "couple"].map { visibility in
      instance.clock.advance(seconds: 1)
      return try kim.write("Kim \(visibility)", visibility: visibility)
    }
    try ann.write("Ours")
    let sam = try instance.members("sam")[0]
    try sam.write("Sam’s")
    for path in [tab, "/"] {
      let page = ann.get(path)
      #expect(page.shows("Kim public") && page.shows("Kim followers"), "\(path)")
      #expect(!page.shows("Kim couple"), "\(path)")
      #expect(page.shows("Ours") == (path == "/") && page.shows("Sam’s") == (path == "/"))
      let other = sam.get(path)
      #expect(!other.shows("Kim followers") && other.shows("Kim public") == (path == "/"))
    }
    let called = ann.call(.get, "/posts?scope=following").list("posts")
    #expect(called.map { $0["content"] as? String } == ["Kim followers", "Kim public"])
    #expect(ann.call(.post, "\(posts[1])/like").status == 200)
    #expect(sam.call(.post, "\(posts[1])/like").status == 404)
    #expect(sam.report(posts[1]).status == 404)
    #expect(ann.get(posts[1]).shows("aria-label=\"Followers\""))
    ann.call(.delete, "\(theirs)/follow")
    #expect(ann.get(posts[1]).status == 404 && !ann.get("/").shows("Kim followers"))
  }

  @Test("Each old post comes once, page by page, from several couples, while new ones pour in")
  func paging() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let writers = try ["kim", "lou", "max"].map { name -> TestClient in
      let writer = try instance.members(name)[0]
      try writer.write("First")
      ann.post("\(try couple(of: writer))/follow")
      return writer
    }
    try instance.database.write { try $0.execute("DELETE FROM posts") }
    for number in 0..<60 {
      if number % 4 == 0 { instance.clock.advance(seconds: 1) }
      try writers[number % 3].write(
        "W\(number).", visibility: number % 2 == 0 ? "followers" : "public")
    }
    for query in ["", "?scope=following"] {
      var (found, next): ([String], String?) = ([], "/\(query)")
      while let target = next {
        let page = ann.get(target)
        found += page.text.matches(of: /W\d+\./).map { String($0.output) }
        next = page.text.firstMatch(of: /data-older><a[^>]* href="([^"]+)"/)
          .map { String($0.output.1).replacing("&amp;", with: "&") }
        instance.clock.advance(seconds: 1)
        try writers[0].write("New")
      }
      #expect(found.count == 60 && Set(found).count == 60, "\(query): \(found.count)")
    }
  }

  @Test("Pages mix public posts, one’s own and those for followers, newest first")
  func mixed() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let (kim, sam) = (try instance.members("kim")[0], try instance.members("sam")[0])
    try kim.write("First")
    ann.post("\(try couple(of: kim))/follow")
    try instance.database.write { try $0.execute("DELETE FROM posts") }
    let kinds = [
      (sam, "public"), (sam, "public"), (ann, "couple"), (sam, "public"), (kim, "followers"),
    ]
    for number in 0..<40 {
      instance.clock.advance(seconds: 1)
      let (writer, visibility) = kinds[number % kinds.count]
      try writer.apiPost("W\(number)", visibility: visibility)
    }
    var (found, cursor): ([String], String?) = ([], "")
    while let place = cursor {
      let page = ann.call(.get, "/posts?limit=3\(place)")
      found += page.list("posts").compactMap { $0["content"] as? String }
      cursor = (page.json["next_cursor"] as? String).map { "&cursor=\($0)" }
    }
    #expect(found == (0..<40).reversed().map { "W\($0)" })
  }

  @Test("Narrowed to followers, a post's pictures get new addresses; widened again they keep them")
  func narrowing() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let sam = try instance.members("sam")[0]
    sam.post("\(try couple(of: ann))/follow")
    let post = try ann.writeWithPicture("Words")
    let open = try #require(ann.get(post).pictures.first)
    ann.post("\(post)/edit", ["content": "Words", "visibility": "followers"])
    let narrow = try #require(ann.get(post).pictures.first)
    #expect(narrow != open && instance.browser().get(open).status == 404)
    #expect(sam.get(narrow).headers[.cacheControl] == "private, no-store")
    #expect(instance.browser().get(narrow).status == 404)
    ann.post("\(post)/edit", ["content": "Words", "visibility": "public"])
    #expect(try #require(ann.get(post).pictures.first) == narrow)
    #expect(instance.browser().get(narrow).status == 200)
  }

  // MARK: Pairing and parting

  @Test("A single member's follows move into the new couple, and rest in the old one")
  func pairing() throws {
    let instance = try TestInstance()
    try instance.couple("Kim & Lee", "kim", "lee")
    for name in ["ann", "ben"] { try instance.alone(name) }
    let kim = try instance.signedIn("kim")
    let theirs = try couple(of: kim)
    try instance.signedIn("ann").post("\(theirs)/follow")
    #expect(followers(theirs, kim) == 1)
    let (ann, ben, page) = try instance.paired("ann", "ben")
    #expect(followers(theirs, kim) == 1)
    #expect(kim.get("\(theirs)/followers").shows("Ann &amp; Ben"))
    try kim.write("For followers", visibility: "followers")
    for browser in [ann, ben] { #expect(browser.get("/").shows("For followers")) }
    // The follows of a separated couple are not in force: its members see only public posts.
    #expect(ann.part().status == 303)
    #expect(followers(theirs, kim) == 0 && !ben.get("/").shows("For followers"))
    instance.clock.advance(seconds: 31 * 86_400)
    try instance.work()
    let alone = try instance.signedIn("ann")
    #expect(alone.get(page).status == 200)
    #expect(alone.get("/").shows("For followers"))
    #expect(followers(theirs, try instance.signedIn("kim")) == 1)
    #expect(try instance.problems() == [])
  }

  @Test("A deleted member follows no one; the export names the followed couples")
  func accountDeletion() throws {
    let instance = try TestInstance()
    try instance.couple("Kim & Lee", "kim", "lee")
    let kim = try instance.signedIn("kim")
    let theirs = try couple(of: kim)
    let sam = try instance.alone("sam")
    try instance.signedIn("sam").post("\(theirs)/follow")
    let files = try instance.database.read { reader in
      try instance.instance.participants.flatMap { try $0.export(sam.id, from: reader) }
    }
    let file = try #require(files.first { $0.name == "follows.json" })
    #expect(String(decoding: file.json, as: UTF8.self).contains("Kim & Lee"))
    let now = instance.clock.now()
    try instance.database.write {
      try $0.execute("UPDATE users SET deleted_at = \(now) WHERE id = \(sam.id)")
    }
    #expect(followers(theirs, kim) == 0 && !kim.get("\(theirs)/followers").names("Sam"))
    try instance.purge(sam.id)
    #expect(try instance.count("SELECT count(*) FROM follows") == 0)
  }

  @Test("So many an hour, and no more")
  func limited() throws {
    let instance = try TestInstance(limits: true)
    try instance.couple()
    let sam = try instance.members("sam")[0]
    let ours = try couple(of: try instance.signedIn("ann"))
    for _ in 1...120 { #expect(sam.call(.post, "\(ours)/follow").status == 204) }
    #expect(sam.call(.post, "\(ours)/follow").status == 429)
    #expect(sam.call(.delete, "\(ours)/follow").status == 204)
  }

  @Test("Of many at once each counts once")
  func concurrent() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ours = try couple(of: try instance.signedIn("ann"))
    let people = try instance.members("p1", "p2", "p3", "p4")
    let taps = people.flatMap { person in
      (1...4).map { _ in
        let tap = person.copy()
        tap.get(ours)
        return ParallelClient(tap)
      }
    }
    DispatchQueue.concurrentPerform(iterations: taps.count) { taps[$0].post("\(ours)/follow") }
    #expect(taps.allSatisfy { $0.status == 303 })
    #expect(try instance.count("SELECT count(*) FROM follows") == 4)
    #expect(try instance.count("SELECT count(*) FROM couples") == 5)
  }
}
