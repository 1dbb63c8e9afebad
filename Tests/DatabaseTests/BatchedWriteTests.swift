import Foundation
import Glibc
import PostgreSQLServer
import Testing

@testable import Database

@Suite("Many rows, and a full disk")
struct BatchedWriteTests {
  private static let things = [
    Migration("things 1", "CREATE TABLE things (id INTEGER PRIMARY KEY) STRICT")
  ]

  private func count(_ database: Database) throws -> Int {
    try database.read { try $0.count("SELECT count(*) FROM things") }
  }

  @Test(
    "Steps are committed one by one: those before a failure are kept",
    arguments: TestEngine.allCases)
  func steps(engine: TestEngine) throws {
    let database = try engine.database(Self.things)
    struct Enough: Error {}
    let size = Database.step
    #expect(throws: Enough.self) {
      try database.writeInBatches(Array(1...(2 * size + 5))) { number, writer in
        if number == 2 * size + 3 { throw Enough() }
        try writer.execute("INSERT INTO things VALUES (\(number))")
      }
    }
    #expect(try count(database) == 2 * size)
    try database.writeInBatches { writer in
      try writer.execute("DELETE FROM things WHERE id IN (SELECT id FROM things LIMIT 150)") > 0
    }
    #expect(try count(database) == 0)
  }

  @Test(
    "SQLite's messages about broken pages are distinguished from all others",
    arguments: [(11, true), (267, true), (523, true), (1, false), (10, false), (26, false)])
  func corrupt(code: Int32, isCorrupt: Bool) {
    #expect(StorageError.other(code: code, "").saysCorrupt == isCorrupt)
    #expect(!StorageError.full.saysCorrupt && !StorageError.busy.saysCorrupt)
  }

  @Test("Between two steps another writer has its turn", arguments: TestEngine.allCases)
  func turns(engine: TestEngine) throws {
    let place = try engine.place()
    let (database, other) = (try engine.open(place), try engine.open(place))
    try database.migrate(Self.things)
    let isOver = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      defer { isOver.signal() }
      try? other.write { _ = try $0.execute("INSERT INTO things VALUES (-1)") }
    }
    var seen = false
    var left = 200
    try database.writeInBatches { writer in
      // The duration of a step with many rows.
      usleep(10_000)
      seen = try seen || writer.exists("SELECT 1 FROM things WHERE id = -1")
      left -= 1
      return !seen && left > 0
    }
    isOver.wait()
    #expect(seen)
  }

  /// SQLite only: it is a copy of the file.
  @Test("A copy is whole, may be written to, and is gone afterwards")
  func copies() throws {
    let path = try TestEngine.sqlite.place()
    let database = try Database(path: path)
    try database.migrate(Self.things)
    try database.write { _ = try $0.execute("INSERT INTO things VALUES (7)") }
    let found = try database.withCopy { copy in
      try copy.write { _ = try $0.execute("DELETE FROM things WHERE id = 7") }
      return try copy.read { try $0.count("SELECT count(*) FROM things") }
    }
    #expect(found == 0)
    #expect(try count(database) == 1)
    #expect(throws: CancellationError.self) {
      try database.withCopy { _ in throw CancellationError() }
    }
    let folder = try FileManager.default.contentsOfDirectory(atPath: NSTemporaryDirectory())
    let name = URL(filePath: path).lastPathComponent
    #expect(!folder.contains { $0.hasPrefix("\(name)-copy") })
  }

  private func isFull(_ code: Int32, _ system: Int32) -> Bool {
    if case .full = StorageError(code: code, message: "", system: system) { true } else { false }
  }

  // IOERR_WRITE, _FSYNC, _DIR_FSYNC, _TRUNCATE, _CLOSE, _SHMOPEN, _SHMSIZE, CANTOPEN
  // (sqlite.org/rescode.html).
  @Test(
    "A quota, and a full disk reported late, is a full disk",
    arguments: [778, 1034, 1290, 1546, 4106, 4618, 4874, 14] as [Int32])
  func full(code: Int32) {
    #expect(isFull(code, ENOSPC))
    #expect(isFull(code, EDQUOT))
    #expect(!isFull(code, EIO))
    #expect(!isFull(code, 0))
  }

  @Test("Other errors are not about disk space")
  func others() {
    // FULL; IOERR_READ, IOERR_NOMEM, CORRUPT, BUSY.
    #expect(isFull(13, 0))
    for code in [266, 3082, 11, 5] as [Int32] { #expect(!isFull(code, ENOSPC), "\(code)") }
  }
}
