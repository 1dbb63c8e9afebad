import Foundation
import PostgreSQLServer
import Synchronization
import Testing

@testable import Database

/// Faults of a server; SQLite has none.
@Suite("When the server of PostgreSQL is away", .serialized)
struct PostgreSQLFaultTests {
  private static let things = [
    Migration("things 1", "CREATE TABLE things (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID")
  ]

  private func count(_ database: Database) throws -> Int {
    try database.read { try $0.count("SELECT count(*) FROM things") }
  }

  @Test("After a restart the next transaction finds the server by itself; meanwhile it is away")
  func restart() throws {
    let server = try PostgreSQLServer()
    let database = try Database(server: server.newDatabase())
    try database.migrate(Self.things)
    try database.write { try $0.execute("INSERT INTO things VALUES ('a')") }
    try server.restart()
    try database.write { try $0.execute("INSERT INTO things VALUES ('b')") }
    try server.stop()
    for _ in 0..<2 {
      let error = #expect(throws: StorageError.self) { try count(database) }
      guard case .unavailable = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(error?.description.contains("\n") == false)
    }
    try server.start()
    #expect(try count(database) == 2)
  }

  /// It has a server of its own, since it gets in the way of all transactions there.
  @Test("A long transaction in another database of the server keeps no change from being made")
  func longTransactionElsewhere() async throws {
    let server = try PostgreSQLServer()
    let database = try Database(server: server.newDatabase())
    try database.migrate([
      Migration("sizes 1", "CREATE TABLE sizes (id INTEGER PRIMARY KEY, size INTEGER) STRICT")
    ])
    try database.write { writer in
      for id in 0..<4 { try writer.execute("INSERT INTO sizes VALUES (\(id), 0)") }
    }
    let elsewhere = try PostgreSQLEngine.connect(to: server.newDatabase())
    try elsewhere.run("BEGIN ISOLATION LEVEL SERIALIZABLE; CREATE TABLE slow (id BIGINT)")
    // After some thousand transactions all that follow are refused, unless they run alone.
    let isRefused = Atomic(false)
    let hasFailed = Atomic(false)
    await onThreads(4) { number in
      do {
        var (refusedInARow, left) = (0, 10_000)
        while !isRefused.load(ordering: .relaxed), !hasFailed.load(ordering: .relaxed), left > 0 {
          var runs = 0
          try database.write { writer in
            runs += 1
            let sum = try writer.count("SELECT CAST(sum(size) AS BIGINT) FROM sizes")
            try writer.execute("UPDATE sizes SET size = \(sum % 100 + 1) WHERE id = \(number)")
          }
          refusedInARow = runs > 6 ? refusedInARow + 1 : 0
          if refusedInARow == 5 { isRefused.store(true, ordering: .relaxed) }
          left -= 1
        }
      } catch {
        hasFailed.store(true, ordering: .relaxed)
        Issue.record(error)
      }
    }
    let wasRefused = isRefused.load(ordering: .relaxed)
    #expect(wasRefused)
    try elsewhere.run("COMMIT")
    try server.stop()
  }

  @Test("A server that stops in the middle of a change stores nothing of it")
  func middle() throws {
    let server = try PostgreSQLServer()
    let database = try Database(server: server.newDatabase())
    try database.migrate(Self.things)
    let error = #expect(throws: StorageError.self) {
      try database.write { writer in
        try writer.execute("INSERT INTO things VALUES ('a')")
        try server.restart()
        try writer.execute("INSERT INTO things VALUES ('b')")
      }
    }
    guard case .unavailable = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try count(database) == 0)
  }

  @Test("A connection that is lost during the commit is reported as such, and nothing is repeated")
  func commit() throws {
    let database = try Database(server: TestEngine.postgresql.place())
    try database.migrate(Self.things)
    try database.write { writer in
      try writer.execute(
        """
        CREATE FUNCTION lost() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM pg_terminate_backend(pg_backend_pid());
          RETURN NULL;
        END $$
        """)
      try writer.execute(
        """
        CREATE CONSTRAINT TRIGGER lost AFTER INSERT ON things DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION lost()
        """)
    }
    var runs = 0
    let error = #expect(throws: StorageError.self) {
      try database.write { writer in
        runs += 1
        try writer.execute("INSERT INTO things VALUES ('a')")
      }
    }
    guard case .uncertain = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(runs == 1)
    #expect(try count(database) == 0)
  }

  @Test("Of several hosts the first one that takes writes is used")
  func hosts() throws {
    let server = try PostgreSQLServer.shared
    let address = try server.newDatabase()
    let several = address.replacing("host=", with: "host=/nowhere,")
    #expect(try Database(server: several).read { try $0.count("SELECT 7") } == 7)
    // A standby takes no writes; here it is a setting.
    let reading = address + "&options=-cdefault_transaction_read_only%3Don"
    let error = #expect(throws: StorageError.self) { try Database(server: reading) }
    #expect(error?.description.contains("read-only") == true)
    #expect(throws: Never.self) { try Database(server: reading + "&target_session_attrs=any") }
  }

  @Test("Wrong addresses are refused in one sentence")
  func wrong() throws {
    let server = try PostgreSQLServer.shared
    for address in [
      "postgresql://tests@/nothing?host=/nowhere", server.address("missing"), "postgresql://?x=y",
    ] {
      let error = #expect(throws: StorageError.self, "\(address)") { try Database(server: address) }
      let text = error?.description ?? ""
      #expect(text.hasPrefix("the database server is not available: "), "\(text)")
      #expect(!text.contains("\n"))
    }
  }
}
