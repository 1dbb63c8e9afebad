import PostgreSQLServer
import Testing

@testable import Database

@Suite("Parts of a transaction, and bodies that run twice")
struct SavepointTests {
  private func add(_ number: UInt8, _ name: String, _ writer: WriteTransaction) throws {
    try writer.execute("INSERT INTO things VALUES (\([number]), \(name))")
  }

  private func names(_ database: Database) throws -> [String] {
    try database.read { try $0.values("SELECT name FROM things ORDER BY name") }
  }

  @Test("A part that fails is undone alone, and the rest is stored", arguments: TestEngine.allCases)
  func part(engine: TestEngine) throws {
    let database = try engine.database(DatabaseTests.things)
    try database.write { writer in
      try add(1, "a", writer)
      #expect(throws: StorageError.self) {
        try writer.savepoint {
          try add(2, "b", writer)
          try add(3, "a", writer)
        }
      }
      #expect(throws: CancellationError.self) {
        try writer.savepoint {
          try add(4, "c", writer)
          throw CancellationError()
        }
      }
      try writer.savepoint { try add(5, "d", writer) }
    }
    #expect(try names(database) == ["a", "d"])
  }

  @Test(
    "With repeated writes a body runs twice, its changes and statements count once",
    arguments: TestEngine.allCases)
  func repeated(engine: TestEngine) throws {
    let log = StatementLog()
    let database = try engine.open(engine.place(), log: log)
    try database.migrate(DatabaseTests.things)
    for isOn in [false, true] {
      let before = log.count
      var runs: UInt8 = 0
      let last = try RepeatedWrites.$areOn.withValue(isOn) {
        try database.write { writer in
          runs += 1
          try add(isOn ? 2 : 1, isOn ? "b" : "a", writer)
          return runs
        }
      }
      #expect(last == (isOn ? 2 : 1))
      #expect(log.count - before == 1)
    }
    #expect(try names(database) == ["a", "b"])
  }

  @Test(
    "With repeated writes a step at the end of transactions runs twice, and a failure is thrown",
    arguments: TestEngine.allCases)
  func failing(engine: TestEngine) throws {
    let database = try engine.database(DatabaseTests.things)
    let step = TransactionHook { writer, _ in try self.add(9, "step", writer) }
    try RepeatedWrites.$areOn.withValue(true) {
      try TransactionHook.$step.withValue(step) {
        try database.write { try add(1, "a", $0) }
      }
      let after = try names(database)
      #expect(after == ["a", "step"])
      let left = TransactionHook.step == nil
      #expect(left)
      #expect(throws: CancellationError.self) {
        try database.write { writer in
          try add(2, "b", writer)
          throw CancellationError()
        }
      }
    }
    #expect(try names(database) == ["a", "step"])
  }
}
