import Foundation
import Synchronization
import Testing

@testable import Database

/// SQLite only: PostgreSQL's server groups the commits of its connections itself.
@Suite struct GroupCommitTests {
  let database: Database
  let file: SQLiteEngine
  let path = NSTemporaryDirectory() + "group-commit-\(UUID().uuidString).sqlite"

  init() throws {
    database = try Database(path: path)
    file = try database.file()
    try database.migrate([
      Migration(
        "things 1",
        """
        CREATE TABLE things (name TEXT PRIMARY KEY) STRICT;
        CREATE TABLE parts (
          name TEXT PRIMARY KEY,
          thing TEXT REFERENCES things (name) DEFERRABLE INITIALLY DEFERRED) STRICT;
        """)
    ])
  }

  @Test("Changes that wait for their turn share commits")
  func oneCommit() async throws {
    let before = file.commits.commitCount
    let results = await together((0..<6).map { number in { try add("\(number)", $0) } })
    #expect(results.allSatisfy { $0 == nil })
    // One, unless the machine is so busy that the group is open for too long.
    #expect(file.commits.commitCount - before < results.count)
    #expect(try names() == ["0", "1", "2", "3", "4", "5"])
  }

  @Test("A change without others behind it is committed at once, alone")
  func alone() throws {
    let before = file.commits.commitCount
    for number in 0..<3 { try database.write { try add("\(number)", $0) } }
    #expect(file.commits.commitCount == before + 3)
  }

  @Test("No caller returns before the commit, and others see nothing before it")
  func toldAfterCommit() async throws {
    let isTold = Atomic(false)
    let seen = Mutex<[Bool]>([])
    let watcher = try Database(path: path)
    let results = await together(
      [
        { try add("first", $0) },
        { writer in
          try add("second", writer)
          // The first one's turn is over.
          usleep(5_000)
          let isThere = try watcher.read { try $0.exists("SELECT 1 FROM things") }
          seen.withLock { $0 = [isTold.load(ordering: .relaxed), isThere] }
        },
      ], whenReleased: { if $0 == 0 { isTold.store(true, ordering: .relaxed) } })
    #expect(results.allSatisfy { $0 == nil })
    #expect(seen.withLock { $0 } == [false, false])
    #expect(try names() == ["first", "second"])
  }

