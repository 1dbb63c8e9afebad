import Glibc

/// A lock on a folder, held until the object goes, or the process, however it ends: the kernel
/// lets go of it (flock).
public final class FolderLock: Sendable {
  /// Who else may hold it.
  enum Kind {
    /// Others who share.
    case shared
    /// Nobody.
    case alone

    var operation: Int32 { self == .shared ? LOCK_SH : LOCK_EX }
  }

  private let descriptor: Int32

  private init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    // Closing alone lets go only once every child that was just being started has closed its copy.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Nil when somebody holds it who doesn't let us. Throws `BackupError` when there can't be one.
  static func take(_ kind: Kind, _ folder: String, name: String) throws -> FolderLock? {
    let path = "\(folder)/\(name)"
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw BackupError.system(path) }
    let lock = FolderLock(descriptor: descriptor)
    return lock.change(to: kind) ? lock : nil
  }

  /// Whether it is held in this way from now on.
  func change(to kind: Kind) -> Bool {
    var answer = flock(descriptor, kind.operation | LOCK_NB)
    while answer != 0 && errno == EINTR { answer = flock(descriptor, kind.operation | LOCK_NB) }
    return answer == 0
  }
}

/// Who works with a data folder: everybody who opens it shares this lock; who puts another one in
/// its place holds it alone. So neither begins while the other is at it.
public enum DataLock {
  static let name = "lock"
  private static let tries = 50

  /// For who opens the folder, for as long as it is open. A restore that was interrupted when it
  /// had decided is finished first; `say` is told. Throws `BackupError` while one goes on.
  public static func open(
    _ folder: String, say: (String) -> Void = { _ in }
  ) throws -> FolderLock {
    for _ in 0..<tries {
      guard let lock = try FolderLock.take(.shared, folder, name: name) else {
        throw BackupError("\(folder) is being restored: wait until that is done")
      }
      guard DataReplacement.isDecided(folder) else { return lock }
      // Of several that start at once, one gets it alone and finishes; the others look again.
      if lock.change(to: .alone), let before = try DataReplacement.finish(folder) {
        say(DataReplacement.finished(before))
      }
      if lock.change(to: .shared), !DataReplacement.isDecided(folder) { return lock }
      usleep(100_000)
    }
    throw BackupError("\(folder): a restore was interrupted, and somebody else is at it")
  }

  /// For who replaces what is in the folder. Throws `BackupError` while anybody has it open.
  static func alone(_ folder: String) throws -> FolderLock {
    guard let lock = try FolderLock.take(.alone, folder, name: name) else {
      throw BackupError("PairSpot is running on \(folder): stop it before restoring")
    }
    return lock
  }
}
