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

/// A role that `pairspot admin create` gave.
public struct AppointmentAnswer: CommandAnswer {
  let email: String
  let role: String
  /// Whether an account was made.
  let created: Bool
  /// The address to set up what is missing; nil if nothing is.
  let link: String?
  /// With `--print-secret`: the second factor, and the password of a new account.
  let otpauthUrl: String?
  let password: String?

  init(
    _ outcome: StaffRoleService.Outcome, _ secret: StaffRoleService.PrintedSecret?,
    of email: String, as role: Role
  ) {
    self.email = email
    self.role = "\(role)"
    created = outcome.isNew
    link = secret == nil ? outcome.link : nil
    otpauthUrl = secret?.address
    password = secret?.password
  }

  public var lines: [String] {
    let done =
      created
      ? "Created an account for \(email) with the role \(role)."
      : "\(email) now has the role \(role)."
    if let otpauthUrl {
      return [done] + (password.map { ["password: \($0)"] } ?? []) + [otpauthUrl]
    }
    guard let link else {
      return [done, "They already have a second factor and only need to sign in again."]
    }
    return [done, "Send them this link; it can be used once and expires in 24 hours:", link]
  }
}

/// A second factor that was removed.
public struct SecondFactorResetAnswer: CommandAnswer {
  let email: String
  /// The address to set up a new one; nil for members without a staff role.
  let link: String?

  public var lines: [String] {
    let done = "Removed the second factor of \(email) and ended all their sessions."
    guard let link else { return [done] }
    return [
      done,
      "Send them this link to set up a new one; it can be used once and expires in 24 hours:",
      link,
    ]
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
