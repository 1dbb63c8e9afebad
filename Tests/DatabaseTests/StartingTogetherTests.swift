import Foundation
import Synchronization
import Testing

@testable import Database

/// Several connections as several processes have them: SQLite's locks are between files' openers,
/// wherever they live.
@Suite("Starting at the same time")
struct StartingTogetherTests {
  private static let migrations =
    [Migration("things 1", "CREATE TABLE things (id INTEGER PRIMARY KEY) STRICT")]
    + (2..<12).map {
      Migration("things \($0)", "ALTER TABLE things ADD COLUMN column\($0) INTEGER")
    }

  /// Has so many do something at once, each on a thread of its own; answers what they threw.
  private func atOnce(_ many: Int, _ body: @escaping @Sendable () throws -> Void) -> [String] {
    let (group, start) = (DispatchGroup(), DispatchSemaphore(value: 0))
    let failures = Failures()
    for _ in 0..<many {
      group.enter()
      Thread.detachNewThread {
        start.wait()
        do { try body() } catch { failures.add("\(error)") }
        group.leave()
      }
    }
    for _ in 0..<many { start.signal() }
    // A limit of the test's own would count its wait behind all others as well.
    if group.wait(timeout: .now() + 60) == .timedOut { failures.add("some wait for each other") }
    return failures.all
  }

  private final class Failures: Sendable {
    private let list = Mutex<[String]>([])
    var all: [String] { list.withLock { $0 } }
    func add(_ text: String) { list.withLock { $0.append(text) } }
  }

  @Test("A new database is opened and migrated once by all who start at once")
  func migrations() throws {
    for _ in 0..<25 {
      let path = NSTemporaryDirectory() + "together-\(UUID().uuidString).sqlite"
      let failures = atOnce(4) {
        let database = try Database(path: path)
        try database.migrate(Self.migrations)
        // Whoever is through finds all of it, also what another did.
        try database.write { try $0.execute("INSERT INTO things (column11) VALUES (1)") }
      }
      #expect(failures == [])
      let database = try Database(path: path)
      #expect(try database.missing(of: Self.migrations) == [])
      #expect(try database.read { try $0.count("SELECT count(*) FROM things") } == 4)
    }
  }

  @Test("An old database is migrated once by all who start at once")
  func upgrade() throws {
    for _ in 0..<25 {
      let path = NSTemporaryDirectory() + "together-\(UUID().uuidString).sqlite"
      try Database(path: path).migrate(Array(Self.migrations.prefix(3)))
      #expect(atOnce(4) { try Database(path: path).migrate(Self.migrations) } == [])
      #expect(try Database(path: path).missing(of: Self.migrations) == [])
    }
  }

  @Test("What another did in between is not done again, and what fails leaves nothing")
  func half() throws {
    let path = NSTemporaryDirectory() + "together-\(UUID().uuidString).sqlite"
    let (one, other) = (try Database(path: path), try Database(path: path))
    try one.migrate(Self.migrations)
    try other.migrate(Self.migrations)
    let broken = Migration("broken", "CREATE TABLE more (id INTEGER); CREATE TABLE things (x)")
    #expect(throws: DatabaseFailure.self) { try one.migrate([broken]) }
    #expect(try other.missing(of: [broken]) == ["broken"])
    #expect(
      try other.read { try !$0.exists("SELECT 1 FROM sqlite_master WHERE name = 'more'") })
  }
}
