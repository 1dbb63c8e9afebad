import Dispatch
import GRDB
import GRDBSQLite
import Synchronization

/// Group commit: changes of several threads share one transaction, because the main cost of a
/// change is the sync to disk (docs/developer/performance.md#group-commit).
///
/// The threads make their changes one after the other. A thread that finishes while others wait
/// leaves the transaction open for the next one; the last one commits for all. No thread returns
/// before its change is on disk. A change that throws is rolled back alone; a failed commit fails
/// for all members.
///
/// All methods except `announceChange` and `Group.wait` are called with the writer's connection.
final class GroupCommit: Sendable {
  /// The maximum number of changes in a group, and how long it stays open: the first member waits
  /// for it, and so do other processes.
  private static let maximumCount = 16
  private static let maximumDuration = Duration.milliseconds(20)

  private let waiting = Atomic(0)
  private let open = Mutex<Group?>(nil)
  private let commits = Atomic(0)

  /// The number of commits so far.
  var commitCount: Int { commits.load(ordering: .relaxed) }

  /// The number of threads that wait for their turn.
  var waitingCount: Int { waiting.load(ordering: .relaxed) }

  /// Announces that a thread will call `make` as soon as it has the connection. Until then others
  /// leave their transaction open for it.
  func announceChange() {
    waiting.add(1, ordering: .sequentiallyConsistent)
  }

  /// Makes a change in the open transaction, or in a new one that `begin` starts. Returns its
  /// result, and the group that commits it: the change is on disk only after the group's `wait`.
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

  /// Commits the open transaction, if any, for a caller that needs the connection without one.
  func finishOpenGroup(on connection: GRDB.Database) {
    if open.withLock({ $0 != nil }) { end(on: connection) }
  }

  private func isOver(_ group: Group) -> Bool {
    waiting.load(ordering: .sequentiallyConsistent) == 0 || group.count >= Self.maximumCount
      || group.began.duration(to: .now) >= Self.maximumDuration
  }

  /// Commits the open group and notifies its members.
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

  /// Rolls back the change of a member that threw. SQLite may have rolled back the whole
  /// transaction (a full disk, a failed write); then the error goes to all members.
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
        ?? .other(code: SQLITE_ABORT, "rolled back together with another change"))
  }

  /// The members of one commit.
  final class Group: Sendable {
    let began = ContinuousClock.now
    private let members = Atomic(0)
    private let failure = Mutex<StorageError?>(nil)
    private let isOver = DispatchSemaphore(value: 0)

    var count: Int { members.load(ordering: .relaxed) }

    func join() {
      members.add(1, ordering: .relaxed)
    }

    /// Wakes all members; nil if their changes are on disk.
    func end(_ error: StorageError?) {
      failure.withLock { $0 = error }
      for _ in 0..<count { isOver.signal() }
    }

    /// Returns once the members' changes are on disk; throws if the commit failed. Each member
    /// calls it once.
    func wait() throws {
      isOver.wait()
      if let error = failure.withLock({ $0 }) { throw error }
    }
  }
}

extension GRDB.Database {
  /// Runs a cached statement without parameters and rows.
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

  /// Throws if SQLite rolled the transaction back and `body` continued all the same, or if a
  /// deferred foreign key is violated: the commit that would report it may be another member's.
  fileprivate func checkWhole() throws {
    guard isInsideTransaction else {
      throw StorageError.other(code: SQLITE_ABORT, "the transaction was rolled back")
    }
    var (unresolved, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(sqliteConnection, SQLITE_DBSTATUS_DEFERRED_FKS, &unresolved, &highest, 0)
    if unresolved > 0 {
      throw StorageError.constraint("FOREIGN KEY constraint failed")
    }
  }
}
