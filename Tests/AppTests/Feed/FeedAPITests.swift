import Core
import Database
import Foundation
import HTTPTypes
import Testing
import Web

@testable import App

extension TestClient {
  /// A call of the API with a form of texts and files.
  @discardableResult
  func send(
    _ path: String, method: HTTPRequest.Method = .post, _ fields: [(String, String)] = [],
    files: [(field: String, bytes: [UInt8])] = [], key: String? = nil
  ) -> TestResponse {
    var body: [UInt8] = []
    for (name, value) in fields {
      body += Array(
        "--limit\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
    }
    for (field, bytes) in files {
      let head = "--limit\r\nContent-Disposition: form-data; name=\"\(field)\"; filename=\"a.png\""
      body += Array("\(head)\r\n\r\n".utf8) + bytes + Array("\r\n".utf8)
    }
    body += Array("--limit--\r\n".utf8)
    var headers: HTTPFields = [
      .contentType: "multipart/form-data; boundary=limit", .csrfToken: freshToken(),
    ]
    headers[.idempotencyKey] = key
    return send(method, "/api/v1\(path)", headers: headers, body: body)
  }

  /// Creates a post with the API; returns its path below `/api/v1`.
  @discardableResult
  func apiPost(_ content: String, visibility: String = "public", pictures: Int = 0) throws
    -> String
  {
    let answer = send(
      "/posts", [("content", content), ("visibility", visibility)],
      files: (0..<pictures).map { _ in ("images[]", SmallPicture.png) })
    try #require(answer.status == 201, "\(answer.text)")
    return "/posts/\(try #require(answer.json["id"] as? String))"
  }
}

extension TestResponse {
  func list(_ name: String) -> [[String: Any]] { json[name] as? [[String: Any]] ?? [] }
  var images: [[String: Any]] { list("images") }
}

@Suite("/api/v1/posts")
struct FeedAPITests {
  private func two() throws -> (TestInstance, ann: TestClient, ben: TestClient) {
    let instance = try TestInstance()
    try instance.couple()
    return (instance, try instance.signedIn("ann"), try instance.signedIn("ben"))
  }

  private func contents(_ answer: TestResponse) -> [String] {
    answer.list("posts").compactMap { $0["content"] as? String }
  }

  // MARK: Reading

  @Test("A post says all that there is to say of it, with addresses that can be asked for")
  func shape() throws {
    let (instance, ann, ben) = try two()
    let path = try ann.apiPost("Our words", pictures: 1)
    let post = ben.call(.get, path)
    #expect(post.status == 200)
    #expect(
      Set(post.json.keys) == [
        "id", "couple", "author", "content", "visibility", "images", "like_count", "liked",
        "comment_count", "saved",
        "is_promoted", "promoted_until", "edited", "created_at", "updated_at",
      ])
    let couple = try #require(post.json["couple"] as? [String: Any])
    #expect(couple["couple_name"] as? String == "Ann & Ben")
    #expect((couple["days_together"] as? Int ?? 0) > 1000)
    #expect((post.json["author"] as? [String: Any])?["display_name"] as? String == "Ann")
    #expect(post.json["created_at"] as? String == "2026-03-02T00:00:00.000Z")
    #expect(post.json["updated_at"] as? String == "2026-03-02T00:00:00.000Z")
    let image = try #require(post.images.first)
    for size in ["url", "medium_url", "thumbnail_url"] {
      let url = try #require(image[size] as? String)
      let target = try #require(url.components(separatedBy: TestInstance.host).last)
      #expect(url.hasPrefix("http://\(TestInstance.host)/media/"))
      #expect(instance.browser().get(target).headers[.accelRedirect] != nil)
    }
    #expect(image["width"] as? Int == 8 && image["height"] as? Int == 8)
  }

