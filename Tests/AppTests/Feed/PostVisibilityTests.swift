import HTTPTypes
import Testing

@testable import App

@Suite("Visibility of a post")
struct PostVisibilityTests {
  /// The parts of a post that a viewer finds in each place where it could appear.
  private struct Seen: Equatable, CustomStringConvertible {
    let page: Bool
    let feed: Bool
    let profile: Bool
    let picture: Bool

    var description: String { "page \(page) feed \(feed) profile \(profile) picture \(picture)" }

    static let all = Seen(page: true, feed: true, profile: true, picture: true)
    static let none = Seen(page: false, feed: false, profile: false, picture: false)
  }

  private func seen(
    _ browser: TestClient, _ post: String, _ picture: String, _ couple: String
  ) -> Seen {
    let (page, sent) = (browser.get(post), browser.get(picture))
    #expect([200, 404].contains(page.status) && [200, 404].contains(sent.status))
    #expect((page.status == 200) == page.shows("Our words"))
    return Seen(
      page: page.status == 200, feed: browser.get("/").shows("Our words"),
      profile: browser.get(couple).shows("Our words"),
      picture: sent.headers[.accelRedirect] != nil)
  }

  @Test(
    "Public posts are for all with the link, lists ask for an account; others are for the two",
    arguments: ["public", "followers", "couple"])
  func table(visibility: String) throws {
    let instance = try TestInstance()
    let couple = try #require(try instance.couple().first?.couple)
    try instance.couple("Cy & Di", "cy", "di")
    let author = try instance.signedIn("ann")
    let post = try author.writeWithPicture("Our words", visibility: visibility)
    let picture = try #require(author.get(post).pictures.first)
    let profile = "/couples/\(couple.id)"
    #expect(seen(author, post, picture, profile) == .all)
    #expect(seen(try instance.signedIn("ben"), post, picture, profile) == .all)
    let isPublic = visibility == "public"
    try instance.alone("fay")
    let follower = try instance.signedIn("fay")
    follower.post("\(profile)/follow")
    #expect(seen(follower, post, picture, profile) == (visibility == "couple" ? .none : .all))
    follower.post("\(profile)/unfollow")
    #expect(seen(follower, post, picture, profile) == (isPublic ? .all : .none))
    #expect(
      seen(try instance.signedIn("cy"), post, picture, profile) == (isPublic ? .all : .none))
    #expect(
      seen(instance.browser(), post, picture, profile)
        == (isPublic ? Seen(page: true, feed: false, profile: false, picture: true) : .none))
  }

  @Test("A deleted post is visible to no one, its author included")
  func deleted() throws {
    let instance = try TestInstance()
    let couple = try #require(try instance.couple().first?.couple)
    let author = try instance.signedIn("ann")
    let post = try author.writeWithPicture("Our words")
    let picture = try #require(author.get(post).pictures.first)
    #expect(author.post("\(post)/delete").location == "/")
    for browser in [author, try instance.signedIn("ben"), instance.browser()] {
      #expect(seen(browser, post, picture, "/couples/\(couple.id)") == .none)
      for other in author.get(post).pictures { #expect(browser.get(other).status == 404) }
    }
  }

  @Test("Posts of a frozen couple are left to the two")
  func frozen() throws {
    let instance = try TestInstance()
    let couple = try #require(try instance.couple().first?.couple)
    try instance.alone("sam")
    let author = try instance.signedIn("ann")
    let post = try author.writeWithPicture("Our words")
    let picture = try #require(author.get(post).pictures.first)
    try instance.database.write { try $0.execute("UPDATE couples SET status = 'frozen'") }
    #expect(author.get(post).status == 200)
    let refused = author.post("/posts", ["content": "New words"])
    #expect(refused.status == 403)
    for browser in [try instance.signedIn("sam"), instance.browser()] {
      #expect(browser.get(post).status == 404)
      #expect(browser.get(picture).status == 404)
      #expect(!browser.get("/").shows("Our words"))
      #expect(browser.get("/couples/\(couple.id)").status == 404)
    }
  }

  @Test("A picture can't be asked for under another post, couple or file name")
  func guessing() throws {
    let instance = try TestInstance()
    try instance.couple()
    let author = try instance.signedIn("ann")
    let hidden = try author.writeWithPicture("Ours alone", visibility: "couple")
    let open = try author.writeWithPicture("For all")
    let secret = try #require(author.get(hidden).pictures.first)
    let shown = try #require(author.get(open).pictures.first)
    let (parts, others) = (secret.split(separator: "/"), shown.split(separator: "/"))
    let visitor = instance.browser()
    let mixed = "/media/couples/\(others[2])/posts/\(others[4])/\(parts[5])"
    #expect(visitor.get(mixed).status == 404)
    for name in ["x.png", "..%2f..%2fpairspot.sqlite", "original_.png", "thumb_x.exe"] {
      #expect(
        visitor.get("/media/couples/\(others[2])/posts/\(others[4])/\(name)").status == 404)
    }
  }

  @Test("Public pictures may be cached by all, others by no one")
  func caching() throws {
    let instance = try TestInstance()
    try instance.couple()
    let author = try instance.signedIn("ann")
    let open = author.get(try author.writeWithPicture("For all")).pictures
    let hidden = author.get(try author.writeWithPicture("Ours", visibility: "couple")).pictures
    let first = author.get(try #require(open.first)).headers
    #expect(first[.cacheControl] == "public, max-age=31536000, immutable")
    #expect(first[.contentType] == "image/png")
    #expect(
      author.get(try #require(hidden.first)).headers[.cacheControl] == "private, no-store")
  }
}
