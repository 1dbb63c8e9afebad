import Core
import Foundation
import PostgreSQLServer
import Synchronization
import Testing

@testable import Database

/// SQLite has one writer, no server and other types.
@Suite("Transactions, values and errors of PostgreSQL")
struct PostgreSQLTests {
  private let place: String
  private let database: Database

  init() throws {
    place = try TestEngine.postgresql.place()
    database = try Database(server: place)
    try database.migrate([
      Migration(
        "things 1",
        "CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT, size REAL, data BLOB) STRICT")
    ])
  }

  @Test("Commits are on disk, and a transaction sees no changes of others")
  func settings() throws {
    #expect(try database.read { try $0.value("SHOW synchronous_commit") } == "on")
    #expect(try database.read { try $0.value("SHOW transaction_isolation") } == "repeatable read")
    #expect(try database.write { try $0.value("SHOW transaction_isolation") } == "serializable")
    let lazy = try Database(server: place + "&options=-csynchronous_commit%3Doff")
    #expect(try lazy.read { try $0.value("SHOW synchronous_commit") } == "on")
    let strict = try Database(server: place + "&options=-csynchronous_commit%3Dremote_apply")
    #expect(try strict.read { try $0.value("SHOW synchronous_commit") } == "remote_apply")
  }

  @Test("Values of all types are read as they were written, and numbers as others")
  func types() throws {
    let bytes = [UInt8](0...255)
    try database.write { writer in
      try writer.execute(
        "INSERT INTO things VALUES (\(Int64.max), \("纸 ' \\ \" $1"), \(-0.5), \(bytes))")
      try writer.execute("INSERT INTO things VALUES (\(-1), \(""), \(1e300), \([UInt8]()))")
      try writer.execute(
        "INSERT INTO things VALUES (\(2), \(String?.none), \(Double?.none), \([UInt8]?.none))")
    }
    let rows = try database.read {
      try $0.rows("SELECT id, name, size, data FROM things ORDER BY id DESC") {
        (
          try $0.next(Int64.self), try $0.next(String?.self), try $0.next(Double?.self),
          try $0.next([UInt8]?.self)
        )
      }
    }
    #expect(rows.count == 3)
    #expect(rows[0] == (.max, "纸 ' \\ \" $1", -0.5, bytes))
    #expect(rows[1] == (2, nil, nil, nil))
    #expect(rows[2] == (-1, "", 1e300, []))
    try database.read { (reader) throws in
      // numeric, int4, bool, text, real.
      #expect(try reader.count("SELECT sum(id) FROM things WHERE id < 3") == 1)
      #expect(try reader.value("SELECT sum(id) FROM things") == Int.max)
      #expect(try reader.value("SELECT avg(id) FROM things WHERE id < 3") == 0.5)
      #expect(try reader.value("SELECT -12345.00067::numeric") == -12345.00067)
      #expect(try reader.count("SELECT -120000::numeric") == -120_000)
      #expect(try reader.value("SELECT 0.00012::numeric") == 0.00012)
      #expect(try reader.count("SELECT length(name) FROM things WHERE id = -1") == 0)
      #expect(try reader.value("SELECT id > 0 FROM things WHERE id = 2") == true)
      #expect(try reader.count("SELECT '17'") == 17)
      #expect(try reader.count("SELECT 2.9::float8") == 2)
      #expect(try reader.value("SELECT count(*) FROM things") == "3")
      #expect(try reader.value("SELECT \(Int?.none)") as Int? == 0)
      #expect(try reader.count("SELECT coalesce(\(Int?.none), \(5))") == 5)
      #expect(try reader.exists("SELECT 1 WHERE \(Int?.none) IS NULL"))
    }
  }

  @Test("Text with a zero byte is refused, which SQLite stores")
  func zeroByte() throws {
    let error = #expect(throws: StorageError.self) {
      try database.write { try $0.execute("INSERT INTO things (name) VALUES (\("a\0b"))") }
    }
    guard case .constraint = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("Rows get numbers, and text is ordered by its bytes")
  func order() throws {
    try database.write { writer in
      for name in ["b", "B", "a", "é"] {
        try writer.execute("INSERT INTO things (name) VALUES (\(name))")
      }
    }
    let found: [String] = try database.read {
      try $0.values("SELECT name FROM things ORDER BY name")
    }
    #expect(found == ["B", "a", "b", "é"])
    #expect(
      try database.read { try $0.values("SELECT id FROM things ORDER BY id") } == [1, 2, 3, 4])
  }

  @Test("Changes that depend on each other are made one after the other, each once")
  func conflicts() async throws {
    try database.write { try $0.execute("INSERT INTO things VALUES (1, '', 0, NULL)") }
    let runs = Atomic(0)
    await onThreads(4) { _ in
      for _ in 0..<10 {
        do {
          try database.write { writer in
            runs.add(1, ordering: .relaxed)
            let size =
              try writer.value("SELECT size FROM things WHERE id = 1", as: Double.self) ?? 0
            usleep(500)
            try writer.execute("UPDATE things SET size = \(size + 1) WHERE id = 1")
          }
        } catch {
          Issue.record(error)
        }
      }
    }
    #expect(try database.read { try $0.value("SELECT size FROM things") } == 40.0)
    #expect(runs.load(ordering: .relaxed) > 40)
  }

