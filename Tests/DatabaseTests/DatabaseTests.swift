import Core
import Foundation
import PostgreSQLServer
import Testing

@testable import Database

private enum Thing {}

@Suite("Reading and writing, on both engines")
struct DatabaseTests {
  static let things = [
    Migration(
      "things 1", "CREATE TABLE things (id BLOB PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT")
  ]

  @Test("What is written is read back with its types", arguments: TestEngine.allCases)
  func roundTrip(engine: TestEngine) throws {
    let database = try engine.database(Self.things)
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

  @Test("Empty text is empty, not NULL", arguments: TestEngine.allCases)
  func emptyText(engine: TestEngine) throws {
    let database = try engine.database(Self.things)
    try database.write { try $0.execute("INSERT INTO things VALUES (\([1] as [UInt8]), \(""))") }
    #expect(try database.read { try $0.exists("SELECT 1 FROM things WHERE name = ''") })
  }

  @Test("A transaction that throws leaves nothing behind", arguments: TestEngine.allCases)
  func rollback(engine: TestEngine) throws {
    let database = try engine.database(Self.things)
    #expect(throws: CancellationError.self) {
      try database.write { writer in
        try writer.execute("INSERT INTO things VALUES (\([1] as [UInt8]), \("a"))")
        throw CancellationError()
      }
    }
    #expect(try database.read { try $0.count("SELECT count(*) FROM things") } == 0)
  }

  @Test(
    "A statement counts its own rows, not those of triggers and cascades",
    arguments: TestEngine.allCases)
  func ownRows(engine: TestEngine) throws {
    let database = try engine.database(Self.things)
    try database.migrate([
      Migration(
        "parts 1",
        """
        CREATE TABLE parts (
          thing BLOB NOT NULL REFERENCES things (id) ON DELETE CASCADE, n INTEGER NOT NULL) STRICT
        """),
      Migration(
        "parts 2",
        """
        CREATE TRIGGER parts_of_things AFTER UPDATE ON things BEGIN
          INSERT INTO parts VALUES (NEW.id, 1), (NEW.id, 2), (NEW.id, 3);
        END;
        """),
    ])
    let counts = try database.write { writer in
      try writer.execute("INSERT INTO things VALUES (\([1] as [UInt8]), \("a"))")
      return [
        try writer.execute("UPDATE things SET name = \("b")"),
        try writer.execute("UPDATE things SET name = \("c") WHERE name = \("nobody")"),
        try writer.count("SELECT count(*) FROM parts"),
        try writer.execute("DELETE FROM things"),
        try writer.count("SELECT count(*) FROM parts"),
        try writer.execute("CREATE TABLE others (n INTEGER)"),
      ]
    }
    #expect(counts == [1, 0, 3, 1, 0, 0])
  }

  @Test(
    "A second row of the same name is a duplicate, and named as one", arguments: TestEngine.allCases
  )
  func duplicate(engine: TestEngine) throws {
    let database = try engine.database(Self.things)
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

  @Test("Readers cannot write", arguments: TestEngine.allCases)
  func readOnly(engine: TestEngine) throws {
    let database = try engine.database(Self.things)
    #expect(throws: StorageError.self) {
      try database.read { try $0.count("DELETE FROM things RETURNING 1") }
    }
  }

