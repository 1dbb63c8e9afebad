import Accounts
import Basics
import Foundation
import Testing

@testable import App

@Suite("After 30 days nothing is left")
struct PurgeTests {
  /// A couple of two in which one has left all kinds of traces, and deletes the account.
  private struct World {
    let house: TestHouse
    let couple: ID<Couple>
    let ann: ID<Person>
    let ben: Browser
    let post: String
    let hashes: Set<[UInt8]>

    init() throws {
      house = try TestHouse(limits: true)
      let members = try house.house.features.accounts.founding.found(
        [("Annabella", "annabella@example.test"), ("Ben", "ben@example.test")],
        couple: "Annabella & Ben", anniversary: LocalDay(number: 19_000),
        password: TestHouse.password,
        now: house.clock.now())
      ann = try #require(members.first?.id)
      couple = try #require(members.first?.couple?.id)
      ben = try house.signedIn("ben")
      let browser = try house.signedIn("annabella")
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
      house.browser().post("/reset", ["email": "annabella@example.test"])
      _ = house.browser().signIn("annabella@example.test", "not the password")
      _ = RegisterCoupleTests.register(
        house.browser(), "annabella@example.test", "nobody@example.test")
      browser.post("/settings/export")
      try house.work()
      hashes = try house.mediaHashes()
      try #require(hashes.count >= 4)
      browser.leave()
    }

    /// The tables in which something of Ann's address or person stands in a hash or an id.
    func rows() throws -> Int {
      let hash = house.house.keys.lookupHash("annabella@example.test")
      return try house.database.read { reader in
        try [
          ("users", "email_hash", hash), ("registration_sides", "email_hash", hash),
          ("mail_queue", "recipient_hash", hash), ("rate_limits", "subject", hash),
          ("rate_limits", "subject", house.house.keys.lookupHash(ann.description)),
          ("posts", "author_id", ann.bytes), ("likes", "user_id", ann.bytes),
          ("draft_images", "user_id", ann.bytes), ("answers", "person_id", ann.bytes),
          ("exports", "user_id", ann.bytes), ("deletions", "user_id", ann.bytes),
          ("couple_members", "user_id", ann.bytes), ("sessions", "user_id", ann.bytes),
        ].reduce(0) {
          $0 + (try reader.count("SELECT count(*) FROM \($1.0) WHERE \($1.1) = ?", $1.2))
        }
      }
    }

    func traces() throws -> [String] {
      let bytes = try house.databaseBytes()
      return ["Annabella", "annabella", "Unmistakable", ann.description].filter {
        bytes.range(of: Data($0.utf8)) != nil
      }
    }
  }

  @Test("No row, no word, no address, no picture; the partner stays with what is theirs")
  func nothing() throws {
    let world = try World()
    let house = world.house
    house.clock.advance(seconds: .days(30) - 1)
    try house.work()
    #expect(try world.rows() > 0)
    #expect(try world.traces().contains("Annabella"))
    #expect(!world.hashes.isDisjoint(with: try house.mediaHashes()))
    house.clock.advance(seconds: 3600)
    try house.work()
    #expect(try world.rows() == 0)
    #expect(try world.traces() == [])
    #expect(world.hashes.isDisjoint(with: try house.mediaHashes()))
    #expect(try house.mediaFiles() == [])
    #expect(try house.count("SELECT count(*) FROM file_removals") == 0)
    #expect(try house.coupleStatus(world.couple) == "single")
    let ben = try house.signedIn("ben")
    #expect(ben.get("/").shows("Words of his") && ben.get("/").shows("data-composer"))
    #expect(try house.count("SELECT count(*) FROM likes") == 0)
    #expect(
      try house.house.doctorChecks.flatMap { try $0.find(house.database) } == [])
  }

  @Test("A new account with the address loses nothing by the purge of the old one")
  func newAccount() throws {
    let world = try World()
    let house = world.house
    house.clock.advance(seconds: .days(30) - 60)
    _ = RegisterCoupleTests.register(
      house.browser(), "annabella@example.test", "else@example.test")
    house.clock.advance(seconds: 3600)
    try house.work()
    #expect(try house.count("SELECT count(*) FROM users") == 1)
    let link = try house.link(to: "annabella@example.test")
    let new = house.browser()
    try RegisterCoupleTests.complete(new, link, "Anna")
    #expect(new.get("/register/waiting").shows("else@example.test"))
  }

  @Test("Files that a crash left are removed by the next round; one that can't keeps no other")
  func crash() throws {
    let house = try TestHouse()
    let media = house.house.configuration.mediaFolder
    try FileManager.default.createDirectory(
      atPath: "\(media)/a/b", withIntermediateDirectories: true)
    for file in ["a/b/one", "a/two", "outside"] {
      #expect(FileManager.default.createFile(atPath: "\(media)/\(file)", contents: nil))
    }
    try house.database.write {
      for path in ["", "../media/outside", "a/../outside", "a/b", "a/gone", "a/two"] {
        try $0.execute("INSERT INTO file_removals (path) VALUES (?)", path)
      }
    }
    try house.work()
    #expect(try house.mediaFiles() == ["outside"])
    #expect(try house.count("SELECT count(*) FROM file_removals") == 3)
  }

  @Test("One whose rows can't be removed doesn't keep the others")
  func failure() throws {
    let house = try TestHouse()
    let names = ["sam", "tom"]
    for name in names {
      try house.alone(name)
      try house.signedIn(name).leave()
    }
    try house.database.write {
      try $0.execute(
        """
        CREATE TRIGGER stuck BEFORE DELETE ON users WHEN OLD.display_name = 'Sam'
        BEGIN SELECT raise(ABORT, 'stuck'); END
        """)
    }
    house.clock.advance(seconds: .days(30))
    try house.work()
    #expect(try house.count("SELECT count(*) FROM users WHERE display_name = 'Sam'") == 1)
    #expect(try house.count("SELECT count(*) FROM users") == 1)
    try house.database.write { try $0.execute("DROP TRIGGER stuck") }
    house.clock.advance(seconds: 3600)
    try house.work()
    #expect(try house.count("SELECT count(*) FROM users") == 0)
  }

  @Test("A couple of which both are gone goes with its picture")
  func both() throws {
    let house = try TestHouse()
    let couple = try #require(try house.couple().first?.couple?.id)
    let ann = try house.signedIn("ann")
    try ann.write("Hers")
    try house.signedIn("ben").write("His")
    ann.upload(
      "/couples/\(couple)/edit",
      [("couple_name", "Two"), ("anniversary", "2020-01-01"), ("bio", "")],
      files: [("avatar", SmallPicture.png), ("own_avatar", SmallPicture.png)])
    ann.leave()
    house.clock.advance(seconds: .days(3))
    try house.signedIn("ben").leave()
    house.clock.advance(seconds: .days(28))
    try house.work()
    #expect(try house.coupleStatus(couple) == "single")
    #expect(house.browser().comeBack("ben@example.test").location == "/")
    try house.signedIn("ben").leave()
    house.clock.advance(seconds: .days(31))
    try house.work()
    #expect(try house.coupleStatus(couple) == nil)
    #expect(try house.mediaFiles() == [])
    let folder = "\(house.house.configuration.mediaFolder)/couples/\(couple)"
    #expect(!FileManager.default.fileExists(atPath: folder))
  }
}
