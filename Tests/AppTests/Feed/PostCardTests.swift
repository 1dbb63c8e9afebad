import Core
import Database
import Foundation
import Testing

@testable import App

@Suite("Cards of posts that are kept ready")
struct PostCardTests {
  /// Statements that change what is seen of the only post, which is Ann's, as another process runs
  /// them.
  private static let changes: KeyValuePairs<String, [Query]> = [
    "text": ["UPDATE posts SET content = 'New', edited_at = 1"],
    "audience": ["UPDATE posts SET visibility = 'followers'"],
    "like": ["UPDATE posts SET like_count = like_count + 1"],
    "comment": ["UPDATE posts SET comment_count = comment_count + 1"],
    "own like": ["INSERT INTO likes SELECT p.id, u.id, 1 FROM posts p, users u"],
    "description of a picture": ["UPDATE post_images SET description = 'New'"],
    "order of pictures": ["UPDATE post_images SET position = 3 - position"],
    "removed picture": ["DELETE FROM post_images WHERE position = 2"],
    "deletion": ["UPDATE posts SET deleted_at = 1"],
    "hiding": ["UPDATE posts SET hidden_at = 1"],
    "name of the author": ["UPDATE users SET display_name = 'Zoe' WHERE display_name = 'Ann'"],
    "name of the partner": ["UPDATE users SET display_name = 'Zac' WHERE display_name = 'Ben'"],
    "picture of the partner": ["UPDATE users SET avatar = 'b.jpg' WHERE display_name = 'Ben'"],
    "name of the couple": ["UPDATE couples SET name = 'New' WHERE name = 'Ann & Ben'"],
    "picture of the couple": ["UPDATE couples SET avatar = 'c.jpg' WHERE name = 'Ann & Ben'"],
    "anniversary": ["UPDATE couples SET anniversary = 18000 WHERE name = 'Ann & Ben'"],
    "deletion of the partner": ["UPDATE users SET deleted_at = 1 WHERE display_name = 'Ben'"],
    "deletion of the author": ["UPDATE users SET deleted_at = 1 WHERE display_name = 'Ann'"],
    "name after parting": [
      "UPDATE users SET couple_id = NULL, couple_side = NULL WHERE display_name IN ('Ann', 'Ben')",
      "UPDATE users SET display_name = 'Zoe' WHERE display_name = 'Ann'",
    ],
    "block": [
      """
      INSERT INTO blocks (couple_id, blocked_id, created_at)
      SELECT p.couple_id, u.couple_id, 1 FROM posts p, users u WHERE u.display_name = 'Sam'
      """
    ],
    "removal of the couple": ["UPDATE couples SET hidden_at = 1 WHERE name = 'Ann & Ben'"],
    "promotion": ["INSERT INTO promotions SELECT id, 9000000000000 FROM posts"],
  ]

  /// A couple's post with a picture, and viewers of each kind.
  private struct Fixture {
    let instance: TestInstance
    let viewers: [TestClient]
    let pages: [String]

    init() throws {
      instance = try TestInstance()
      let couple = try #require(try instance.couple().first?.couple)
      try instance.alone("sam")
      let ann = try instance.signedIn("ann")
      ann.upload(
        "/posts", [("nonce", "1"), ("content", "Old")],
        files: [("images", SmallPicture.png), ("images", SmallPicture.png)])
      viewers = [
        try instance.signedIn("sam"), ann, try instance.signedIn("ben"),
        try instance.guest("Gia"),
      ]
      viewers[0].post("/couples/\(couple.id)/follow")
      pages = [
        "/", "/?scope=following", "/couples/\(couple.id)", "/search?q=Old",
        "/api/v1/posts", "/api/v1/posts?couple_id=\(couple.id)", "/api/v1/search?q=Old",
      ]
    }

    /// What each viewer sees of posts in this process.
    func seen(_ instance: Instance) -> [String] {
      viewers.flatMap { viewer in
        let browser = TestClient(instance.application)
        browser.take(cookiesOf: viewer)
        return pages.map { page in
          let answer = browser.get(page)
          guard answer.status == 200 else { return "\(answer.status)" }
          let text = answer.text
          if page.hasPrefix("/api") { return text }
          return text.components(separatedBy: "<article").dropFirst()
            .compactMap { $0.components(separatedBy: "</article>").first }.joined()
        }
      }
    }
  }