  @Test(
    "Many threads read and write at once, and every write is there", arguments: TestEngine.allCases)
  func threads(engine: TestEngine) async throws {
    let database = try engine.database(Self.things)
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

  @Test("Migrations run once, however often they are asked for", arguments: TestEngine.allCases)
  func migrations(engine: TestEngine) throws {
    let database = try engine.database(Self.things)
    let more = [
      Migration("things 1", "CREATE TABLE things (id BLOB)"),
      Migration("things 2", "ALTER TABLE things ADD COLUMN age INTEGER"),
    ]
    #expect(try database.missing(of: more) == ["things 2"])
    try database.migrate(more)
    try database.migrate(more)
    #expect(try database.missing(of: more) == [])
  }

  @Test(
    "A log of statements lists the executed ones, for the tests of plans",
    arguments: TestEngine.allCases)
  func statements(engine: TestEngine) throws {
    let log = StatementLog()
    let logged = try engine.open(engine.place(), log: log)
    _ = try logged.read { try $0.count("SELECT 7") }
    #expect(log.all == ["SELECT 7"])
    for value in [7, nil, 8] {
      _ = try logged.read { try $0.exists("SELECT 7 WHERE 7 = \(value)") }
    }
    // Whether a value is NULL makes a difference.
    #expect(log.all.count == 2 && log.queries.count == 3)
  }

  @Test("Identifiers are given as a list, one or two in a row", arguments: TestEngine.allCases)
  func lists(engine: TestEngine) throws {
    let database = try engine.database(Self.things)
    let ids = (1...3).map { ID<Thing>(now: Instant(milliseconds: $0)) }
    try database.write { writer in
      for (number, id) in ids.enumerated() {
        try writer.execute("INSERT INTO things VALUES (\(id), \("thing \(number)"))")
      }
    }
    let some = IDList([ids[2], ids[0]])
    let none = IDList([ID<Thing>]())
    let pairs = IDList(pairs: [(ids[0], ids[1]), (ids[2], ids[0])])
    try database.read { reader in
      let found: [String] = try reader.values(
        "SELECT name FROM things WHERE name > \("") AND id IN \(some) ORDER BY name LIMIT \(9)")
      #expect(found == ["thing 0", "thing 2"])
      #expect(try !reader.exists("SELECT 1 FROM things WHERE id IN \(none)"))
      let joined: [String] = try reader.values(
        """
        SELECT t.name FROM \(pairs) p CROSS JOIN things t WHERE t.id = p.second ORDER BY t.name
        """)
      #expect(joined == ["thing 0", "thing 1"])
    }
  }

  @Test("Numbers and texts are given as a list", arguments: TestEngine.allCases)
  func values(engine: TestEngine) throws {
    let database = try engine.database(
      Self.things + [Migration("things 2", "CREATE TABLE days (day INTEGER NOT NULL)")])
    let texts = ["a", "\"b\\\u{1}\n", "爱'", "🏴", "c"]
    try database.write { writer in
      for (number, text) in texts.enumerated() {
        try writer.execute("INSERT INTO things VALUES (\([UInt8(number)]), \(text))")
        try writer.execute("INSERT INTO days VALUES (\(number - 2))")
      }
    }
    try database.read { reader in
      let found: [String] = try reader.values(
        "SELECT name FROM things WHERE name IN \(ValueList(texts.prefix(4))) ORDER BY id")
      #expect(found == Array(texts.prefix(4)))
      let others = try reader.count(
        "SELECT count(*) FROM things WHERE name NOT IN \(ValueList([String]()))")
      #expect(others == 5)
      let days: [Int] = try reader.values(
        """
        SELECT d.day FROM \(ValueList([LocalDay(number: 2), LocalDay(number: -1)])) AS l
        CROSS JOIN days d WHERE d.day = l.value ORDER BY d.day
        """)
      #expect(days == [-1, 2])
    }
  }

  @Test("Only the first row is read when one is asked for", arguments: TestEngine.allCases)
  func first(engine: TestEngine) throws {
    let database = try engine.database(Self.things)
    try database.write { writer in
      for number: UInt8 in 1...9 {
        try writer.execute("INSERT INTO things VALUES (\([number]), \("\(number)"))")
      }
      let first: String? = try writer.value("SELECT name FROM things ORDER BY name DESC")
      #expect(first == "9")
      #expect(try writer.count("SELECT count(*) FROM things") == 9)
      // A statement is carried out in full.
      let deleted: [UInt8]? = try writer.value("DELETE FROM things RETURNING id")
      #expect(deleted != nil)
      #expect(try !writer.exists("SELECT 1 FROM things"))
    }
  }

  @Test(
    "Fragments that the engines write differently take their values along",
    arguments: TestEngine.allCases)
  func fragments(engine: TestEngine) throws {
    let database = try engine.database(
      Self.things + [Migration("things 2", "CREATE INDEX things_by_name ON things (name)")])
    try database.write {
      try $0.execute("INSERT INTO things VALUES (\([0, 0xAB] as [UInt8]), \("a"))")
    }
    let isBoth = Query(
      sqlite: "(\(1) < \(2) AND name = \("a"))", postgresql: "('a' = \("a") AND name = \("a"))")
    let found: String? = try database.read {
      try $0.value(
        """
        SELECT lower(hex(id)) FROM things \(index: "things_by_name")
        WHERE \(3) = \(3) AND \(isBoth) AND \(4) = \(4)
        """)
    }
    #expect(found == "00ab")
  }

  @Test("Functions of SQLite have the same results on both", arguments: TestEngine.allCases)
  func functions(engine: TestEngine) throws {
    let database = try engine.database(Self.things)
    try database.write { writer in
      for byte: UInt8 in [7, 0xFF, 9] {
        try writer.execute("INSERT INTO things VALUES (\([byte]), \("\(byte)"))")
      }
    }
    let none = Int?.none
    let found = try database.read { reader in
      try reader.first(
        """
        SELECT max(\(2), 3), min(\(2), 3), max(\(none), 1), min(1, \(none)), max(-1, -1),
          iif(1 = \(1), 4, 5), iif(\(1) IS NULL, 1, 2), hex(min(id)), hex(max(id)),
          length(randomblob(16))
        FROM things
        """
      ) {
        [
          try $0.next(String?.self), try $0.next(String?.self), try $0.next(String?.self),
          try $0.next(String?.self), try $0.next(String?.self), try $0.next(String?.self),
          try $0.next(String?.self), try $0.next(String?.self), try $0.next(String?.self),
          try $0.next(String?.self),
        ]
      }
    }
    #expect(found == ["3", "2", nil, nil, "-1", "4", "2", "07", "FF", "16"])
  }
}
