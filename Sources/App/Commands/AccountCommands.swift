import Accounts
import Core

/// Actions on accounts from the command line.
public struct AccountCommands {
  private let instance: Instance

  private var operations: OperatorService { instance.features.accounts.operations }
  private var now: Instant { instance.site.clock.now() }

  public init(_ instance: Instance) {
    self.instance = instance
  }

  /// Opens an instance for a command.
  public static func open(_ configuration: Configuration) throws -> AccountCommands {
    AccountCommands(try Instance.forCommand(configuration))
  }

  /// Signs a user out everywhere. Throws `OperatorError`.
  public func endSessions(of user: String, isDryRun: Bool = false) throws -> EndedSessionsAnswer {
    let account = try operations.endSessions(of: user, isDryRun: isDryRun, now: now)
    return EndedSessionsAnswer(
      id: account.id.description, name: account.name, endedSessions: account.sessions,
      dryRun: isDryRun)
  }

  /// The accounts with an address or id, deleted ones too. Throws `OperatorError`.
  public func find(_ user: String) throws -> ListAnswer<UserAnswer> {
    ListAnswer(
      items: try operations.accounts(user, now: now).map(UserAnswer.init), emptyLine: "")
  }

  /// Writes a user's personal export to a file. Throws `OperatorError`.
  public func export(_ user: String, to file: String) throws -> ExportedUserAnswer {
    let (account, bytes) = try operations.export(user, to: file, now: now)
    return ExportedUserAnswer(
      id: account.id.description, name: account.name, file: file, bytes: bytes)
  }

  /// Deletes an account. Throws `OperatorError` and `StaffRoleService.LastAdmin`.
  public func delete(_ user: String, isDryRun: Bool = false) throws -> ChangedUserAnswer {
    let account = try operations.delete(user, isDryRun: isDryRun, now: now)
    return ChangedUserAnswer(account, "deleted", isDryRun: isDryRun)
  }

  /// Brings a deleted account back. Throws `OperatorError`.
  public func restore(_ user: String, isDryRun: Bool = false) throws -> ChangedUserAnswer {
    let account = try operations.restore(user, isDryRun: isDryRun, now: now)
    return ChangedUserAnswer(account, "restored", isDryRun: isDryRun)
  }

  /// Suspends a member for some days, 0 for good; they are told why. Throws `OperatorError` and
  /// `ModerationModule.InvalidSuspension`.
  public func suspend(
    _ user: String, days: Int, why: String, isDryRun: Bool = false
  ) throws -> ChangedUserAnswer {
    let account = try operations.account(user, now: now)
    guard account.role <= .member else { throw OperatorError.staffSuspension }
    try instance.features.moderation.suspend(
      account.id, days: days, note: why, isDryRun: isDryRun, now: now)
    let length = days == 0 ? "for good" : "for \(days.counted("day"))"
    return ChangedUserAnswer(account, "suspended \(length)", isDryRun: isDryRun)
  }
}

/// A user who was signed out everywhere.
public struct EndedSessionsAnswer: CommandAnswer {
  let id: String
  let name: String
  let endedSessions: Int
  let dryRun: Bool

  public var lines: [String] {
    let sessions = "\(endedSessions.counted("session")) of \(name)"
    return [dryRun ? "Dry run: \(sessions) would end." : "Ended \(sessions)."]
  }
}
