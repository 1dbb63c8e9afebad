import Core
import Database
import Foundation
import Web

/// Exports, deletions and returns of accounts by the operator.
extension OperatorService {
  /// Writes the personal export of a user to a file that does not exist yet; returns the account and
  /// the length in bytes.
  public func export(
    _ entered: String, to path: String, now: Instant
  ) throws -> (account: OperatorAccount, bytes: UInt64) {
    let account = try accounts(entered, now: now)[0]
    guard !FileManager.default.fileExists(atPath: path) else { throw OperatorError.fileExists }
    let bytes = try ExportArchive(services).write(account.id, to: path, now: now) { _ in true }
    try services.site.database.write { writer in
      try services.staffRecord.note(
        .exportUser, to: account.target, details: "", by: nil, now: now, in: writer)
    }
    return (account, bytes)
  }

  /// Deletes an account as its user does at `/settings/delete`: a member can come back for 30 days,
  /// a guest is purged at once. Throws `OperatorError` and `StaffRoleService.LastAdmin`.
  public func delete(
    _ entered: String, isDryRun: Bool, now: Instant
  ) throws -> OperatorAccount {
    let account = try account(entered, now: now)
    let site = services.site
    try site.database.write(isDryRun: isDryRun) { writer in
      try services.staff.checkAdmin(besides: account.id, in: writer)
      try services.staffRecord.note(
        .deleteUser, to: account.target, details: "", by: nil, now: now, in: writer)
      if account.role == .guest {
        try services.accountDeletion.forget(guest: account.id, now: now, in: writer)
      } else {
        try services.accountDeletion.delete(
          account.id, language: site.defaultLanguage,
          zone: TimeZone(named: site.defaultTimeZone) ?? .gmt, now: now, in: writer)
      }
    }
    if !isDryRun { services.accountDeletion.removeFiles() }
    return account
  }

  /// Brings a deleted member back. Throws `OperatorError`.
  public func restore(
    _ entered: String, isDryRun: Bool, now: Instant
  ) throws -> OperatorAccount {
    let found = try accounts(entered, now: now)
    guard let account = found.first(where: { $0.deletedAt != nil }),
      let deletedAt = account.deletedAt
    else { throw OperatorError.notDeleted }
    try services.site.database.write(isDryRun: isDryRun) { writer in
      let role = try services.accountDeletion.restore(
        account.id, deletedAt: deletedAt, language: services.site.defaultLanguage, now: now,
        in: writer)
      guard role != nil else { throw OperatorError.notRestorable }
      try services.staffRecord.note(
        .restoreUser, to: account.target, details: "", by: nil, now: now, in: writer)
    }
    return account
  }
}
