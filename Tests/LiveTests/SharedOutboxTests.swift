import Core
import Database
import PostgreSQLServer
import Testing

@testable import Live

/// For PostgreSQL only: an SQLite file has one dispatcher.
@Suite("An outbox that the dispatchers of several nodes share")
struct SharedOutboxTests {
  private let database: Database
  private let outbox: LiveOutbox
  private let walk: LiveChannel
  private let now = Instant(milliseconds: 1_772_409_600_000)

  init() throws {
    database = try TestEngine.postgresql.database(LiveSchema.migrations)
    outbox = LiveOutbox(database: database)
    walk = try #require(LiveChannel("g.walk"))
  }

  private func notify(_ version: Int) throws {
    try database.write { try LiveOutbox.notify(version, to: walk, now: now, in: $0) }
  }

  private func versions(after seconds: Int64 = 0) throws -> [Int?] {
    try outbox.due(now: now.adding(seconds: seconds), limit: 10).entries.map(\.version)
  }

  @Test("What one dispatcher has taken no other one takes")
  func taken() throws {
    try notify(3)
    #expect(try versions() == [3])
    #expect(try versions() == [])
  }

  @Test("What changes after it was taken is taken again at once")
  func changed() throws {
    try notify(3)
    #expect(try versions() == [3])
    try notify(4)
    #expect(try versions() == [4])
  }

  @Test("What a dispatcher took before it died is taken again some seconds later")
  func died() throws {
    try notify(3)
    #expect(try versions() == [3])
    #expect(try versions(after: LiveOutbox.rest) == [3])
  }

  @Test("What may not be sent yet is left to whichever dispatcher may send it")
  func throttled() throws {
    try notify(3)
    #expect(try outbox.due(now: now, limit: 10) { _ in true }.entries.isEmpty)
    #expect(try versions() == [3])
  }
}
