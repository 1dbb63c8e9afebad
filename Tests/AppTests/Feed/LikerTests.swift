import Core
import Testing

@testable import App

@Suite("Who likes a post")
struct LikerTests {
  @Test("All who see the post see who likes it, with their couples")
  func seen() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.alone("sam")
    let (ann, sam) = (try instance.signedIn("ann"), try instance.signedIn("sam"))
    let post = try ann.write("Words")
    #expect(!ann.get(post).shows("\(post)/likes"))
    #expect(ann.get("\(post)/likes").shows("No likes to show"))
    try instance.signedIn("ben").post("\(post)/like")
    sam.post("\(post)/like")
    #expect(ann.get(post).shows("\(post)/likes"))
    for browser in [ann, sam] {
      let page = browser.get("\(post)/likes")
      #expect(page.shows("<b>Ben</b><span>Ann &amp; Ben</span>") && page.shows("<b>Sam</b>"))
    }
    #expect(instance.browser().get("\(post)/likes").location?.hasPrefix("/sign-in") == true)
  }

  @Test("Those whom the viewer has blocked, and the deleted, are left out")
  func leftOut() throws {
    let instance = try TestInstance()
    let couple = try #require(try instance.couple().first?.couple)
    try instance.couple("Kim & Lee", "kim", "lee")
    let (ann, kim) = (try instance.signedIn("ann"), try instance.signedIn("kim"))
    try instance.alone("sam")
    let post = try kim.write("Theirs")
    for name in ["ann", "sam"] { try instance.signedIn(name).post("\(post)/like") }
    try instance.database.write {
      try $0.execute(
        "UPDATE users SET deleted_at = \(instance.clock.now()) WHERE display_name = 'Sam'")
    }
    #expect(ann.get("\(post)/likes").shows("<b>Ann</b>"))
    #expect(!ann.get("\(post)/likes").shows("<b>Sam</b>"))
    kim.post("/couples/\(couple.id)/block")
    #expect(!kim.get("\(post)/likes").shows("<b>Ann</b>"))
  }

  @Test("A long list has pages, without repeats")
  func pages() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let post = try ann.write("Words")
    for number in 1...23 { try instance.alone("p\(number)") }
    try instance.database.write {
      try $0.execute(
        """
        INSERT INTO likes (post_id, user_id, created_at)
        SELECT p.id, u.id, 1 FROM posts p, users u WHERE u.display_name LIKE 'P%'
        """)
    }
    let first = ann.get("\(post)/likes")
    let next = try #require(first.text.firstMatch(of: /href="([^"]+)" rel="next"/)?.output.1)
    let second = ann.get(String(next))
    let names = [first, second].flatMap { page in
      page.text.matches(of: /<b>(P\d+)<\/b>/).map { String($0.output.1) }
    }
    #expect(names.count == 23 && Set(names).count == 23)
    #expect(!second.shows("rel=\"next\""))
    #expect(ann.get("\(post)/likes?after=x").status == 200)
  }
}
