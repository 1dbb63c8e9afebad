import Accounts
import Core
import Testing
import Web

@testable import App

@Suite("pairspot sessions end")
struct SessionCommandTests {
  @Test("A user is signed out of browsers and apps, mailed, and the log has a line")
  func end() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let (browser, app) = (try instance.signedIn("sam"), try instance.app(sam.id))
    let answer = try AccountCommands(instance.instance).endSessions(of: "SAM@example.test")
    #expect(answer.lines == ["Ended 2 sessions of Sam."])
    #expect(!browser.isSignedIn)
    #expect(try instance.access(app) == "invalid_token")
    #expect(
      try instance.mails(to: "sam@example.test").last?.subject == "You were signed out of PairSpot")
    #expect(try instance.staffLog() == [StaffLogLine("sessions_end")])
  }

  @Test("A guest is found by id; a dry run ends nothing")
  func guest() throws {
    let instance = try TestInstance()
    let guest = try instance.guest("Gia")
    let id = try instance.database.read {
      try #require(try $0.value("SELECT id FROM users", as: ID<Person>.self))
    }
    let commands = AccountCommands(instance.instance)
    let before = try instance.contents()
    let dry = try commands.endSessions(of: id.description, isDryRun: true).object()
    #expect(dry["ended_sessions"] as? Int == 1 && dry["dry_run"] as? Bool == true)
    #expect(try instance.contents() == before && guest.isSignedIn)
    _ = try commands.endSessions(of: id.description)
    #expect(!guest.isSignedIn)
    for user in ["nora@example.test", "nora", ID<Person>.random().description] {
      #expect(throws: OperatorError.unknownUser) { try commands.endSessions(of: user) }
    }
  }
}
