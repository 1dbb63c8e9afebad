import Accounts
import Core

/// An account in `pairspot user find`.
public struct UserAnswer: CommandAnswer {
  let id: String
  let email: String?
  let name: String
  let role: String
  let couple: String?
  let secondFactor: Bool
  let sessions: Int
  let createdAt: String
  let deletedAt: String?
  let restorableUntil: String?
  let suspended: Bool

  init(_ account: OperatorAccount) {
    id = account.id.description
    email = account.address
    name = account.name
    role = "\(account.role)"
    couple = account.couple
    secondFactor = account.hasSecondFactor
    sessions = account.sessions
    createdAt = account.createdAt.rfc3339
    deletedAt = account.deletedAt?.rfc3339
    restorableUntil = account.restorableUntil?.rfc3339
    suspended = account.suspension != nil
  }

  public var lines: [String] {
    var cells = [id, email ?? "-", name, role, couple ?? "-", sessions.counted("session")]
    if suspended { cells.append("suspended") }
    if let restorableUntil { cells.append("deleted, restorable until \(restorableUntil)") }
    return [cells.joined(separator: "\t")]
  }
}

/// A user's export in a file.
public struct ExportedUserAnswer: CommandAnswer {
  let id: String
  let name: String
  let file: String
  let bytes: UInt64

  public var lines: [String] { ["Wrote the data of \(name) to \(file) (\(bytes) bytes)."] }
}

/// A user who was deleted, restored or suspended, or would be.
public struct ChangedUserAnswer: CommandAnswer {
  let id: String
  let name: String
  let action: String
  let dryRun: Bool

  init(_ account: OperatorAccount, _ action: String, isDryRun: Bool) {
    id = account.id.description
    name = account.name
    self.action = action
    dryRun = isDryRun
  }

  public var lines: [String] {
    [dryRun ? "Dry run: \(name) would be \(action)." : "\(name) was \(action)."]
  }
}