  @Test("Lists show the same as pages: everyone's, one's own, and one couple's")
  func scopes() throws {
    let (instance, ann, ben) = try two()
    let couple = try #require(
      ann.call(.get, "/account").json["couple_id"] as? String)
    let (cy, gia) = (
      try instance.signedInWithCouple("Cy & Di", "cy", "di"), try instance.guest("Gia")
    )
    for (writer, words) in [(ann, "A"), (cy, "C")] {
      try writer.apiPost("\(words) open")
      instance.clock.advance(seconds: 1)
      try writer.apiPost("\(words) ours", visibility: "couple")
      instance.clock.advance(seconds: 1)
    }
    let all = ["C open", "A ours", "A open"]
    for browser in [ann, ben] {
      #expect(contents(browser.call(.get, "/posts")) == all)
      #expect(contents(browser.call(.get, "/posts?scope=couple")) == ["A ours", "A open"])
    }
    #expect(contents(gia.call(.get, "/posts?scope=everyone")) == ["C open", "A open"])
    #expect(contents(gia.call(.get, "/posts?scope=couple")) == [])
    for query in ["scope=couple&couple_id=\(couple)", "couple_id=\(couple)"] {
      #expect(contents(cy.call(.get, "/posts?\(query)")) == ["A open"])
    }
    #expect(cy.call(.get, "/posts?couple_id=\(ID<Couple>.random())").status == 404)
    #expect(instance.browser().call(.get, "/posts").code == "invalid_token")
  }

  @Test(
    "A query with other parameters names the errors",
    arguments: [
      ("scope=followers", "scope"), ("scope=", "scope"), ("limit=0", "limit"),
      ("limit=101", "limit"), ("limit=x", "limit"), ("cursor=x", "cursor"),
      ("cursor=1-x", "cursor"), ("couple_id=1", "couple_id"),
    ])
  func wrongQuery(query: String, field: String) throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let answer = ann.call(.get, "/posts?\(query)")
    #expect(answer.status == 422 && Set(answer.fieldErrors.keys) == [field])
  }

  @Test("Page by page nothing repeats or is skipped while new posts pour in")
  func pouring() throws {
    let (instance, ann, ben) = try two()
    for number in 0..<45 {
      // Several within one millisecond, to be ordered by identifier.
      if number % 3 == 0 { instance.clock.advance(seconds: 1) }
      try ann.apiPost("W\(number)", visibility: number % 5 == 0 ? "couple" : "public")
    }
    for (scope, limit, pages) in [("everyone", 20, 3), ("couple", 7, 7)] {
      var (found, next, asked): ([String], String?, Int) = ([], "", 0)
      while let cursor = next {
        let page = ann.call(
          .get, "/posts?scope=\(scope)&limit=\(limit)" + (cursor.isEmpty ? "" : "&cursor=\(cursor)")
        )
        found += contents(page)
        next = page.json["next_cursor"] as? String
        asked += 1
        instance.clock.advance(seconds: 1)
        try ben.apiPost("New \(scope) \(asked)")
      }
      let old = found.filter { $0.hasPrefix("W") }
      #expect(Set(found).count == found.count && old.count == 45)
      #expect(old.map { (Int($0.dropFirst()) ?? 0) / 3 } == (0..<45).reversed().map { $0 / 3 })
      // The second pass begins with the posts that interrupted the pages of the first.
      #expect(asked == pages)
    }
  }

  @Test("A page of thirty asks the database no more often than one of five")
  func statements() throws {
    let log = StatementLog()
    let instance = try TestInstance(statements: log)
    try instance.couple()
    let ann = try instance.signedIn("ann")
    for number in 0..<30 {
      // A time of its own for each, otherwise the five newest are random: they must have pictures,
      // too.
      instance.clock.advance(seconds: 1)
      try ann.apiPost("W\(number)", pictures: number % 4 == 1 ? 1 : 0)
    }
    func asked(_ limit: Int) -> Int {
      let before = log.count
      #expect(ann.call(.get, "/posts?limit=\(limit)").status == 200)
      return log.count - before
    }
    #expect(asked(5) == asked(30) && asked(30) == asked(100))
  }

  @Test("Promotions are queried once a page, however many there are")
  func promotionStatements() throws {
    let log = StatementLog()
    let instance = try TestInstance(statements: log)
    let people = try instance.couple()
    let ann = try instance.signedIn("ann")
    let tia = try instance.members("tia")[0]
    try instance.grant(1000, to: people[0].id)
    let posts = try (0..<25).map { try ann.write("W\($0)") }
    func asked(_ path: String) -> Int {
      let before = log.count
      #expect(tia.call(.get, path).status == 200)
      return log.count - before
    }
    let first = tia.call(.get, "/posts")
    let second = "/posts?cursor=\(try #require(first.json["next_cursor"] as? String))"
    let paths = [second, posts[0], "/posts?scope=couple"]
    // The first request also reads the posts themselves, which are then kept ready.
    _ = paths.map(asked)
    let before = paths.map(asked)
    // A first page reads all running promotions, other pages only their own: each once.
    #expect(asked("/posts") == before[0])
    for post in posts.prefix(15) { #expect(ann.promote(post).status == 200) }
    _ = paths.map(asked)
    #expect(paths.map(asked) == before)
    // Promoting has changed cards: all are kept ready again, whichever are at the top next.
    _ = tia.call(.get, "/posts?limit=100")
    _ = tia.call(.get, "/posts")
    instance.clock.advance(seconds: 60)
    // Reads the posts at the top as well; the order of all is built once a minute.
    #expect(asked("/posts") == before[0] + 2)
    #expect(asked("/posts") == before[0] + 1)
    instance.clock.advance(seconds: 60)
    #expect(asked("/posts") == before[0] + 2)
    #expect(asked("/posts") == before[0] + 1)
    let promoted = Set(posts.prefix(15).map { String($0.suffix(36)) })
    for path in ["/posts?limit=100", "/posts?scope=couple&limit=100"] {
      for post in ann.call(.get, path).list("posts") {
        let isPromoted = promoted.contains(post["id"] as? String ?? "")
        #expect(post["is_promoted"] as? Bool == isPromoted)
      }
    }
  }

  // MARK: Writing

  @Test("Words and described pictures become a post, answered whole")
  func write() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let answer = ann.send(
      "/posts",
      [
        ("content", " Two\r\nlines "), ("visibility", "couple"), ("descriptions[]", "One"),
        ("descriptions[]", "Two\nmore"),
      ], files: [("images[]", SmallPicture.png), ("images[]", SmallPicture.png)])
    #expect(answer.status == 201 && answer.json["content"] as? String == "Two\nlines")
    #expect(answer.json["visibility"] as? String == "couple")
    #expect(answer.images.map { $0["description"] as? String } == ["One", "Two more"])
    let plain = ann.send("/posts", [("content", "Words")])
    #expect(plain.status == 201 && plain.json["visibility"] as? String == "public")
    #expect(ann.send("/posts", files: [("images", SmallPicture.png)]).status == 201)
  }

  @Test("Posts refused by the form are refused here, with the form's texts")
  func wrongWords() throws {
    let (instance, ann, _) = try two()
    let long = String(repeating: "字", count: 2002)
    let answer = ann.send("/posts", [("content", long)])
    #expect(answer.status == 422 && answer.code == "validation_error")
    #expect(answer.fieldErrors["content"] == "2 characters too many. 2,000 characters maximum.")
    for fields in [[], [("content", " \r\n ")]] {
      #expect(Set(ann.send("/posts", fields).fieldErrors.keys) == ["content"])
    }
    for visibility in ["friends", "x", ""] {
      let answer = ann.send("/posts", [("content", "Words"), ("visibility", visibility)])
      #expect(answer.fieldErrors["visibility"] == "This must be one of: public, followers, couple.")
    }
    let many = (0..<10).map { _ in (field: "images[]", bytes: SmallPicture.png) }
    let tooMany = ann.send("/posts", [("content", "Words")], files: many)
    #expect(
      tooMany.status == 422 && tooMany.fieldErrors["images"] == "You can add up to 9 pictures.")
    #expect(ann.call(.post, "/posts", #"{"content":"Words"}"#).status == 415)
    #expect(try instance.count("SELECT count(*) FROM posts") == 0)
  }

  @Test("A picture that can't be taken says which and why, and leaves nothing behind")
  func wrongPictures() throws {
    let (instance, ann, _) = try two()
    let heic = [0, 0, 0, 24] + Array("ftypheic".utf8) + [UInt8](repeating: 0, count: 40)
    let large = [UInt8](repeating: 0, count: 12 << 20 + 1)
    for (bytes, status, code) in [
      (heic, 415, "unsupported_format"), (Array("no picture".utf8), 415, "unsupported_format"),
      (Array(SmallPicture.png.prefix(60)), 422, "not_acceptable_picture"),
      (SmallPicture.wide, 422, "not_acceptable_picture"), (large, 413, "payload_too_large"),
    ] as [([UInt8], Int, String)] {
      let answer = ann.send(
        "/posts", [("content", "Words")],
        files: [("images[]", SmallPicture.png), ("images[]", bytes)])
      #expect(answer.status == status && answer.code == code, "\(answer.text)")
      #expect(Set(answer.fieldErrors.keys) == ["images.1"])
    }
    #expect(try instance.count("SELECT count(*) FROM posts") == 0)
    #expect(try instance.count("SELECT count(*) FROM draft_images") == 0)
    #expect(try instance.mediaFiles() == [])
  }

  @Test("Guests, and members of a pending or frozen couple, may not post")
  func whoWrites() throws {
    let (instance, ann, _) = try two()
    let visitor = instance.browser().send("/posts", [("content", "Words")])
    #expect(visitor.status == 401 && visitor.code == "invalid_token")
    #expect(try instance.guest("Gia").send("/posts", [("content", "Words")]).code == "forbidden")
    for status in ["pending", "frozen"] {
      try instance.database.write {
        try $0.execute("UPDATE couples SET status = \(status)")
      }
      let answer = ann.send("/posts", [("content", "Words")])
      #expect(answer.status == 403 && answer.code == "forbidden")
    }
    try instance.alone("sam")
    try instance.signedIn("sam").apiPost("Alone")
    #expect(try instance.count("SELECT count(*) FROM couples WHERE status = 'single'") == 1)
  }

  // MARK: Changing

  @Test("Only the author changes, and only the couple deletes: 403 for other viewers, else 404")
  func rights() throws {
    let (instance, ann, ben) = try two()
    try instance.alone("sam")
    let (open, ours) = (try ann.apiPost("For all"), try ann.apiPost("Ours", visibility: "couple"))
    let (sam, guest) = (try instance.signedIn("sam"), try instance.guest("Gia"))
    for (browser, path, status) in [
      (ben, open, 403), (ben, ours, 403), (sam, open, 403), (sam, ours, 404),
      (guest, open, 403), (instance.browser(), open, 401),
    ] {
      #expect(browser.call(.patch, path, #"{"content":"Changed"}"#).status == status)
      if browser !== ben { #expect(browser.call(.delete, path).status == status) }
    }
    #expect(try instance.count("SELECT count(*) FROM posts WHERE deleted_at IS NULL") == 2)
    #expect(try instance.count("SELECT count(*) FROM posts WHERE content = 'Changed'") == 0)
    #expect(ben.call(.delete, ours).status == 204)
    #expect(ann.call(.delete, open).status == 204)
    #expect(ann.call(.get, open).status == 404 && ann.call(.delete, open).status == 404)
  }

  @Test("A change has only the changed fields; without differences the post is not edited")
  func change() throws {
    let (instance, ann, _) = try two()
    let path = try ann.apiPost("Old words")
    instance.clock.advance(seconds: 60)
    for body in ["{}", #"{"content":"Old words","visibility":"public","images":[]}"#] {
      #expect(ann.call(.patch, path, body).json["edited"] as? Bool == false)
    }
    let changed = ann.call(.patch, path, #"{"content":"New words"}"#)
    #expect(changed.status == 200 && changed.json["edited"] as? Bool == true)
    #expect(changed.json["updated_at"] as? String == "2026-03-02T00:01:00.000Z")
    #expect(changed.json["visibility"] as? String == "public")
    for (body, field) in [
      (#"{"content":""}"#, "content"), (#"{"visibility":"friends"}"#, "visibility"),
      (#"{"visibility":"all"}"#, "visibility"), (#"{"images":{}}"#, "images"),
    ] {
      #expect(Set(ann.call(.patch, path, body).fieldErrors.keys) == [field])
    }
    #expect(ann.call(.get, path).json["content"] as? String == "New words")
  }

  @Test("Pictures are reordered, described, removed; ids of other posts are refused")
  func pictures() throws {
    let (instance, ann, _) = try two()
    let path = try ann.apiPost("Words", pictures: 3)
    let other = try ann.apiPost("Others", pictures: 1)
    let ids = ann.call(.get, path).images.compactMap { $0["id"] as? String }
    let foreign = try #require(ann.call(.get, other).images.first?["id"] as? String)
    let changed = ann.call(
      .patch, path,
      #"{"images":[{"id":"\#(ids[2])","description":"Last"},{"id":"\#(ids[0])"}]}"#)
    #expect(changed.status == 200)
    #expect(changed.images.compactMap { $0["id"] as? String } == [ids[2], ids[0]])
    #expect(changed.images.first?["description"] as? String == "Last")
    #expect(try instance.mediaFiles().filter { $0.contains(ids[1]) } == [])
    for wrong in [
      "[{\"id\":\"\(ids[2])\"},{\"id\":\"\(foreign)\"}]",
      "[{\"id\":\"\(ids[0])\"},{\"id\":\"\(ids[0])\"}]",
    ] {
      let answer = ann.call(.patch, path, "{\"images\":\(wrong)}")
      #expect(answer.status == 422 && Set(answer.fieldErrors.keys) == ["images.1.id"])
    }
    #expect(ann.call(.patch, path, #"{"content":"","images":[]}"#).status == 422)
    let bare = ann.call(.patch, path, #"{"images":[]}"#)
    #expect(bare.status == 200 && bare.images.isEmpty)
  }

  @Test("Seen by fewer, a post's pictures get new addresses, and the old ones die")
  func narrowing() throws {
    let (instance, ann, _) = try two()
    let path = try ann.apiPost("Words", pictures: 1)
    func address() throws -> String {
      let url = try #require(ann.call(.get, path).images.first?["url"] as? String)
      return try #require(url.components(separatedBy: TestInstance.host).last)
    }
    let before = try address()
    #expect(ann.call(.patch, path, #"{"visibility":"couple"}"#).status == 200)
    #expect(try address() != before && ann.get(before).status == 404)
    #expect(instance.browser().get(try address()).status == 404)
  }

  @Test("Likes count once per user, and need a visible post")
  func likes() throws {
    let (instance, ann, ben) = try two()
    let (open, ours) = (try ann.apiPost("For all"), try ann.apiPost("Ours", visibility: "couple"))
    for _ in 0..<2 {
      let liked = ben.call(.post, "\(open)/like")
      #expect(liked.status == 200 && liked.json["liked"] as? Bool == true)
      #expect(liked.json["like_count"] as? Int == 1)
    }
    #expect(ann.call(.get, open).json["liked"] as? Bool == false)
    for _ in 0..<2 {
      #expect(ben.call(.delete, "\(open)/like").json["like_count"] as? Int == 0)
    }
    try instance.alone("sam")
    #expect(try instance.signedIn("sam").call(.post, "\(ours)/like").status == 404)
    #expect(try instance.guest("Gia").call(.post, "\(open)/like").status == 403)
    #expect(instance.browser().call(.post, "\(open)/like").status == 401)
  }
}

extension TestInstance {
  /// A browser in which the first member of a new couple is signed in.
  func signedInWithCouple(_ name: String, _ first: String, _ second: String) throws -> TestClient {
    try couple(name, first, second)
    return try signedIn(first)
  }
}

extension SmallPicture {
  /// The same picture with a header that claims 60,000 × 60,000 px.
  static let wide: [UInt8] = {
    var bytes = png
    bytes.replaceSubrange(16..<24, with: [0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60])
    return bytes
  }()
}
