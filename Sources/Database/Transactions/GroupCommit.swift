import Dispatch
import GRDB
import GRDBSQLite
import Synchronization

/// Group commit: changes of several threads that come close together are one transaction, since
/// what a change costs most is the wait until the disk has it
/// (docs/developer/performance.md#group-commit).
///
/// Each thread makes its own change, one after the other. Who is done while others wait for their
/// turn leaves the transaction open for the next one; the last commits for all of them. Nobody is
/// told that a change is made before it is on the disk. One that throws is undone alone; a commit
/// that fails, fails for all who take part.
///
/// All but `wantSlot` and `Group.wait` is called by who has the writer's connection.
final class GroupCommit: Sendable {
  /// The most changes of one group, and how long it may wait for more of them: the first has been
  /// done for as long, and other processes wait for the lock.
  private static let most = 16
  private static let longest = Duration.milliseconds(20)

  private let waiting = Atomic(0)
  private let open = Mutex<Group?>(nil)
  private let commits = Atomic(0)

  /// How many transactions were kept so far.
  var commitCount: Int { commits.load(ordering: .relaxed) }

  /// How many threads want a turn and have none yet.
  var waitingCount: Int { waiting.load(ordering: .relaxed) }

  /// Says that a thread is about to ask for the connection, and will call `make`: until then others
  /// leave their transaction open for it.
  func wantSlot() {
    waiting.add(1, ordering: .sequentiallyConsistent)
  }

  /// Makes one change, in the open transaction or in a new one, which `begin` begins; answers what
  /// it gives back, and the group with which it is kept: only after its `wait` the change is made.
  func make<Result>(
    on connection: GRDB.Database, begin: () throws -> Void, _ body: () throws -> Result
  ) throws -> (Result, Group) {
    waiting.subtract(1, ordering: .sequentiallyConsistent)
    let joined = open.withLock { $0 }
    let group = try joined ?? start(on: connection, begin)
    do {
      let result = try StorageError.translating(on: connection) {
        if joined != nil { try connection.step("SAVEPOINT change") }
        let result = try body()
        try connection.checkWhole()
        if joined != nil { try connection.step("RELEASE change") }
        return result
      }
      group.join()
      if isOver(group) { end(on: connection) }
      return (result, group)
    } catch {
      undo(group, on: connection, because: error)
      throw error
    }
  }

  private func start(on connection: GRDB.Database, _ begin: () throws -> Void) throws -> Group {
    try StorageError.translating(on: connection, begin)
    let group = Group()
    open.withLock { $0 = group }
    return group
  }

  /// Ends the open transaction, if there is one, for somebody who needs the connection without.
  func settle(on connection: GRDB.Database) {
    if open.withLock({ $0 != nil }) { end(on: connection) }
  }

  private func isOver(_ group: Group) -> Bool {
    waiting.load(ordering: .sequentiallyConsistent) == 0 || group.count >= Self.most
      || group.began.duration(to: .now) >= Self.longest
  }

  /// Brings what the open group changed to the disk, and tells all who take part.
  private func end(on connection: GRDB.Database) {
    let group = open.withLock { group in
      defer { group = nil }
      return group
    }
    do {
      try StorageError.translating(on: connection) { try connection.step("COMMIT") }
      commits.add(1, ordering: .relaxed)
      group?.end(nil)
    } catch {
      if connection.isInsideTransaction { try? connection.step("ROLLBACK") }
      group?.end(error as? StorageError ?? .other(code: SQLITE_ERROR, "\(error)"))
    }
  }

  /// Takes back what one member of a group changed, which has thrown. SQLite may have taken back the
  /// whole transaction by itself (a full disk, a failed write): then all who take part hear why.
  private func undo(_ group: Group, on connection: GRDB.Database, because error: any Error) {
    var isKept = group.count > 0 && connection.isInsideTransaction
    if isKept {
      do {
        try connection.step("ROLLBACK TO change")
        try connection.step("RELEASE change")
      } catch {
        isKept = false
      }
    }
    if isKept {
      if isOver(group) { end(on: connection) }
      return
    }
    if connection.isInsideTransaction { try? connection.step("ROLLBACK") }
    open.withLock { $0 = nil }
    group.end(
      error as? StorageError
        ?? .other(code: SQLITE_ABORT, "taken back together with another change"))
  }

  /// Those whose changes one commit keeps.
  final class Group: Sendable {
    let began = ContinuousClock.now
    private let members = Atomic(0)
    private let failure = Mutex<StorageError?>(nil)
    private let isOver = DispatchSemaphore(value: 0)

    var count: Int { members.load(ordering: .relaxed) }

    func join() {
      members.add(1, ordering: .relaxed)
    }

    /// Wakes all who take part; nil says that what they changed is on the disk.
    func end(_ error: StorageError?) {
      failure.withLock { $0 = error }
      for _ in 0..<count { isOver.signal() }
    }

    /// Returns once what the members changed is on the disk; throws why it isn't. Each member calls
    /// it once.
    func wait() throws {
      isOver.wait()
      if let error = failure.withLock({ $0 }) { throw error }
    }
  }
}

extension GRDB.Database {
  /// Runs a statement without parameters and rows, prepared once.
  func step(_ sql: String) throws {
    let statement = try cachedStatement(sql: sql).sqliteStatement
    defer { sqlite3_reset(statement) }
    guard sqlite3_step(statement) == SQLITE_DONE else {
      throw StorageError(
        code: sqlite3_extended_errcode(sqliteConnection),
        message: String(cString: sqlite3_errmsg(sqliteConnection)),
        system: sqlite3_system_errno(sqliteConnection))
    }
  }

  /// Throws when SQLite has taken the transaction back and the one who makes the change went on all
  /// the same, and when a reference that is judged at the end of the transaction leads nowhere: the
  /// end may be another one's.
  fileprivate func checkWhole() throws {
    guard isInsideTransaction else {
      throw StorageError.other(code: SQLITE_ABORT, "the transaction was taken back")
    }
    var (unresolved, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(sqliteConnection, SQLITE_DBSTATUS_DEFERRED_FKS, &unresolved, &highest, 0)
    if unresolved > 0 {
      throw StorageError.constraint("FOREIGN KEY constraint failed")
    }
  }
}
