import Glibc

/// A lock on a folder, held as long as the object and the process live. The kernel releases it
/// however the process ends (flock).
public final class FolderLock: Sendable {
  /// The kind of the lock.
  public enum Kind: Sendable {
    /// Held together with other shared locks.
    case shared
    /// Held exclusively.
    case alone

    var operation: Int32 { self == .shared ? LOCK_SH : LOCK_EX }
  }

  private let descriptor: Int32

  private init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    // Closing alone doesn't release the lock until every child being started has closed its copy.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Nil if another process holds a conflicting lock. Throws `BackupError` if the lock can't be
  /// created.
  public static func take(_ kind: Kind, _ folder: String, name: String) throws -> FolderLock? {
    let path = "\(folder)/\(name)"
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw BackupError.system(path) }
    let lock = FolderLock(descriptor: descriptor)
    return lock.change(to: kind) ? lock : nil
  }

  /// Changes the kind of the lock; returns whether that succeeded.
  func change(to kind: Kind) -> Bool {
    var answer = flock(descriptor, kind.operation | LOCK_NB)
    while answer != 0 && errno == EINTR { answer = flock(descriptor, kind.operation | LOCK_NB) }
    return answer == 0
  }
}

/// The lock of a data folder: processes that open it share the lock; a restore holds it
/// exclusively. So neither starts while the other runs.
public enum DataLock {
  static let name = "lock"
  private static let tries = 50

  /// The shared lock, for as long as the folder is open. Completes a restore that was interrupted
  /// after its decision, and reports that to `printLine`. Throws `BackupError` during a restore.
  public static func open(
    _ folder: String, printLine: (String) -> Void = { _ in }
  ) throws -> FolderLock {
    for _ in 0..<tries {
      guard let lock = try FolderLock.take(.shared, folder, name: name) else {
        throw BackupError("\(folder) is being restored: wait until it is finished")
      }
      guard DataReplacement.isDecided(folder) else { return lock }
      // Of several processes that start at once, one gets the exclusive lock and finishes; the
      // others check again.
      if lock.change(to: .alone), let before = try DataReplacement.finish(folder) {
        printLine(DataReplacement.finished(before))
      }
      if lock.change(to: .shared), !DataReplacement.isDecided(folder) { return lock }
      usleep(100_000)
    }
    throw BackupError("\(folder): a restore was interrupted, and another process is finishing it")
  }

  /// The exclusive lock, for a restore or a move of the database. Throws `BackupError` while the
  /// folder is open. `task` is for the message.
  public static func alone(_ folder: String, for task: String = "restore") throws -> FolderLock {
    guard let lock = try FolderLock.take(.alone, folder, name: name) else {
      throw BackupError("PairSpot is running on \(folder): stop it before the \(task)")
    }
    return lock
  }
}
