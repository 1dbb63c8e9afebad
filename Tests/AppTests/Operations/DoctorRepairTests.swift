import Accounts
import Database
import Foundation
import Moderation
import Testing

@testable import App

@Suite("Limits of a repair by the doctor")
struct DoctorRepairTests {
  private func mend(_ name: String, _ instance: TestInstance) throws {
    let check = try #require(instance.instance.doctorChecks.first { $0.name == name })
    #expect(try !check.find(instance.database).isEmpty)
    let repair = try #require(check.repair)
    try repair(instance.database)
    #expect(try check.find(instance.database) == [])
  }

  @Test("Of many posts only those that are counted wrong are written")
  func posts() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    for number in 1...4 { try ann.writeWithPicture("Number \(number)") }
    try instance.database.write { writer in
      try writer.execute(
        "UPDATE posts SET like_count = 7, image_count = 7 WHERE content = 'Number 2'")
    }
    try instance.migrate(
      """
      CREATE TRIGGER posts_watched BEFORE UPDATE OF like_count, image_count ON posts
      WHEN OLD.like_count < 7 AND OLD.image_count < 7
      BEGIN SELECT RAISE(ABORT, 'a post that was right'); END
      """)
    // After the first update the second number is still wrong, so the trigger accepts both.
    try mend("counts of pictures are correct", instance)
    try mend("counts of likes are correct", instance)
    #expect(try instance.count("SELECT sum(like_count) FROM posts") == 0)
    #expect(try instance.count("SELECT sum(image_count) FROM posts") == 4)
  }

  @Test("An action that is undone leaves no gap in the staff log")
  func logWithoutGaps() throws {
    struct Undo: Error {}
    let instance = try TestInstance()
    func note(_ writer: WriteTransaction) throws {
      try AuditLog().note(
        .endGroup, to: AuditTarget(kind: "group", bytes: [1]), details: "", by: nil,
        now: instance.clock.now(), in: writer)
    }
    try instance.database.write(note)
    #expect(throws: Undo.self) {
      try instance.database.write { writer in
        try note(writer)
        throw Undo()
      }
    }
    try instance.database.write(note)
    let numbers: [Int] = try instance.database.read {
      try $0.values("SELECT number FROM staff_log ORDER BY number")
    }
    #expect(numbers == [1, 2])
    let check = try #require(
      instance.instance.doctorChecks.first { $0.name == "the staff log has no gaps" })
    #expect(try check.find(instance.database) == [])
  }

  @Test("One wrong last day causes no check of other users")
  func days() throws {
    let instance = try TestInstance()
    try instance.watched("mei", by: ["ming"])
    let lin = try instance.watched("lin", by: ["kai"])
    try instance.database.write {
      _ = try $0.execute(
        "UPDATE checkin_settings SET next_at = 123")
    }
    try instance.database.write {
      _ = try $0.execute(
        "UPDATE checkin_settings SET last_day = last_day - 1 WHERE user_id = \(lin)")
    }
    try mend("last check-ins are correct", instance)
    #expect(try instance.count("SELECT count(*) FROM checkin_settings WHERE next_at = 0") == 1)
    #expect(try instance.count("SELECT count(*) FROM checkin_settings WHERE next_at = 123") == 1)
  }

  @Test(
    "A broken search index is rebuilt while users search and write",
    .onSQLite("PostgreSQL repairs its indexes"))
  func search() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let post = try ann.write("A lantern by the river")
    try instance.work()
    // Its segments are gone, but the list of them is not.
    try instance.database.write {
      _ = try $0.execute("DELETE FROM post_words_data WHERE id > 10")
    }
    try mend("the search index is intact", instance)
    #expect(ann.get("/search?q=lantern").shows(post))
    let other = try ann.write("Another lantern")
    #expect(ann.get("/search?q=lantern").shows(other))
    #expect(
      try instance.count("SELECT count(*) FROM sqlite_master WHERE name LIKE '%_broken%'") == 0)
  }

  @Test(
    "The leftovers of an interrupted index repair are removed by the next one",
    .onSQLite("PostgreSQL repairs its indexes"))
  func stopped() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.signedIn("ann").write("A lantern by the river")
    try instance.work()
    try instance.database.write {
      try $0.execute("ALTER TABLE post_words RENAME TO post_words_broken")
      try $0.execute(
        "CREATE VIRTUAL TABLE post_words USING fts5 (words, tokenize = 'ascii', columnsize = 0)")
    }
    try mend("the search index is intact", instance)
    #expect(
      try instance.count("SELECT count(*) FROM sqlite_master WHERE name LIKE '%_broken%'") == 0)
  }
}
