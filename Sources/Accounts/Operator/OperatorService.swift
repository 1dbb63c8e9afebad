import Core
import Database
import Web

/// Actions of the operator on accounts, for commands: with the checks, mails and audit lines of the
/// pages for admins.
public struct OperatorService: Sendable {
  let services: AccountsEnvironment

  init(_ services: AccountsEnvironment) {
    self.services = services
  }

  private var store: OperatorStore {
    OperatorStore(
      people: services.people, deletions: services.accountDeletion.store,
      sessions: services.settings.sessions)
  }

  /// The accounts with an address or an identifier: the current one, then deleted ones. Throws
  /// `OperatorError.unknownUser` if there are none.
  public func accounts(_ entered: String, now: Instant) throws -> [OperatorAccount] {
    let found: [OperatorAccount]
    if let id = ID<Person>(entered) {
      found = try services.site.database.read {
        try store.account(id, now: now, in: $0).map { [$0] } ?? []
      }
    } else {
      var errors: [String: FieldError] = [:]
      let address = AccountRules.address(entered, field: "email", &errors)
      found = try address.map { try store.accounts(address: $0, now: now) } ?? []
    }
    if found.isEmpty { throw OperatorError.unknownUser }
    return found
  }

  /// The account with an address or an identifier that is not deleted.
  public func account(_ entered: String, now: Instant) throws -> OperatorAccount {
    let found = try accounts(entered, now: now).first { $0.deletedAt == nil }
    guard let found else { throw OperatorError.deletedUser }
    return found
  }

  /// Ends all sessions of a user; returns the account as it was.
  public func endSessions(
    of entered: String, isDryRun: Bool, now: Instant
  ) throws -> OperatorAccount {
    let account = try account(entered, now: now)
    try services.site.database.write(isDryRun: isDryRun) { writer in
      try StaffRoleService(services).endSessions(of: account.id, by: nil, now: now, in: writer)
    }
    if !isDryRun {
      services.site.securityLog.write(
        .sessionsEnded, of: .person(account.id), at: now, .init(command: "sessions end"))
    }
    return account
  }
}
