import Core

/// What a module does with its tables when they come back from a backup
/// (docs/operator/backup-and-restore.md): what was true then and must not count now. It runs on the
/// restored database before anybody opens it, in one transaction with all others.
public struct RestoreStep: Sendable {
  public let name: String
  /// Answers a line for the operator, or nil when there is nothing to say.
  public let run: @Sendable (WriteTransaction, RestoredBackup) throws -> String?

  public init(
    _ name: String, run: @escaping @Sendable (WriteTransaction, RestoredBackup) throws -> String?
  ) {
    self.name = name
    self.run = run
  }
}

/// Which backup comes back, and when.
public struct RestoredBackup: Sendable {
  public let madeAt: Instant
  public let now: Instant

  public init(madeAt: Instant, now: Instant) {
    self.madeAt = madeAt
    self.now = now
  }
}
