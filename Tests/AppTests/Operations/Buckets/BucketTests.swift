import Core
import Database
import FakeObjectStore
import Foundation
import Media
import Testing
import Web

@testable import App

@Suite("Pictures in a bucket")
struct BucketTests {
  private let server: FakeObjectStore
  private let instance: TestInstance
  private let media: any MediaStore

  init() throws {
    server = try FakeObjectStore()
    instance = try TestInstance(variables: server.variables)
    media = instance.instance.configuration.media { _ in }
    try instance.couple()
  }

  private func stored() throws -> [String] {
    try ["couples", "drafts"].flatMap { try media.files(below: $0).map(\.path) }
  }

  private func upload(_ browser: TestClient, nonce: String) -> TestResponse {
    browser.upload(
      "/posts", [("nonce", nonce), ("content", "Our words"), ("visibility", "public")],
      files: [("images", SmallPicture.png)])
  }

  @Test(
    "A picture is in the bucket alone, and nginx gets a signed address for those who may see it")
  func view() throws {
    let ann = try instance.signedIn("ann")
    let post = try ann.writeWithPicture("Words", visibility: "couple")
    let picture = try #require(ann.get(post).pictures.first)
    let path = picture.dropFirst("/media/".count)
    for name in ["ann", "ben"] {
      let answer = try instance.signedIn(name).get(picture)
      let location = try #require(answer.headers[.accelRedirect])
      #expect(location.hasPrefix("/stored-media/\(path)?X-Amz-Algorithm="))
      #expect(answer.headers[.contentType] == "image/png")
      #expect(answer.headers[.cacheControl] == "private, no-store")
    }
    #expect(instance.browser().get(picture).status == 404)
    #expect(try stored().count == 3 && stored().contains(String(path)))
    #expect(try instance.mediaFiles().isEmpty)
  }

  @Test("Narrowing a post renames its pictures, and deleting it for good deletes them")
  func lifetime() throws {
    let ann = try instance.signedIn("ann")
    let post = try ann.writeWithPicture("Words")
    let before = try stored()
    let change = [
      ("content", "Words"), ("visibility", "followers"), ("visibility_before", "public"),
    ]
    #expect(ann.upload("\(post)/edit", change, files: []).status == 303)
    let after = try stored()
    #expect(after.count == before.count && Set(after).isDisjoint(with: before))
    #expect(ann.post("\(post)/delete").status == 303)
    instance.clock.advance(seconds: .days(31))
    try instance.work()
    #expect(try stored().isEmpty)
  }

  @Test("While the store fails, words and pictures are kept and the answer is 503")
  func failing() throws {
    let ann = try instance.signedIn("ann")
    let slow = Array(repeating: "503 SlowDown", count: 9)
    try server.fail(slow)
    let first = upload(ann, nonce: "1")
    #expect(first.status == 503 && first.headers[.retryAfter] == "5")
    #expect(first.shows("Our words") && first.shows("can’t take pictures"))
    try server.fail([])
    #expect(try stored().isEmpty)

    // The draft is stored in three sizes and listed; then it can't be copied to the post.
    try server.fail(["", "", "", ""] + slow)
    let second = upload(ann, nonce: "2")
    #expect(second.status == 503 && second.shows("Our words"))
    let draft = try #require(second.values(of: "kept").first)
    try server.fail([])
    #expect(try stored().count == 3)
    #expect(try instance.count("SELECT count(*) FROM posts") == 0)
    let third = ann.upload(
      "/posts",
      [("nonce", "2"), ("content", "Our words"), ("visibility", "public"), ("kept", draft)],
      files: [])
    #expect(third.status == 303)
    #expect(try stored().count == 3 && stored().allSatisfy { $0.hasPrefix("couples/") })
  }

  @Test("A post that can't be narrowed stays as it was, with the form's words")
  func failingEdit() throws {
    let ann = try instance.signedIn("ann")
    let post = try ann.writeWithPicture("Words")
    let before = try stored()
    try server.fail(Array(repeating: "500 InternalError", count: 9))
    let change = [
      ("content", "Other words"), ("visibility", "couple"), ("visibility_before", "public"),
    ]
    let answer = ann.upload("\(post)/edit", change, files: [])
    #expect(answer.status == 503 && answer.shows("Other words"))
    try server.fail([])
    #expect(try stored() == before)
    #expect(instance.browser().get(post).shows("Words"))
  }