  @Test("A change that others get in the way of is made alone at last, and is overtaken by none")
  func alone() async throws {
    try database.write { try $0.execute("INSERT INTO things VALUES (1, '', 0, NULL)") }
    let other = try Database(server: place)
    let runs = Atomic(0)
    let overtaken = Atomic(0)
    let isDone = Atomic(false)
    await onThreads(2) { number in
      do {
        if number == 0 {
          while !isDone.load(ordering: .relaxed) {
            try other.write { try $0.execute("UPDATE things SET size = size + 1 WHERE id = 1") }
          }
        } else {
          try database.write { writer in
            runs.add(1, ordering: .relaxed)
            let size = try writer.value("SELECT size FROM things WHERE id = 1", as: Double.self)
            usleep(50_000)
            let now = try other.read {
              try $0.value("SELECT size FROM things WHERE id = 1", as: Double.self)
            }
            if size != now { overtaken.add(1, ordering: .relaxed) }
            try writer.execute("UPDATE things SET data = \([UInt8](1...3)) WHERE id = 1")
          }
          isDone.store(true, ordering: .relaxed)
        }
      } catch {
        isDone.store(true, ordering: .relaxed)
        Issue.record(error)
      }
    }
    #expect(runs.load(ordering: .relaxed) == overtaken.load(ordering: .relaxed) + 1)
    #expect(overtaken.load(ordering: .relaxed) <= 6)
  }

  @Test("A change that another program gets in the way of each time is given up as busy")
  func givenUp() throws {
    try database.write { try $0.execute("INSERT INTO things VALUES (1, '', 0, NULL)") }
    let other = try PostgreSQLEngine.connect(to: place)
    var runs = 0
    #expect(throws: StorageError.self) {
      try database.write { writer in
        runs += 1
        _ = try writer.count("SELECT size FROM things WHERE id = 1")
        try other.run("UPDATE things SET size = size + 1 WHERE id = 1")
        // Its own error must not hide the reason.
        do {
          try writer.execute("UPDATE things SET size = 100 WHERE id = 1")
        } catch {
          throw CancellationError()
        }
      }
    }
    #expect(runs == 10)
    #expect(try database.read { try $0.count("SELECT size FROM things") } == 10)
  }

  @Test("A conflict in a part repeats the whole change, even if the part's error is caught")
  func conflictInPart() throws {
    try database.write { try $0.execute("INSERT INTO things VALUES (1, '', 0, NULL)") }
    let other = try Database(server: place)
    var runs = 0
    try database.write { writer in
      runs += 1
      _ = try writer.count("SELECT size FROM things WHERE id = 1")
      if runs == 1 {
        try other.write { try $0.execute("UPDATE things SET size = size + 1 WHERE id = 1") }
      }
      _ = try? writer.savepoint {
        try writer.execute("UPDATE things SET size = size + 10 WHERE id = 1")
      }
    }
    #expect(runs == 2)
    #expect(try database.read { try $0.count("SELECT size FROM things") } == 11)
  }

  @Test("A body that goes on after a failed statement stores nothing, and is told why")
  func goesOn() throws {
    let error = #expect(throws: StorageError.self) {
      try database.write { writer in
        try writer.execute("INSERT INTO things (id) VALUES (1)")
        _ = try? writer.execute("INSERT INTO things (id) VALUES (1)")
      }
    }
    guard case .duplicate(let message) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(message.contains("things_pkey"))
    #expect(try database.read { try $0.count("SELECT count(*) FROM things") } == 0)
  }

  @Test("A lock that another one holds is waited for in vain for 5 s at most")
  func locked() throws {
    try database.write { try $0.execute("INSERT INTO things VALUES (1, '', 0, NULL)") }
    let other = try Database(server: place)
    let start = ContinuousClock.now
    try database.write { writer in
      try writer.execute("UPDATE things SET size = 1")
      let error = #expect(throws: StorageError.self) {
        try other.write { try $0.execute("UPDATE things SET size = 2") }
      }
      guard case .busy = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
    #expect(start.duration(to: .now) < .seconds(30))
  }

  @Test("A change of a column's type by another program is noticed by prepared statements")
  func changedType() throws {
    try database.write { try $0.execute("INSERT INTO things (id, size) VALUES (1, 2)") }
    #expect(try database.write { try $0.count("SELECT size FROM things") } == 2)
    let other = try Database(server: place)
    try other.write { try $0.execute("ALTER TABLE things ALTER COLUMN size TYPE BIGINT") }
    #expect(try database.write { try $0.count("SELECT size FROM things") } == 2)
  }

  @Test("A missing table is a schema of another version")
  func schema() throws {
    let error = #expect(throws: StorageError.self) {
      try database.read { try $0.count("SELECT count(*) FROM wishes") }
    }
    #expect(
      error?.description
        == #"the database has the schema of another version: relation "wishes" does not exist"#)
  }

  @Test("A query with another number of values than places is refused")
  func places() throws {
    #expect(throws: StorageError.self) { try database.read { try $0.count("SELECT ?") } }
    #expect(throws: StorageError.self) { try database.file() }
    #expect(throws: StorageError.self) {
      try database.write { try $0.executeCountingAll("DELETE FROM things") }
    }
  }
}
