import Core

/// A module's changes of its tables after a backup is restored
/// (docs/operator/backup-and-restore.md): resets state that was true at the time of the backup and
/// must not apply now. It runs before the restored database is in use, in one transaction with all
/// other steps.
public struct RestoreStep: Sendable {
  public let name: String
  /// Returns a line for the operator, or nil.
  public let run: @Sendable (WriteTransaction, RestoredBackup) throws -> String?

  public init(
    _ name: String, run: @escaping @Sendable (WriteTransaction, RestoredBackup) throws -> String?
  ) {
    self.name = name
    self.run = run
  }
}

/// The time of the restored backup, and now.
public struct RestoredBackup: Sendable {
  public let madeAt: Instant
  public let now: Instant

  public init(madeAt: Instant, now: Instant) {
    self.madeAt = madeAt
    self.now = now
  }
}
