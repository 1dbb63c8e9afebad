import Foundation
import Glibc
import PostgreSQLServer
import Synchronization
import Testing

@testable import Database

/// Several connections replace several processes: both engines lock between connections, in the same
/// process or not.
@Suite("Starting at the same time")
struct ConcurrentStartTests {
  private static let migrations =
    [Migration("things 1", "CREATE TABLE things (id INTEGER PRIMARY KEY) STRICT")]
    + (2..<12).map {
      Migration("things \($0)", "ALTER TABLE things ADD COLUMN column\($0) INTEGER")
    }

  /// A new database takes PostgreSQL longer.
  private func rounds(_ engine: TestEngine) -> Range<Int> { 0..<(engine == .sqlite ? 25 : 5) }

  /// Runs the body on this number of threads, started together; returns the thrown errors.
  private func atOnce(
    _ many: Int, _ body: @escaping @Sendable () throws -> Void
  ) async -> [String] {
    let failures = Failures()
    let missing = Atomic(many)
    await onThreads(many) { _ in
      missing.subtract(1, ordering: .relaxed)
      while missing.load(ordering: .relaxed) > 0 { sched_yield() }
      do { try body() } catch { failures.add("\(error)") }
    }
    return failures.all
  }

  private final class Failures: Sendable {
    private let list = Mutex<[String]>([])
    var all: [String] { list.withLock { $0 } }
    func add(_ text: String) { list.withLock { $0.append(text) } }
  }

  @Test(
    "A new database is opened and migrated once by all who start at once",
    arguments: TestEngine.allCases)
  func migrations(engine: TestEngine) async throws {
    for _ in rounds(engine) {
      let place = try engine.place()
      let failures = await atOnce(4) {
        let database = try engine.open(place)
        try database.migrate(Self.migrations)
        // After its own start each one sees the changes of all others.
        try database.write { try $0.execute("INSERT INTO things (column11) VALUES (1)") }
      }
      try #require(failures == [])
      let database = try engine.open(place)
      #expect(try database.missing(of: Self.migrations) == [])
      #expect(try database.read { try $0.count("SELECT count(*) FROM things") } == 4)
    }
  }

  @Test(
    "An old database is migrated once by all who start at once", arguments: TestEngine.allCases)
  func upgrade(engine: TestEngine) async throws {
    for _ in rounds(engine) {
      let place = try engine.place()
      try engine.open(place).migrate(Array(Self.migrations.prefix(3)))
      let failures = await atOnce(4) { try engine.open(place).migrate(Self.migrations) }
      try #require(failures == [])
      #expect(try engine.open(place).missing(of: Self.migrations) == [])
    }
  }

  @Test(
    "Steps done by another process are not repeated, and a failed one leaves nothing",
    arguments: TestEngine.allCases)
  func half(engine: TestEngine) throws {
    let place = try engine.place()
    let (one, other) = (try engine.open(place), try engine.open(place))
    try one.migrate(Self.migrations)
    try other.migrate(Self.migrations)
    let broken = Migration(
      "broken", "CREATE TABLE more (id INTEGER); CREATE TABLE things (x INTEGER)")
    #expect(throws: StorageError.self) { try one.migrate([broken]) }
    #expect(try other.missing(of: [broken]) == ["broken"])
    #expect(throws: StorageError.self) { try other.read { try $0.exists("SELECT 1 FROM more") } }
  }
}
