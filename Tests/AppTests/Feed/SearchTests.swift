import Core
import Foundation
import Testing
import Web

@testable import App
@testable import Feed

@Suite("Searching")
struct SearchTests {
  private func found(_ query: String, _ browser: TestClient) -> [String] {
    var address = URLComponents()
    address.queryItems = [URLQueryItem(name: "q", value: query)]
    return browser.call(.get, "/search?\(address.percentEncodedQuery ?? "")").list("posts")
      .compactMap { $0["content"] as? String }
  }

  private func couples(_ query: String, _ browser: TestClient) -> [String] {
    browser.call(.get, "/search?q=\(TestClient.encoded(query))").list("couples")
      .compactMap { $0["couple_name"] as? String }
  }

  private func couple(of browser: TestClient) throws -> String {
    let id = try #require(browser.call(.get, "/account").json["couple_id"] as? String)
    return "/couples/\(id)"
  }

  @Test("Two characters of Chinese, accented Latin and parts of words are found, newest first")
  func words() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    for words in ["今天喝咖啡", "Un café crème", "我们去爬山", "CAFE au lait", "下雨"] {
      instance.clock.advance(seconds: 2)
      try ann.write(words)
    }
    #expect(found("咖啡", ann) == ["今天喝咖啡"])
    #expect(found("爬山", ann) == ["我们去爬山"])
    #expect(found("café", ann) == ["CAFE au lait", "Un café crème"])
    #expect(found("CRÈME Cafe", ann) == ["Un café crème"])
    #expect(found("afe", ann) == ["CAFE au lait", "Un café crème"])
    #expect(found("雨", ann) == ["下雨"])
    #expect(found("山咖", ann) == [] && found("cafe 咖啡", ann) == [])
    #expect(ann.get("/search?q=%E5%92%96%E5%95%A1").shows("今天喝咖啡"))
    #expect(ann.get("/search?q=zzz").shows("No results"))
    #expect(ann.get("/search?q=z").shows("at least two characters"))
    #expect(ann.call(.get, "/search?q=z").fieldErrors["q"] != nil)
    #expect(ann.call(.get, "/search").status == 422)
  }

  @Test("What looks like the index's own language is words")
  func hostile() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let queries = [
      "\"", "ab\" OR \"cd", "words : ab", "ab NOT cd", "NEAR(ab cd)", "^ab", "ab*", "a'b--",
      "%00ab", "{words}: ab", "\u{0}ab", "post_words MATCH 'ab'",
    ]
    for query in queries {
      let search = "/search?q=\(TestClient.encoded(query))"
      #expect(ann.get(search).status == 200, "\(query)")
      #expect([200, 422].contains(ann.call(.get, search).status), "\(query)")
    }
  }

  @Test("Nobody finds what they may not see")
  func whoFinds() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.couple("Kim & Lee", "kim", "lee")
    let (ann, kim) = (try instance.signedIn("ann"), try instance.signedIn("kim"))
    let (ben, gia) = (try instance.signedIn("ben"), try instance.guest("Gia"))
    for visibility in ["public", "followers", "couple"] {
      instance.clock.advance(seconds: 1)
      try ann.write("lantern \(visibility)", visibility: visibility)
    }
    let all = ["lantern couple", "lantern followers", "lantern public"]
    #expect(found("lantern", ann) == all && found("lantern", ben) == all)
    #expect(found("lantern", kim) == ["lantern public"])
    #expect(found("lantern", gia) == ["lantern public"])
    let ours = try couple(of: ann)
    kim.post("\(ours)/follow")
    #expect(found("lantern", kim) == ["lantern followers", "lantern public"])
    ann.call(.post, "\(try couple(of: kim))/block")
    #expect(found("lantern", kim) == [] && couples("ann", kim) == [])
    #expect(instance.browser().call(.get, "/search?q=lantern").status == 401)
  }

  @Test("Edited, deleted, hidden and restored, a post is found by its current text")
  func changes() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let sam = try instance.members("sam")[0]
    let post = try ann.write("lantern")
    ann.post("\(post)/edit", ["content": "paper boat", "visibility": "public"])
    #expect(found("lantern", ann) == [] && found("paper", sam) == ["paper boat"])
    try instance.database.write { try $0.execute("UPDATE posts SET hidden_at = 1") }
    #expect(found("paper", sam) == [] && found("paper", ann) == ["paper boat"])
    try instance.database.write { try $0.execute("UPDATE posts SET hidden_at = NULL") }
    ann.post("\(post)/edit", ["content": "paper boat", "visibility": "couple"])
    #expect(found("paper", sam) == [])
    ann.post("\(post)/delete")
    #expect(found("paper", ann) == [])
    #expect(try instance.count("SELECT count(*) FROM search_posts") == 0)
    #expect(try instance.count("SELECT count(*) FROM post_words") == 0)
  }

  @Test("Who is gone for good leaves nothing in the index")
  func purged() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    try instance.signedIn("sam").write("lantern")
    #expect(try instance.count("SELECT count(*) FROM post_words") == 1)
    try instance.purge(sam.id)
    #expect(try instance.count("SELECT count(*) FROM post_words") == 0)
    // Couples go behind everything else.
    instance.clock.advance(seconds: 61)
    try instance.work()
    for table in ["search_posts", "post_words", "search_couples", "couple_words"] {
      #expect(try instance.count("SELECT count(*) FROM \(name: table)") == 0, "\(table)")
    }
  }

  @Test(
    "Once a week the index is merged, and deleted text is gone",
    .onSQLite("these are FTS5's tables"))
  func tidied() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    for number in 0..<20 { try ann.write("zirkonia \(number)") }
    let secret = try ann.write("鬯鬱")
    func holdsSecret() throws -> Bool {
      try instance.database.read { reader in
        try reader.values("SELECT hex(block) FROM post_words_data", as: String.self)
          .contains { $0.contains("E9ACAFE9ACB1") }
      }
    }
    #expect(try holdsSecret())
    ann.post("\(secret)/delete")
    instance.clock.advance(seconds: 8 * 86_400)
    try instance.work()
    #expect(try !holdsSecret())
    #expect(found("zirkonia", try instance.signedIn("ann")).count == 20)
  }

  @Test("Couples are found by their names, renamed ones by the new one at once")
  func names() throws {
    let instance = try TestInstance()
    try instance.couple("Zoë & 美玲", "zoe", "mei")
    let (zoe, sam) = (try instance.signedIn("zoe"), try instance.members("sam")[0])
    #expect(couples("zoe", sam) == ["Zoë & 美玲"] && couples("美玲", sam) == ["Zoë & 美玲"])
    let page = sam.get("/search?q=zoe")
    #expect(page.shows("Zoë &amp; 美玲") && page.shows("found-couples"))
    let ours = try couple(of: zoe)
    #expect(zoe.call(.patch, ours, #"{"couple_name":"Two owls"}"#).status == 200)
    #expect(couples("美玲", sam) == [] && couples("owls", sam) == ["Two owls"])
    try instance.database.write { try $0.execute("UPDATE couples SET status = 'frozen'") }
    #expect(couples("owls", sam) == [] && couples("owls", zoe) == ["Two owls"])
  }

  @Test("Couples are found by the names of their people, as they are now")
  func people() throws {
    let instance = try TestInstance()
    try instance.couple("Two owls", "ann", "ben")
    let (ann, sam) = (try instance.signedIn("ann"), try instance.members("sam")[0])
    #expect(couples("ann", sam) == ["Two owls"] && couples("be", sam) == ["Two owls"])
    #expect(couples("owls ben", sam) == ["Two owls"] && couples("ann sam", sam) == [])
    ann.post("/settings/profile", ["display_name": "小安"])
    #expect(couples("ann", sam) == [] && couples("小安", sam) == ["Two owls"])
    #expect(sam.get("/search?q=ben").shows("found-couples"))
    // A member who deletes the account is found no more.
    ann.post("/settings/delete", ["current_password": TestInstance.password])
    #expect(couples("小安", sam) == [] && couples("ben", sam) == ["Two owls"])
    #expect(try instance.problems() == [])
  }

  @Test("Couples that were indexed by their names alone get those of their people by the worker")
  func olderCouples() throws {
    let instance = try TestInstance()
    try instance.couple("Two owls", "ann", "ben")
    let sam = try instance.members("sam")[0]
    #expect(couples("ben", sam) == ["Two owls"])
    // As a process of an earlier version leaves it.
    try instance.database.write { writer in
      let couple = try #require(
        try writer.value(
          "SELECT id FROM couples WHERE name = 'Two owls'", as: ID<Couple>.self))
      try writer.execute("DELETE FROM search_couples WHERE couple_id = \(couple)")
      try SearchIndex().sweep(in: writer)
      let place = try #require(
        try writer.value(
          "INSERT INTO search_couples (couple_id) VALUES (\(couple)) RETURNING place",
          as: Int64.self))
      let words = SearchText.indexed("Two owls")
      try writer.execute("INSERT INTO couple_words (rowid, words) VALUES (\(place), \(words))")
    }
    #expect(couples("ben", sam) == [] && couples("owls", sam) == ["Two owls"])
    #expect(try instance.problems() == [])
    instance.clock.advance(seconds: 61)
    try instance.work()
    #expect(couples("ben", sam) == ["Two owls"])
    #expect(try instance.problems() == [])
  }

  @Test("Page by page each post comes once, many of them made in the same second")
  func paging() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    for number in 0..<45 {
      if number % 15 == 0 { instance.clock.advance(seconds: 1) }
      try ann.write("lantern W\(number).")
    }
    var (seen, next): ([String], String?) = ([], "/search?q=lantern")
    while let target = next {
      let page = ann.get(target)
      seen += page.text.matches(of: /W\d+\./).map { String($0.output) }
      next = page.text.firstMatch(of: /data-older><a[^>]* href="([^"]+)"/)
        .map { String($0.output.1).replacing("&amp;", with: "&") }
      instance.clock.advance(seconds: 1)
      try ann.write("lantern new")
    }
    #expect(seen.count == 45 && Set(seen).count == 45)
    var (called, cursor): ([String], String?) = ([], nil)
    repeat {
      let page = ann.call(
        .get, "/search?q=lantern&limit=10\(cursor.map { "&cursor=\($0)" } ?? "")")
      called += page.list("posts").compactMap { $0["content"] as? String }
      cursor = page.json["next_cursor"] as? String
    } while cursor != nil
    #expect(called.filter { $0.contains("W") }.count == 45 && called.count == 48)
  }

  @Test("Posts from before the index are put into it piece by piece, and once")
  func older() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    for number in 0..<7 { try ann.write("lantern \(number)") }
    try instance.database.write { writer in
      try writer.execute("DELETE FROM search_posts")
      try writer.execute("DELETE FROM search_progress")
      try writer.execute(
        "INSERT INTO search_progress (\"only\", post_id) VALUES (1, \([UInt8]()))")
    }
    try ann.write("lantern new")
    #expect(found("lantern", ann) == ["lantern new"])
    instance.clock.advance(seconds: 61)
    try instance.work()
    #expect(found("lantern", ann).count == 8)
    #expect(try instance.count("SELECT count(*) FROM search_progress") == 0)
    instance.clock.advance(seconds: 61)
    try instance.work()
    #expect(try instance.count("SELECT count(*) FROM post_words") == 8)
  }
}

@Suite("Pictures in full size")
struct FullPictureTests {
  @Test("A page each, with its description and the ways to the others")
  func pages() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let sent = ann.upload(
      "/posts",
      [
        ("nonce", "n"), ("content", "Two"), ("visibility", "public"),
        ("description_1", "A lake"), ("description_2", "A hill"),
      ], files: [("images", SmallPicture.png), ("images", SmallPicture.png)])
    let post = try #require(sent.toastLink)
    #expect(ann.get(post).shows("\(post)/pictures/2\""))
    let (first, second) = (
      ann.get("\(post)/pictures/1"), instance.browser().get("\(post)/pictures/2")
    )
    #expect(first.shows("A lake") && first.shows("1 of 2") && first.shows("/original_"))
    #expect(first.shows("rel=\"next\"") && !first.shows("rel=\"prev\""))
    #expect(second.shows("A hill") && second.shows("rel=\"prev\"") && !second.shows("rel=\"next\""))
    for number in ["0", "3", "-1", "x", "99999999999999999999"] {
      #expect(ann.get("\(post)/pictures/\(number)").status == 404, "\(number)")
    }
  }
}
