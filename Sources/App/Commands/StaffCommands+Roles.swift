import Accounts
import Core

extension StaffCommands {
  /// Changes the role of a member. Throws as `StaffRoleService.change`.
  public func changeRole(
    of email: String, to role: Role, isDryRun: Bool = false
  ) throws -> RoleAnswer {
    RoleAnswer(
      try appointments.change(email: email, to: role, isDryRun: isDryRun, now: now),
      of: email, isDryRun: isDryRun)
  }

  /// Makes a moderator or admin an ordinary member. Throws as `StaffRoleService.remove`.
  public func remove(_ email: String, isDryRun: Bool = false) throws -> RoleAnswer {
    RoleAnswer(
      try appointments.remove(email: email, isDryRun: isDryRun, now: now), of: email,
      isDryRun: isDryRun)
  }

  /// All moderators and admins, the admins first.
  public func list() throws -> ListAnswer<StaffAnswer> {
    ListAnswer(
      items: try appointments.all().map(StaffAnswer.init),
      emptyLine: "There are no moderators or admins.")
  }
}
