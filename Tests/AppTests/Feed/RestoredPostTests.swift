import Core
import Testing

@testable import App

@Suite("Deleted posts can be restored for 30 days, by either of their couple")
struct RestoredPostTests {
  private static let day: Int64 = 86_400

  @Test("A restored post is where it was, with its picture and likes, and is found again")
  func restored() throws {
    let instance = try TestInstance()
    try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    let post = try ann.writeWithPicture("Our lighthouse")
    ben.post("\(post)/like")
    #expect(ann.get("/posts/deleted").shows("No deleted posts"))
    ann.post("\(post)/delete")
    #expect(ann.get(post).status == 404)
    #expect(!ann.get("/search?q=lighthouse").shows("Our lighthouse"))
    let bin = ann.get("/posts/deleted")
    #expect(bin.shows("Our lighthouse") && bin.shows("1 picture") && bin.shows("30 days left"))
    #expect(ann.post("\(post)/restore").location == post)
    let page = ann.get(post)
    #expect(page.shows("Our lighthouse") && page.pictures.contains { $0.contains("/posts/") })
    #expect(ann.call(.get, post).json["like_count"] as? Int == 1)
    #expect(ann.get("/").shows("Our lighthouse"))
    #expect(ann.get("/search?q=lighthouse").shows("Our lighthouse"))
    #expect(ann.get("/posts/deleted").shows("No deleted posts"))
  }

  @Test("Only the couple sees and restores it")
  func others() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let post = try ann.write("Our words")
    ann.post("\(post)/delete")
    try instance.alone("sam")
    let (ben, sam) = (try instance.signedIn("ben"), try instance.signedIn("sam"))
    #expect(!sam.get("/posts/deleted").shows("Our words"))
    #expect(sam.post("\(post)/restore").status == 404)
    #expect(ann.get(post).status == 404)
    #expect(ben.get("/posts/deleted").shows("Our words"))
    #expect(ben.post("\(post)/restore").location == post)
    #expect(ann.get(post).status == 200)
  }

  @Test("After 30 days it is gone, removed by the daily job or not")
  func kept() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let post = try ann.write("Our words")
    ann.post("\(post)/delete")
    instance.clock.advance(seconds: 29 * Self.day)
    #expect(ann.get("/posts/deleted").shows("1 day left"))
    instance.clock.advance(seconds: Self.day)
    #expect(!ann.get("/posts/deleted").shows("Our words"))
    #expect(ann.post("\(post)/restore").status == 404)
    #expect(ann.post("\(try ann.write("Shown"))/restore").status == 404)
  }

  @Test("Not restored: what moderators removed, and what was written in an earlier couple")
  func refused() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let (removed, earlier) = (try ann.write("Against the rules"), try ann.write("Earlier"))
    for post in [removed, earlier] { ann.post("\(post)/delete") }
    try instance.database.write {
      try $0.execute("UPDATE posts SET removed_at = deleted_at WHERE content = 'Against the rules'")
    }
    #expect(!ann.get("/posts/deleted").shows("Against the rules"))
    #expect(ann.post("\(removed)/restore").status == 404)
    try instance.database.write { try $0.execute("UPDATE couples SET status = 'frozen'") }
    #expect(ann.post("\(earlier)/restore").status == 403)
    try instance.database.write {
      try $0.execute("UPDATE users SET couple_id = NULL, couple_side = NULL")
    }
    #expect(!ann.get("/posts/deleted").shows("Earlier"))
    #expect(ann.post("\(earlier)/restore").status == 404)
  }

  @Test("A post that moderators hid stays hidden from others")
  func hidden() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.alone("sam")
    let (ann, sam) = (try instance.signedIn("ann"), try instance.signedIn("sam"))
    let post = try ann.write("Our words")
    ann.post("\(post)/delete")
    try instance.database.write { try $0.execute("UPDATE posts SET hidden_at = deleted_at") }
    #expect(ann.post("\(post)/restore").status == 303)
    #expect(ann.get(post).status == 200 && sam.get(post).status == 404)
    #expect(!sam.get("/").shows("Our words"))
  }

  @Test("The message after deleting leads to the list, the one after posting to the post")
  func messages() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let post = try ann.write("Our words")
    #expect(ann.get("/").shows(#"<span>Posted</span><a href="\#(post)">View</a>"#))
    #expect(ann.post("\(post)/delete").toastLink == "/posts/deleted")
    #expect(ann.get("/").shows(#"<a href="/posts/deleted">Deleted posts</a>"#))
  }

  @Test(
    "A cookie with another message or link shows no link",
    arguments: [
      "toast.posted~toast.posted_link~//evil.example", "toast.posted~toast.posted_link~https://x",
      "toast.posted~form.save~/posts", "toast.posted~toast.posted_link~/a\"b",
      "toast.posted~/posts",
    ])
  func forged(value: String) throws {
    let instance = try TestInstance()
    let page = instance.browser().get(
      "/", headers: [.cookie: "toast_\(TestInstance.port)=\(value)"])
    #expect(page.shows("<span>Posted</span></div>"))
  }
}
