import Core
import Database
import Web

/// Changes of roles by `pairspot admin role` and `pairspot admin remove`.
extension StaffRoleService {
  /// The result of a change.
  public struct RoleChange: Sendable {
    public let before: Role
    public let after: Role
    /// The number of sessions that ended.
    public let sessions: Int
    /// The link to set up a second factor; nil if none is needed, and in a dry run.
    public let link: String?
  }

  /// Changes the role of a member as an admin does at `/admin/users/{id}/role`. Throws
  /// `UnknownAddress`, `LastAdmin`, and `OperatorError.suspendedStaff`.
  public func change(
    email entered: String, to role: Role, isDryRun: Bool, now: Instant
  ) throws -> RoleChange {
    let person = try member(entered).id
    let change = try services.site.database.write(isDryRun: isDryRun) { writer -> RoleChange in
      try self.change(person, to: role, now: now, in: writer)
    }
    guard !isDryRun else {
      return RoleChange(
        before: change.before, after: change.after, sessions: change.sessions, link: nil)
    }
    if change.before != role {
      services.site.securityLog.write(
        .roleChanged, of: .person(person), at: now, .init(command: "admin role"))
    }
    return change
  }

  /// Makes a moderator or admin an ordinary member. Throws as `change`, and
  /// `OperatorError.notStaff`.
  public func remove(email entered: String, isDryRun: Bool, now: Instant) throws -> RoleChange {
    guard try member(entered).role > .member else { throw OperatorError.notStaff }
    return try change(email: entered, to: .member, isDryRun: isDryRun, now: now)
  }

  private func change(
    _ person: ID<Person>, to role: Role, now: Instant, in writer: WriteTransaction
  ) throws -> RoleChange {
    guard let before = try services.staff.role(of: person, in: writer) else {
      throw UnknownAddress()
    }
    guard before != role else {
      return RoleChange(before: before, after: role, sessions: 0, link: nil)
    }
    if try ModerationStatuses().isSuspended(person, now: now, in: writer) {
      throw OperatorError.suspendedStaff
    }
    let sessions = try services.settings.sessions.count(of: person, now: now, in: writer)
    try replace(with: role, of: person, by: nil, now: now, in: writer)
    return RoleChange(
      before: before, after: role, sessions: sessions,
      link: role > .member ? try setupLink(for: person, now: now, in: writer) : nil)
  }

  /// The address where staff set up their second factor; nil if they have one.
  func setupLink(for person: ID<Person>, now: Instant, in writer: WriteTransaction) throws
    -> String?
  {
    if try services.secondFactor.store.isOn(person, in: writer) { return nil }
    let token = try services.staff.makeLink(for: person, now: now, in: writer)
    return services.site.baseURL + AccountLinks.enrolStaff(token.text)
  }
}
