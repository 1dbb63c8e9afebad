import Accounts
import Core
import Foundation
import Moderation
import Testing
import Web

@testable import App

@Suite("pairspot user and admin suspend")
struct UserCommandTests {
  @Test("An account is found by address and id, also after its deletion")
  func find() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    _ = try instance.signedIn("sam")
    let commands = AccountCommands(instance.instance)
    for user in ["SAM@example.test", sam.id.description] {
      let found = try #require(try commands.find(user).objects().first)
      #expect(
        found["email"] as? String == "sam@example.test" && found["role"] as? String == "member")
      #expect(found["sessions"] as? Int == 1 && found["deleted_at"] == nil)
    }
    _ = try commands.delete("sam@example.test")
    let found = try #require(try commands.find("sam@example.test").objects().first)
    #expect(found["restorable_until"] as? String != nil)
    #expect(throws: OperatorError.unknownUser) { try commands.find("nora@example.test") }
  }

  @Test("An export has the user's data, is logged, and replaces no file")
  func export() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let folder = try TemporaryFolder()
    let file = "\(folder.path)/sam.zip"
    let commands = AccountCommands(instance.instance)
    let answer = try commands.export("sam@example.test", to: file).object()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    #expect(bytes.starts(with: Data("PK".utf8)) && answer["bytes"] as? Int == bytes.count)
    #expect(throws: OperatorError.fileExists) {
      try commands.export("sam@example.test", to: file)
    }
    #expect(try instance.staffLog() == [StaffLogLine("user_export")])
  }

  @Test("A deleted member is signed out and mailed, and comes back with a command")
  func deleteAndRestore() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let commands = AccountCommands(instance.instance)
    #expect(try commands.delete("sam@example.test").lines == ["Sam was deleted."])
    #expect(!sam.isSignedIn)
    #expect(try instance.mails(to: "sam@example.test").count == 1)
    #expect(throws: OperatorError.deletedUser) { try commands.delete("sam@example.test") }
    #expect(try commands.restore("sam@example.test").lines == ["Sam was restored."])
    #expect(try instance.signedIn("sam").isSignedIn)
    #expect(throws: OperatorError.notDeleted) { try commands.restore("sam@example.test") }
    #expect(
      try instance.staffLog() == [StaffLogLine("user_delete"), StaffLogLine("user_restore")])
  }

  @Test("Nobody is restored after 30 days")
  func tooLate() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let commands = AccountCommands(instance.instance)
    _ = try commands.delete("sam@example.test")
    instance.clock.advance(seconds: .days(31))
    #expect(throws: OperatorError.self) { try commands.restore("sam@example.test") }
  }

  @Test("A guest is removed at once")
  func guest() throws {
    let instance = try TestInstance()
    let guest = try instance.guest("Gia")
    let id = try instance.database.read {
      try #require(try $0.value("SELECT id FROM users", as: ID<Person>.self))
    }
    _ = try AccountCommands(instance.instance).delete(id.description)
    #expect(!guest.isSignedIn)
    #expect(
      try instance.database.read { try $0.count("SELECT count(*) FROM users") } == 0)
  }

  @Test("Dry runs change nothing")
  func dryRuns() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let commands = AccountCommands(instance.instance)
    let before = try instance.contents()
    let lines = [
      try commands.delete("sam@example.test", isDryRun: true).lines,
      try commands.suspend("sam@example.test", days: 7, why: "Spam", isDryRun: true).lines,
    ]
    #expect(
      lines == [
        ["Dry run: Sam would be deleted."], ["Dry run: Sam would be suspended for 7 days."],
      ])
    #expect(try instance.contents() == before)
  }

  @Test("The only admin is deleted neither by a command nor on the page")
  func lastAdmin() throws {
    let instance = try TestInstance()
    let ada = try instance.moderator("ada", as: .admin)
    let commands = AccountCommands(instance.instance)
    #expect(throws: StaffRoleService.LastAdmin.self) { try commands.delete("ada@example.test") }
    ada.get("/settings/delete")
    let answer = ada.post("/settings/delete", ["current_password": TestInstance.password])
    #expect(answer.status == 409 && answer.shows("You are the only admin"))
    #expect(try commands.find("ada@example.test").objects().first?["deleted_at"] == nil)
  }

  @Test("A suspended member reads why, and the log has a line of the command")
  func suspend() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let answer = try AccountCommands(instance.instance)
      .suspend("sam@example.test", days: 7, why: "Too many advertisements.")
    #expect(answer.lines == ["Sam was suspended for 7 days."])
    #expect(sam.get("/").shows("suspended"))
    let found = try AccountCommands(instance.instance).find("sam@example.test").objects().first
    #expect(found?["suspended"] as? Bool == true)
    #expect(try instance.staffLog().map(\.action) == ["suspend"])
    #expect(try instance.staffLog().map(\.actor) == ["pairspot admin"])
  }

  @Test(
    "A length or a reason that the page would refuse changes nothing",
    arguments: [(2, "Spam"), (7, " "), (7, String(repeating: "x", count: 501))])
  func invalidSuspension(days: Int, why: String) throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let commands = AccountCommands(instance.instance)
    for isDryRun in [true, false] {
      #expect(throws: ModerationModule.InvalidSuspension.self) {
        try commands.suspend("sam@example.test", days: days, why: why, isDryRun: isDryRun)
      }
    }
    #expect(try instance.staffLog().isEmpty)
  }

  @Test("Staff are not suspended")
  func staff() throws {
    let instance = try TestInstance()
    _ = try instance.moderator()
    #expect(throws: OperatorError.staffSuspension) {
      try AccountCommands(instance.instance).suspend("mo@example.test", days: 1, why: "x")
    }
  }
}