  @Test(
    "A change that throws is taken back alone, whether it is the first, in the middle or the last")
  func undoneAlone() async throws {
    for bad in 0..<4 {
      let results = await together(
        (0..<4).map { number in
          { writer in
            try add("\(bad).\(number)", writer)
            if number == bad { throw CancellationError() }
          }
        })
      for number in 0..<4 { #expect((results[number] is CancellationError) == (number == bad)) }
      #expect(try names().filter { $0.hasPrefix("\(bad).") }.count == 3)
      #expect(try !names().contains("\(bad).\(bad)"))
    }
  }

  @Test("A statement that a constraint forbids takes nothing of others back")
  func constraint() async throws {
    let results = await together([
      { try add("a", $0) }, { try add("a", $0) }, { try add("a", $0) }, { try add("b", $0) },
    ])
    #expect(results.compactMap { $0 as? StorageError }.count == 2)
    #expect(try names() == ["a", "b"])
  }

  @Test("A broken reference at the commit is the fault of its own change")
  func openReferences() async throws {
    let results = await together([
      { try add("a", $0) },
      { try $0.execute("INSERT INTO parts VALUES ('p', 'nothing')") },
      { writer in
        try writer.execute("INSERT INTO parts VALUES ('q', 'later')")
        try add("later", writer)
      },
    ])
    #expect(results.map { $0 == nil } == [true, false, true])
    #expect(try names() == ["a", "later"])
    #expect(try database.read { try $0.values("SELECT name FROM parts", as: String.self) } == ["q"])
  }

  @Test("When the disk is full, changes reported as done are stored, and no others")
  func full() async throws {
    // So few pages that some of the changes do not fit.
    try file.withWriter { try $0.execute(sql: "PRAGMA max_page_count = 40") }
    var done: Set<String> = []
    var refused = 0
    for round in 0..<20 {
      let names = (0..<4).map { "\(round).\($0)" + String(repeating: "x", count: 900 * ($0 + 1)) }
      let results = await together(names.map { name in { try add(name, $0) } })
      for (name, failure) in zip(names, results) {
        if let failure {
          guard case StorageError.full = failure else {
            Issue.record(failure)
            continue
          }
          refused += 1
        } else {
          done.insert(name)
        }
      }
    }
    #expect(refused > 0 && !done.isEmpty)
    #expect(Set(try names()) == done)
    try file.withWriter { try $0.execute(sql: "PRAGMA max_page_count = 1000") }
    try database.write { try add("room again", $0) }
    #expect(try names().contains("room again"))
  }

  @Test("A body that continues after SQLite's rollback stores nothing, nor do others")
  func goesOn() async throws {
    let results = await together([
      { try add("a", $0) },
      { writer in
        try add("b", writer)
        guard case .sqlite(let connection) = writer.session else { return }
        try connection.execute(sql: "ROLLBACK")
      },
      { try add("c", $0) },
    ])
    #expect(results[0] != nil && results[1] != nil)
    // The third may have run before the second.
    #expect(try names() == (results[2] == nil ? ["c"] : []))
  }

  @Test("Use of the connection outside of a transaction commits the open one first")
  func settled() async throws {
    let checkpoints = Mutex<[(any Error)?]>([])
    let results = await together(
      [{ try add("a", $0) }, { try add("b", $0) }],
      meanwhile: {
        Thread.detachNewThread { [database] in
          do {
            try database.checkpoint()
            checkpoints.withLock { $0.append(nil) }
          } catch {
            checkpoints.withLock { $0.append(error) }
          }
        }
        usleep(20_000)
      })
    while checkpoints.withLock({ $0.isEmpty }) { usleep(1000) }
    #expect(results.allSatisfy { $0 == nil })
    #expect(checkpoints.withLock { $0.allSatisfy { $0 == nil } })
    #expect(try names() == ["a", "b"])
  }

  @Test("Many threads at once: all changes reported as done are stored, all others aren't")
  func many() async throws {
    let done = Mutex<Set<String>>([])
    let before = file.commits.commitCount
    await onThreads(8) { thread in
      for number in 0..<60 {
        let name = "\(thread).\(number)"
        do {
          try database.write { writer in
            try add(name, writer)
            if number % 7 == 3 { throw CancellationError() }
          }
          _ = done.withLock { $0.insert(name) }
        } catch {}
      }
    }
    let results = done.withLock { $0 }
    #expect(results.count == 8 * 51)
    #expect(Set(try names()) == results)
    #expect(file.commits.commitCount - before < results.count)
  }

  private func names() throws -> [String] {
    try Database(path: path).read {
      try $0.values("SELECT name FROM things ORDER BY name", as: String.self)
    }
  }

  /// Makes each change on a thread of its own; the first holds the writer until all others wait for
  /// it. Returns the error of each, nil for success.
  private func together(
    _ changes: [@Sendable (WriteTransaction) throws -> Void],
    meanwhile: @escaping @Sendable () -> Void = {},
    whenReleased: @escaping @Sendable (Int) -> Void = { _ in }
  ) async -> [(any Error)?] {
    let hasBegun = Atomic(false)
    let results = Mutex([(any Error)?](repeating: nil, count: changes.count))
    await onThreads(changes.count) { number in
      while number > 0 && !hasBegun.load(ordering: .acquiring) { usleep(500) }
      do {
        try database.write { writer in
          if number == 0 {
            hasBegun.store(true, ordering: .releasing)
            while file.commits.waitingCount < changes.count - 1 { usleep(500) }
            meanwhile()
          }
          try changes[number](writer)
        }
      } catch {
        results.withLock { $0[number] = error }
      }
      whenReleased(number)
    }
    return results.withLock { $0 }
  }
}

private func add(_ name: String, _ writer: WriteTransaction) throws {
  try writer.execute("INSERT INTO things VALUES (\(name))")
}
