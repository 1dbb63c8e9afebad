import Accounts
import Core
import Foundation
import Testing

@testable import App

@Suite("After 30 days nothing is left")
struct PurgeTests {
  /// A couple in which one member has created all kinds of data and deletes the account.
  private struct Fixture {
    let instance: TestInstance
    let couple: ID<Couple>
    let ann: ID<Person>
    let ben: TestClient
    let post: String
    let hashes: Set<[UInt8]>

    init() throws {
      instance = try TestInstance(limits: true)
      let members = try instance.instance.features.accounts.seeder.found(
        [("Annabella", "annabella@example.test"), ("Ben", "ben@example.test")],
        couple: "Annabella & Ben", anniversary: LocalDay(number: 19_000),
        password: TestInstance.password,
        now: instance.clock.now())
      ann = try #require(members.first?.id)
      couple = try #require(members.first?.couple?.id)
      ben = try instance.signedIn("ben")
      let browser = try instance.signedIn("annabella")
      post = try browser.writeWithPicture("Unmistakable words")
      let other = try ben.write("Words of his")
      browser.post("\(other)/like")
      ben.post("\(post)/like")
      browser.upload(
        "/posts", [("content", "Unmistakable draft"), ("nonce", "n")],
        files: [("images", SmallPicture.png), ("images", [1, 2])])
      browser.upload(
        "/couples/\(couple)/edit",
        [("couple_name", "Annabella & Ben"), ("anniversary", "2020-01-01"), ("bio", "")],
        files: [("own_avatar", SmallPicture.png)])
      instance.browser().post("/reset", ["email": "annabella@example.test"])
      _ = instance.browser().signIn("annabella@example.test", "not the password")
      _ = RegisterCoupleTests.register(
        instance.browser(), "annabella@example.test", "nobody@example.test")
      browser.post("/settings/export")
      try instance.work()
      hashes = try instance.mediaHashes()
      try #require(hashes.count >= 4)
      browser.leave()
    }

    /// Number of rows with a hash or id of Ann's address or account.
    func rows() throws -> Int {
      let hash = instance.instance.keys.lookupHash("annabella@example.test")
      return try instance.database.read { reader in
        try [
          ("users", "email_hash", hash), ("registration_sides", "email_hash", hash),
          ("mail_queue", "recipient_hash", hash), ("rate_limits", "subject", hash),
          ("rate_limits", "subject", instance.instance.keys.lookupHash(ann.description)),
          ("posts", "author_id", ann.bytes), ("likes", "user_id", ann.bytes),
          ("draft_images", "user_id", ann.bytes), ("answers", "person_id", ann.bytes),
          ("exports", "user_id", ann.bytes), ("deletions", "user_id", ann.bytes),
          ("couple_members", "user_id", ann.bytes), ("sessions", "user_id", ann.bytes),
        ].reduce(0) {
          $0
            + (try reader.count("SELECT count(*) FROM \(name: $1.0) WHERE \(name: $1.1) = \($1.2)"))
        }
      }
    }

    func traces() throws -> [String] {
      let bytes = try instance.databaseBytes()
      return ["Annabella", "annabella", "Unmistakable", ann.description].filter {
        bytes.range(of: Data($0.utf8)) != nil
      }
    }
  }

