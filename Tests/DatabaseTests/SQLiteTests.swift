import Core
import Foundation
import PostgreSQLServer
import Synchronization
import Testing

@testable import Database

/// Settings, locks and plans of SQLite: PostgreSQL has its own (`PostgreSQLTests`).
@Suite("The settings, locks and plans of SQLite")
struct SQLiteTests {
  let database: Database
  let path: String

  init() throws {
    path = try TestEngine.sqlite.place()
    database = try Database(path: path)
    try database.migrate(DatabaseTests.things)
  }

  @Test("The writer commits to the disk: synchronous is FULL, the log is write-ahead")
  func pragmas() throws {
    #expect(try database.writerPragma("synchronous") == "2")
    #expect(try database.writerPragma("journal_mode") == "wal")
    #expect(try database.writerPragma("foreign_keys") == "1")
    #expect(try database.writerPragma("busy_timeout") == "5000")
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

  @Test("The plan of a statement is shown")
  func plan() throws {
    #expect(try database.read { try $0.plan(of: "SELECT * FROM things") }.contains("SCAN things"))
  }
}
