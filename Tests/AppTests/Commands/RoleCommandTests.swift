import Accounts
import Core
import Testing
import Web

@testable import App

@Suite("pairspot admin role and remove")
struct RoleCommandTests {
  private static let lastAdmin = StaffRoleService.LastAdmin.self

  @Test("A member becomes a moderator: signed out, mailed, with a link for the second factor")
  func given() throws {
    let instance = try TestInstance()
    let sam = try instance.members("sam")[0]
    let answer = try StaffCommands(instance.instance)
      .changeRole(of: "Sam@example.test", to: .moderator)
    #expect(
      answer.lines.first == "Sam@example.test changed from member to moderator; 1 session ended.")
    let link = try #require(answer.lines.last)
    #expect(
      instance.browser().get(String(link.dropFirst("http://\(TestInstance.host)".count))).status
        == 200)
    #expect(!sam.isSignedIn)
    #expect(
      try instance.mails(to: "sam@example.test").map(\.subject) == [
        "You’re now on the PairSpot staff"
      ])
    #expect(try instance.staffLog() == [StaffLogLine("role", "person", "member → moderator")])
  }

  @Test("A removed moderator is a member without powers, and scripts read what happened")
  func removed() throws {
    let instance = try TestInstance()
    let mo = try instance.moderator()
    let answer = try StaffCommands(instance.instance).remove("mo@example.test").object()
    #expect(answer["before"] as? String == "moderator" && answer["after"] as? String == "member")
    #expect(answer["ended_sessions"] as? Int == 1 && answer["dry_run"] as? Bool == false)
    #expect(answer["link"] == nil)
    #expect(!mo.isSignedIn)
    #expect(
      try instance.mails(to: "mo@example.test").last?.subject
        == "You’re no longer on the PairSpot staff")
    #expect(throws: OperatorError.notStaff) {
      try StaffCommands(instance.instance).remove("mo@example.test")
    }
  }

  @Test("The only admin can be neither removed nor lowered, by no command")
  func lastAdmin() throws {
    let instance = try TestInstance()
    _ = try instance.moderator()
    let ada = try instance.moderator("ada", as: .admin)
    let commands = StaffCommands(instance.instance)
    let before = try instance.contents()
    #expect(throws: Self.lastAdmin) { try commands.remove("ada@example.test") }
    #expect(throws: Self.lastAdmin) { try commands.remove("ada@example.test", isDryRun: true) }
    #expect(throws: Self.lastAdmin) {
      try commands.changeRole(of: "ada@example.test", to: .moderator)
    }
    #expect(throws: Self.lastAdmin) {
      try commands.appoint(email: "ada@example.test", as: .moderator)
    }
    #expect(try instance.contents() == before && ada.get("/admin/users").status == 200)
    _ = try commands.changeRole(of: "mo@example.test", to: .admin)
    _ = try commands.remove("ada@example.test")
    #expect(try commands.list().objects().map { $0["email"] as? String } == ["mo@example.test"])
  }

  @Test("A dry run tells what would change, and changes nothing")
  func dryRun() throws {
    let instance = try TestInstance()
    let sam = try instance.members("sam")[0]
    let before = try instance.contents()
    let answer = try StaffCommands(instance.instance)
      .changeRole(of: "sam@example.test", to: .admin, isDryRun: true)
    #expect(
      answer.lines == [
        "Dry run: sam@example.test would change from member to admin; 1 session would end."
      ])
    #expect(try answer.object()["dry_run"] as? Bool == true)
    #expect(try instance.contents() == before && sam.isSignedIn)
  }

  @Test("A role that the member has already is no change, and is not logged")
  func same() throws {
    let instance = try TestInstance()
    let sam = try instance.members("sam")[0]
    let answer = try StaffCommands(instance.instance)
      .changeRole(of: "sam@example.test", to: .member)
    #expect(answer.lines == ["sam@example.test has the role member already."])
    #expect(try instance.staffLog().isEmpty && sam.isSignedIn)
  }

  @Test("Unknown addresses and suspended members are refused")
  func refused() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let commands = StaffCommands(instance.instance)
    #expect(throws: StaffRoleService.UnknownAddress.self) {
      try commands.changeRole(of: "nora@example.test", to: .admin)
    }
    try instance.database.write {
      try ModerationStatuses().suspend(sam.id, until: nil, why: "Spam", in: $0)
    }
    #expect(throws: OperatorError.suspendedStaff) {
      try commands.changeRole(of: "sam@example.test", to: .moderator)
    }
  }

  @Test("The list for scripts has names, roles and second factors")
  func list() throws {
    let instance = try TestInstance()
    #expect(try StaffCommands(instance.instance).list().output(asJSON: true) == ["[]"])
    _ = try instance.moderator("ada", as: .admin)
    try instance.appoint("new@example.test")
    let staff = try StaffCommands(instance.instance).list().objects()
    #expect(staff.map { $0["role"] as? String } == ["admin", "moderator"])
    #expect(staff.map { $0["second_factor"] as? Bool } == [true, false])
    #expect(staff.map { $0["email"] as? String } == ["ada@example.test", "new@example.test"])
  }
}
