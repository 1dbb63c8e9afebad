import Core
import Foundation
import Synchronization
import Testing

@testable import Database

private enum Thing {}

@Suite struct DatabaseTests {
  let database: Database
  let path = NSTemporaryDirectory() + "database-\(UUID().uuidString).sqlite"

  init() throws {
    database = try Database(path: path)
    try database.migrate([
      Migration(
        "things 1", "CREATE TABLE things (id BLOB PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT")
    ])
  }

  @Test("The writer commits to the disk: synchronous is FULL, the log is write-ahead")
  func pragmas() throws {
    #expect(try database.writerPragma("synchronous") == "2")
    #expect(try database.writerPragma("journal_mode") == "wal")
    #expect(try database.writerPragma("foreign_keys") == "1")
    #expect(try database.writerPragma("busy_timeout") == "5000")
  }

  @Test("What is written is read back with its types")
  func roundTrip() throws {
    let id = ID<Thing>(now: Instant(milliseconds: 5))
    try database.write { try $0.execute("INSERT INTO things VALUES (\(id), \("纸 ' \" ; --"))") }
    let found = try database.read {
      try $0.first("SELECT id, name FROM things WHERE id = \(id)") {
        (try $0.next(ID<Thing>.self), try $0.next(String.self))
      }
    }
    #expect(found?.0 == id)
    #expect(found?.1 == "纸 ' \" ; --")
  }

  @Test("Empty text is empty, not NULL")
  func emptyText() throws {
    try database.write { try $0.execute("INSERT INTO things VALUES (\([1] as [UInt8]), \(""))") }
    #expect(try database.read { try $0.exists("SELECT 1 FROM things WHERE name = ''") })
  }

  @Test("A transaction that throws leaves nothing behind")
  func rollback() throws {
    #expect(throws: CancellationError.self) {
      try database.write { writer in
        try writer.execute("INSERT INTO things VALUES (\([1] as [UInt8]), \("a"))")
        throw CancellationError()
      }
    }
    #expect(try database.read { try $0.count("SELECT count(*) FROM things") } == 0)
  }

  @Test("A statement counts its own rows, not those of triggers and cascades")
  func ownRows() throws {
    try database.migrate([
      Migration(
        "parts 1",
        """
        CREATE TABLE parts (
          thing BLOB NOT NULL REFERENCES things (id) ON DELETE CASCADE, n INTEGER NOT NULL) STRICT;
        CREATE TRIGGER parts_of_things AFTER UPDATE ON things BEGIN
          INSERT INTO parts VALUES (NEW.id, 1), (NEW.id, 2), (NEW.id, 3);
        END
        """)
    ])
    let counts = try database.write { writer in
      try writer.execute("INSERT INTO things VALUES (\([1] as [UInt8]), \("a"))")
      return [
        try writer.execute("UPDATE things SET name = \("b")"),
        try writer.execute("UPDATE things SET name = \("c") WHERE name = \("nobody")"),
        try writer.count("SELECT count(*) FROM parts"),
        try writer.execute("DELETE FROM things"),
        try writer.count("SELECT count(*) FROM parts"),
        try writer.execute("CREATE TABLE others (n INTEGER) STRICT"),
      ]
    }
    #expect(counts == [1, 0, 3, 1, 0, 0])
  }

  @Test("A second row of the same name is a duplicate, and named as one")
  func duplicate() throws {
    try database.write { try $0.execute("INSERT INTO things VALUES (\([1] as [UInt8]), \("a"))") }
    let error = #expect(throws: StorageError.self) {
      try database.write {
        try $0.execute(
          "INSERT INTO things VALUES (\([2] as [UInt8]), \("a"))")
      }
    }
    guard case .duplicate = error else {
      return #expect(Bool(false), "\(String(describing: error))")
    }
  }

  @Test("Who waits behind others for another program's lock waits no longer than they")
  func queuedForALock() async throws {
    let other = try Database(path: path)
    let (isLocked, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      _ = try? other.write { _ in
        isLocked.signal()
        mayEnd.wait()
      }
    }
    defer { mayEnd.signal() }
    try #require(isLocked.wait(timeout: .now() + 60) == .success)
    // Another process begins to wait when the first of three is told that it is busy. The others
    // have waited as long: they are told before it.
    let process = try Database(path: path)
    let firstIsTold = DispatchSemaphore(value: 0)
    let told = Mutex<[String]>([])
    await onThreads(4) { [database] number in
      let isLate = number == 3
      if isLate { firstIsTold.wait() }
      do {
        try (isLate ? process : database).write {
          try $0.execute("INSERT INTO things VALUES (\([UInt8(number)]), \("a"))")
        }
      } catch StorageError.busy {
        told.withLock { $0.append(isLate ? "late" : "in line") }
        firstIsTold.signal()
      } catch {}
    }
    #expect(told.withLock { $0 } == ["in line", "in line", "in line", "late"])
    #expect(try database.writerPragma("busy_timeout") == "5000")
  }

  @Test("Readers cannot write")
  func readOnly() throws {
    #expect(throws: StorageError.self) {
      try database.read { try $0.count("DELETE FROM things RETURNING 1") }
    }
  }

  @Test("Many threads read and write at once, and every write is there")
  func threads() async throws {
    let database = self.database
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<8 {
        group.addTask {
          for number in 0..<25 {
            try database.write {
              try $0.execute(
                "INSERT INTO things VALUES (\(ID<Thing>.random()), \("\(worker)-\(number)"))")
            }
            _ = try database.read { try $0.count("SELECT count(*) FROM things") }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try database.read { try $0.count("SELECT count(*) FROM things") } == 200)
  }

  @Test("Migrations run once, however often they are asked for")
  func migrations() throws {
    let more = [
      Migration("things 1", "CREATE TABLE things (id BLOB)"),
      Migration("things 2", "ALTER TABLE things ADD COLUMN age INTEGER"),
    ]
    #expect(try database.missing(of: more) == ["things 2"])
    try database.migrate(more)
    try database.migrate(more)
    #expect(try database.missing(of: more) == [])
  }

  @Test("A log of statements lists the executed ones, for the tests of plans")
  func statements() throws {
    let log = StatementLog()
    let logged = try Database(
      path: NSTemporaryDirectory() + "database-\(UUID().uuidString).sqlite", log: log)
    _ = try logged.read { try $0.count("SELECT 7") }
    #expect(log.all == ["SELECT 7"])
    #expect(try database.read { try $0.plan(of: "SELECT * FROM things") }.contains("SCAN things"))
  }
}
