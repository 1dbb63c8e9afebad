import Accounts
import Core
import Database
import Foundation
import Testing

@testable import App

@Suite("Personal data are listed, exported and deleted")
struct PersonalDataTests {
  /// A column with the owner of a row.
  private struct Owned: Hashable {
    let table: String
    let column: String
  }

  /// Every column that refers to a user, by a foreign key or by its name.
  private func ownedColumns(_ instance: TestInstance) throws -> Set<Owned> {
    try instance.database.read { reader in
      let tables = try reader.values(
        "SELECT name FROM sqlite_master WHERE type = 'table'", as: String.self)
      var found: Set<Owned> = []
      for table in tables {
        let keys = try reader.rows(
          "SELECT \"table\", \"from\" FROM pragma_foreign_key_list(\(table))"
        ) { (to: try $0.next(String.self), from: try $0.next(String.self)) }
        found.formUnion(
          keys.filter { $0.to == "users" }.map { Owned(table: table, column: $0.from) })
        let columns = try reader.values(
          "SELECT name FROM pragma_table_info(\(table))", as: String.self)
        found.formUnion(
          columns.filter { ["user_id", "author_id", "person_id"].contains($0) }
            .map { Owned(table: table, column: $0) })
      }
      return found
    }
  }

  @Test(
    "Every table that points at a person is looked after by a participant",
    .onSQLite("PostgreSQLMigrationTests compares the schemas"))
  func covered() throws {
    let instance = try TestInstance()
    let owned = Set(try ownedColumns(instance).map(\.table))
    #expect(owned.isSuperset(of: ["posts", "likes", "sessions", "draft_images"]))
    let covered = instance.instance.participants.reduce(into: Set<String>()) {
      $0.formUnion($1.tables.map(\.name))
    }
    #expect(owned.subtracting(covered) == [])
  }

  @Test(
    "A participant names only tables that there are",
    .onSQLite("PostgreSQLMigrationTests compares the schemas"))
  func named() throws {
    let instance = try TestInstance()
    for table in instance.instance.participants.flatMap(\.tables).map(\.name) {
      #expect(
        try instance.database.read {
          try $0.exists("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = \(table)")
        }, "\(table)")
    }
  }

  @Test("An export holds the account, the posts and the likes")
  func export() throws {
    let instance = try TestInstance()
    let ann = try #require(try instance.couple().first)
    let browser = try instance.signedIn("ann")
    let post = try browser.write("My own words", visibility: "couple")
    browser.post("\(post)/like")
    try instance.signedIn("ben").write("Somebody else's words")
    let files = try instance.database.read { reader in
      try instance.instance.participants.flatMap { try $0.export(ann.id, from: reader) }
    }
    #expect(
      Set(files.map(\.name)) == [
        "account.json", "sessions.json", "posts.json", "likes.json", "comments.json",
        "check-ins.json",
        "contacts.json", "alerts.json", "check-in-record.json", "photos.json", "follows.json",
        "notices.json", "reports.json", "decisions.json", "wallet.json", "messages.json",
        "moments.json", "saved-posts.json", "favourite-photos.json",
      ])
    let text = files.map { String(decoding: $0.json, as: UTF8.self) }.joined()
    for words in ["My own words", "ann@example.test", "Ann & Ben", String(post.dropFirst(7))] {
      #expect(text.contains(words), "\(words)")
    }
    #expect(!text.contains("Somebody else's words") && !text.contains("password"))
    for file in files {
      let bytes = try instance.database.read { try file.bytes(in: $0) }
      _ = try JSONSerialization.jsonObject(with: Data(bytes ?? []))
    }
  }

  @Test(
    "A purge leaves no row of the person; the partner's posts and likes stay",
    .onSQLite("PostgreSQLMigrationTests compares the schemas"))
  func purge() throws {
    let instance = try TestInstance()
    let ann = try #require(try instance.couple().first)
    let (browser, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    let (own, other) = (try browser.writeWithPicture("Mine"), try ben.write("Yours"))
    for post in [own, other] {
      browser.post("\(post)/like")
      ben.post("\(post)/like")
    }
    browser.upload(
      "/posts", [("content", "Kept")],
      files: [("images", SmallPicture.png), ("images", [1, 2])])
    instance.browser().post("/reset", ["email": "ann@example.test"])
    try instance.purge(ann.id)
    for owned in try ownedColumns(instance) {
      let left = try instance.database.read {
        try $0.count(
          "SELECT count(*) FROM \(name: owned.table) WHERE \(name: owned.column) = \(ann.id)")
      }
      #expect(left == 0, "\(owned.table)")
    }
    #expect(try instance.count("SELECT count(*) FROM posts") == 1)
    #expect(try instance.count("SELECT like_count FROM posts") == 1)
    #expect(ben.get(other).shows("Yours"))
    #expect(ben.get(own).status == 404)
    #expect(!browser.get("/").shows("data-composer"))
  }

  @Test("The partner of a purged user stays in a couple of one, and can post")
  func partner() throws {
    let instance = try TestInstance()
    let ann = try #require(try instance.couple().first)
    try instance.signedIn("ann").write("Mine")
    try instance.purge(ann.id)
    #expect(try instance.count("SELECT count(*) FROM couples WHERE status = 'single'") == 1)
    try instance.signedIn("ben").write("Yours")
    #expect(try problems(instance) == [])
  }

  @Test("A couple of one goes with its person")
  func lone() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    try instance.signedIn("sam").write("Mine")
    try instance.purge(sam.id)
    #expect(try instance.count("SELECT count(*) FROM couples") == 0)
    #expect(try problems(instance) == [])
  }

  private func problems(_ instance: TestInstance) throws -> [String] {
    try instance.instance.doctorChecks.flatMap { try $0.find(instance.database) }
  }

  @Test("A purge names the files that can go")
  func purgedFiles() throws {
    let instance = try TestInstance()
    let ann = try #require(try instance.couple().first)
    let browser = try instance.signedIn("ann")
    try browser.writeWithPicture("Mine")
    browser.upload(
      "/posts", [("content", "Kept")],
      files: [("images", SmallPicture.png), ("images", [1, 2])])
    let paths = try instance.database.write { writer in
      try instance.instance.participants.flatMap {
        try $0.purge(ann.id, now: instance.clock.now(), in: writer)
      }
    }
    let files = try instance.mediaFiles()
    #expect(files.count == 6)
    #expect(files.allSatisfy { file in paths.contains { file.hasPrefix($0) } })
  }

  @Test("No address is in the database in plain text", .onSQLite("it reads the file"))
  func sealed() throws {
    let instance = try TestInstance()
    _ = RegisterCoupleTests.register(instance.browser(), "secret-ann@example.test")
    try instance.alone("secret-sam")
    instance.browser().post("/reset", ["email": "secret-sam@example.test"])
    try instance.database.checkpoint()
    let path = instance.instance.configuration.databasePath
    for file in [path, "\(path)-wal"] {
      let bytes = (try? Data(contentsOf: URL(filePath: file))) ?? Data()
      #expect(bytes.range(of: Data("secret-".utf8)) == nil)
    }
  }
}
