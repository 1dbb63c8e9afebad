import Accounts
import Core

/// A moderator or admin in `pairspot admin list`.
public struct StaffAnswer: CommandAnswer {
  let email: String
  let name: String
  let role: String
  let secondFactor: Bool

  init(_ member: StaffRoleService.Member) {
    email = member.email
    name = member.name
    role = "\(member.role)"
    secondFactor = member.hasSecondFactor
  }

  public var lines: [String] {
    ["\(role)\t\(email)\t\(name)\t\(secondFactor ? "second factor" : "no second factor")"]
  }
}

/// A changed role.
public struct RoleAnswer: CommandAnswer {
  let email: String
  let before: String
  let after: String
  let endedSessions: Int
  /// The address to set up a second factor; nil if none is needed, and in a dry run.
  let link: String?
  let dryRun: Bool

  init(_ change: StaffRoleService.RoleChange, of email: String, isDryRun: Bool) {
    self.email = email
    before = "\(change.before)"
    after = "\(change.after)"
    endedSessions = change.sessions
    link = change.link
    dryRun = isDryRun
  }

  public var lines: [String] {
    guard before != after else { return ["\(email) has the role \(after) already."] }
    if dryRun {
      return [
        "Dry run: \(email) would change from \(before) to \(after); "
          + "\(endedSessions.counted("session")) would end."
      ]
    }
    let done =
      "\(email) changed from \(before) to \(after); "
      + "\(endedSessions.counted("session")) ended."
    guard let link else { return [done] }
    return [done, "Send them this link; it can be used once and expires in 24 hours:", link]
  }
}