  @Test("A file that no row names is deleted after a week, and no other")
  func leftovers() throws {
    try instance.signedIn("ann").writeWithPicture("Words")
    let named = try stored()
    let id = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
    let avatar = "couples/\(id)/avatar/thumb_\(id).jpg"
    let orphans = ["drafts/\(id)/original_\(id).png", avatar]
    for path in orphans + ["couples/readme"] { try media.put([1], as: path) }
    let job = BucketCleanupJob(media: media, database: instance.database)
    // The time of the store's files.
    var now = try #require(Instant(rfc3339: "2026-03-02T00:00:00Z"))
    for _ in 0..<14 {
      try job.run(now: now)
      now = now.adding(seconds: .hours(12))
    }
    #expect(try Set(stored()) == Set(named + orphans + ["couples/readme"]))
    for _ in 0..<2 {
      try job.run(now: now)
      now = now.adding(seconds: .hours(12))
    }
    #expect(try Set(stored()) == Set(named + ["couples/readme"]))
  }

  @Test("The doctor names a missing file, and a bucket that refuses")
  func doctor() throws {
    try instance.signedIn("ann").writeWithPicture("Words")
    let doctor = BucketDoctor(media: media)
    let checks = doctor.checks
    #expect(try checks.flatMap { try $0.find(instance.database) } == [])
    let files = DataDoctor(instance.instance.configuration).checks.first {
      $0.name == "every file in the database exists"
    }
    #expect(try files?.find(instance.database) == [])
    let lost = try #require(try stored().first)
    try media.delete([lost])
    #expect(
      try checks.flatMap { try $0.find(instance.database) } == ["\(lost) is missing"])
    try server.fail(["403 AccessDenied"])
    #expect(throws: MediaError.self) { try checks.first?.find(instance.database) }
  }

  @Test("Files that the bucket should have keep the program from starting")
  func misplaced() throws {
    let folder = "\(instance.instance.configuration.mediaFolder)/couples/a"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    _ = try instance.reopened()
    try Data([1]).write(to: URL(filePath: "\(folder)/b.jpg"))
    #expect(throws: MisplacedMedia.self) { try instance.reopened() }
  }

  @Test("A plain CGI sends a file of the bucket itself")
  func plainCGI() throws {
    try media.put(Array("bytes".utf8), as: "couples/a.png")
    let files = PlainCGIFiles(instance.instance.configuration)
    var found = Response.protectedFile(
      at: media.location(of: "couples/a.png"), contentType: "image/png", cacheControl: "public")
    let opened = files.open(for: &found)
    var sent: [UInt8] = []
    try #require(opened).send { sent += $0 }
    #expect(sent == Array("bytes".utf8) && found.headers[.contentLength] == "5")
    #expect(found.headers[.accelRedirect] == nil)
    #expect(found.headers[.xContentTypeOptions] == "nosniff")
    var gone = Response.protectedFile(
      at: media.location(of: "couples/b.png"), contentType: "image/png", cacheControl: "public")
    let missing = files.open(for: &gone)
    #expect(missing == nil)
    #expect(gone.status == .notFound && gone.headers[.cacheControl] == "no-store")
  }

  @Test("A backup names the bucket, and misses nothing that is there")
  func backup() throws {
    try instance.signedIn("ann").writeWithPicture("Words")
    var said: [String] = []
    try BackupCommands(instance.instance.configuration, clock: instance.clock).make(
      in: instance.directory, keep: false
    ) { said.append($0) }
    let address = "\(server.url)/\(FakeObjectStore.bucket)"
    #expect(said.contains("media are in \(address), not in the backup"))
    #expect(!said.contains { $0.hasPrefix("already missing") })
    let folder = try #require(said.last?.prefix { $0 != ":" })
    let manifest = try String(contentsOfFile: "\(folder)/manifest.json", encoding: .utf8)
    #expect(manifest.contains("\"bucket\" : \"\(address)\""))
  }
}

@Suite("Public pictures from another address")
struct MediaURLTests {
  @Test("Only pictures that everyone sees come from there, and its origin alone is allowed")
  func pages() throws {
    let address = "https://cdn.example"
    let instance = try TestInstance(variables: ["PAIRSPOT_MEDIA_URL": address])
    try instance.couple()
    try instance.alone("sam")
    let (ann, sam) = (try instance.signedIn("ann"), try instance.signedIn("sam"))
    let open = try ann.writeWithPicture("Open words")
    let closed = try ann.writeWithPicture("Closed words", visibility: "followers")
    let couple = try #require(ann.get(open).text.firstMatch(of: /\/couples\/[0-9a-f-]{36}/)).output
    #expect(sam.post("\(couple)/follow").status == 303)
    for browser in [sam, instance.browser()] {
      let page = browser.get(open)
      #expect(page.shows("\"\(address)/media/couples/") && page.pictures.isEmpty)
      let policy = try #require(page.headers[.contentSecurityPolicy])
      #expect(policy.contains("img-src 'self' blob: \(address);"))
    }
    let page = sam.get(closed)
    #expect(page.shows("Closed words"))
    #expect(!page.shows("\(address)/") && !page.pictures.isEmpty)
    // Moderators may have hidden the post from all others.
    #expect(!ann.get(open).shows("\(address)/"))
  }
}