  @Test("A change is seen on the next page, as in a process that keeps nothing yet")
  func fresh() throws {
    for (name, change) in Self.changes {
      let fixture = try Fixture()
      let before = fixture.seen(fixture.instance.instance)
      #expect(fixture.seen(fixture.instance.instance) == before, "\(name)")
      for query in change { try fixture.instance.database.write { try $0.execute(query) } }
      let after = fixture.seen(fixture.instance.instance)
      #expect(after != before, "\(name)")
      #expect(after == fixture.seen(try fixture.instance.reopened()), "\(name)")
    }
  }

  @Test("A card that was kept ready for one viewer is never shown to another who may not see it")
  func viewers() throws {
    let instance = try TestInstance()
    let couple = try #require(try instance.couple().first?.couple)
    for name in ["sam", "fay"] { try instance.alone(name) }
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    let (sam, fay) = (try instance.signedIn("sam"), try instance.signedIn("fay"))
    fay.post("/couples/\(couple.id)/follow")
    let posts = ["public": "For all", "followers": "For followers", "couple": "For us"]
    for (visibility, text) in posts { try ann.write(text, visibility: visibility) }
    let viewers: [(TestClient, Set<String>)] = [
      (ann, Set(posts.values)), (ben, Set(posts.values)), (fay, ["For all", "For followers"]),
      (sam, ["For all"]), (try instance.guest("Gia"), ["For all"]),
    ]
    let pages = ["/", "/couples/\(couple.id)", "/search?q=For", "/api/v1/posts"]
    for page in pages {
      for (viewer, seen) in viewers + viewers.reversed() {
        let answer = viewer.get(page).text
        #expect(Set(posts.values.filter(answer.contains)) == seen, "\(page)")
      }
    }
  }

  @Test("A card says only to its author and those who may what they can do with it")
  func actions() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.alone("sam")
    let viewers = try ["ann", "ben", "sam"].map(instance.signedIn) + [try instance.guest("Gia")]
    let post = try viewers[0].write("Words")
    viewers[2].post("\(post)/like")
    func actions(_ viewer: TestClient) -> Set<String> {
      let page = viewer.get("/").text
      return Set(
        ["edit", "delete", "narrow", "promote", "report", "like", "unlike"].filter {
          page.contains("\(post)/\($0)\"")
        })
    }
    let expected: [Set<String>] = [
      ["edit", "delete", "promote", "like"], ["delete", "narrow", "promote", "like"],
      ["report", "unlike"], [],
    ]
    for _ in 1...2 {
      #expect(viewers.map(actions) == expected)
      #expect(Array(viewers.reversed()).map(actions) == expected.reversed())
    }
  }

  @Test("The menu of a post has promoting as its last entry")
  func promoteIsLast() throws {
    let instance = try TestInstance()
    try instance.couple()
    _ = try instance.signedIn("ann").write("Words")
    let entries = try instance.signedIn("ben").get("/").text
      .matches(of: /action="\/posts\/[^"]*\/(narrow)"|href="\/posts\/[^"]*\/(delete|promote)"/)
      .compactMap { ($0.output.1 ?? $0.output.2).map(String.init) }
    #expect(entries == ["narrow", "delete", "promote"])
  }

  @Test("The heart leads guests to becoming a member, and visitors nowhere")
  func guests() throws {
    let instance = try TestInstance()
    try instance.couple()
    let post = try instance.signedIn("ann").write("Words")
    let heart = "<a class=\"like\" href=\"/become-a-member?next=\(post)\""
    let guest = try instance.guest("Gia")
    for page in ["/", post] { #expect(guest.get(page).shows(heart)) }
    #expect(instance.browser().get(post).shows("<span class=\"like\">"))
    #expect(try !instance.signedIn("ben").get("/").shows("/become-a-member"))
  }

  @Test("The icons of cards are those of the sprite")
  func icons() throws {
    let sprite = try text("public/icons/sprite.svg")
    let icons = try text("templates/partials/post-icons.mustache")
    let names = icons.matches(of: /<symbol id="icon-([a-z-]+)"/).map { String($0.output.1) }
    #expect(names.count == 12)
    for symbol in icons.matches(of: /<symbol id="icon-.*?<\/symbol>/) {
      #expect(sprite.contains(symbol.output.replacing("id=\"icon-", with: "id=\"")))
    }
    let card = try text("templates/partials/post.mustache")
    let used = Set(card.matches(of: /#icon-([a-z-]+)"/).map { String($0.output.1) })
    #expect(used == Set(names))
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOf: TestInstance.checkout.appending(path: path), encoding: .utf8)
  }
}