  @Test(
    "No row, no text, no address, no picture; the partner keeps the own content",
    .onSQLite("it reads the file"))
  func nothing() throws {
    let fixture = try Fixture()
    let instance = fixture.instance
    instance.clock.advance(seconds: .days(30) - 1)
    try instance.work()
    #expect(try fixture.rows() > 0)
    #expect(try fixture.traces().contains("Annabella"))
    #expect(!fixture.hashes.isDisjoint(with: try instance.mediaHashes()))
    instance.clock.advance(seconds: 3600)
    try instance.work()
    #expect(try fixture.rows() == 0)
    #expect(try fixture.traces() == [])
    #expect(fixture.hashes.isDisjoint(with: try instance.mediaHashes()))
    #expect(try instance.mediaFiles() == [])
    #expect(try instance.count("SELECT count(*) FROM file_removals") == 0)
    #expect(try instance.coupleStatus(fixture.couple) == "single")
    let ben = try instance.signedIn("ben")
    #expect(ben.get("/").shows("Words of his") && ben.get("/").shows("data-composer"))
    #expect(try instance.count("SELECT count(*) FROM likes") == 0)
    try instance.dropLiveEvents()
    #expect(
      try instance.instance.doctorChecks.flatMap { try $0.find(instance.database) } == [])
  }

  @Test("A new account with the address loses nothing by the purge of the old one")
  func newAccount() throws {
    let fixture = try Fixture()
    let instance = fixture.instance
    instance.clock.advance(seconds: .days(30) - 60)
    _ = RegisterCoupleTests.register(
      instance.browser(), "annabella@example.test", "else@example.test")
    instance.clock.advance(seconds: 3600)
    try instance.work()
    #expect(try instance.count("SELECT count(*) FROM users") == 1)
    let link = try instance.link(to: "annabella@example.test")
    let new = instance.browser()
    try RegisterCoupleTests.complete(new, link, "Anna")
    #expect(new.get("/register/waiting").shows("else@example.test"))
  }

  @Test("Files that a crash left are removed by the next round; one that can't keeps no other")
  func crash() throws {
    let instance = try TestInstance()
    let media = instance.instance.configuration.mediaFolder
    try FileManager.default.createDirectory(
      atPath: "\(media)/a/b", withIntermediateDirectories: true)
    for file in ["a/b/one", "a/two", "outside"] {
      #expect(FileManager.default.createFile(atPath: "\(media)/\(file)", contents: nil))
    }
    try instance.database.write {
      for path in ["", "../media/outside", "a/../outside", "a/b", "a/gone", "a/two"] {
        try $0.execute("INSERT INTO file_removals (path) VALUES (\(path))")
      }
    }
    try instance.work()
    #expect(try instance.mediaFiles() == ["outside"])
    #expect(try instance.count("SELECT count(*) FROM file_removals") == 3)
  }

  @Test("One whose rows can't be removed doesn't keep the others")
  func failure() throws {
    let instance = try TestInstance()
    let names = ["sam", "tom"]
    for name in names {
      try instance.alone(name)
      try instance.signedIn(name).leave()
    }
    try instance.migrate(
      """
      CREATE TRIGGER stuck BEFORE DELETE ON users WHEN OLD.display_name = 'Sam'
      BEGIN SELECT RAISE(ABORT, 'stuck'); END
      """)
    instance.clock.advance(seconds: .days(30))
    try instance.work()
    #expect(try instance.count("SELECT count(*) FROM users WHERE display_name = 'Sam'") == 1)
    #expect(try instance.count("SELECT count(*) FROM users") == 1)
    try instance.database.write { try $0.execute(.dropTrigger("stuck")) }
    instance.clock.advance(seconds: 3600)
    try instance.work()
    #expect(try instance.count("SELECT count(*) FROM users") == 0)
  }

  @Test("A couple of which both are gone goes with its picture")
  func both() throws {
    let instance = try TestInstance()
    let couple = try #require(try instance.couple().first?.couple?.id)
    let ann = try instance.signedIn("ann")
    try ann.write("Hers")
    try instance.signedIn("ben").write("His")
    ann.upload(
      "/couples/\(couple)/edit",
      [("couple_name", "Two"), ("anniversary", "2020-01-01"), ("bio", "")],
      files: [("avatar", SmallPicture.png), ("own_avatar", SmallPicture.png)])
    ann.leave()
    instance.clock.advance(seconds: .days(3))
    try instance.signedIn("ben").leave()
    instance.clock.advance(seconds: .days(28))
    try instance.work()
    #expect(try instance.coupleStatus(couple) == "single")
    #expect(instance.browser().comeBack("ben@example.test").location == "/")
    try instance.signedIn("ben").leave()
    instance.clock.advance(seconds: .days(31))
    try instance.work()
    #expect(try instance.coupleStatus(couple) == nil)
    #expect(try instance.mediaFiles() == [])
    let folder = "\(instance.instance.configuration.mediaFolder)/couples/\(couple)"
    #expect(!FileManager.default.fileExists(atPath: folder))
  }
}
