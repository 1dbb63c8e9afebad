import Core
import Database
import Foundation
import Testing
import Web

@testable import App

@Suite("Admins give roles and take them, and the log knows of all that staff do")
struct StaffRoleTests {
  private func role(of name: String, as admin: TestClient) throws -> String {
    let found = admin.get("/admin/users?q=\(name)").text
      .firstMatch(of: /\/admin\/users\/[0-9a-f-]{36}/)
    return try String(#require(found).output) + "/role"
  }

  private func assign(_ role: String, _ path: String, as admin: TestClient) -> TestResponse {
    admin.post(path, ["role": role, "current_password": TestInstance.password])
  }

  @Test(
    "A new moderator is signed out, mailed, and sees the queue after the second factor")
  func given() throws {
    let instance = try TestInstance()
    let sam = try instance.members("sam")[0]
    let (app, _) = try sam.turnOnSecondFactor(instance)
    let admin = try instance.moderator("ada", as: .admin)
    let path = try role(of: "Sam", as: admin)
    #expect(admin.get(String(path.dropLast("/role".count))).shows(path))
    #expect(admin.get(path).shows("Moderator"))
    #expect(assign("moderator", path, as: admin).status == 303)
    #expect(!sam.isSignedIn)
    let subjects = try instance.mails(to: "sam@example.test").map(\.subject)
    #expect(subjects.contains("You’re now on the PairSpot staff"))
    let again = try instance.halfSignedIn("sam")
    #expect(again.enter(app.next()).location == "/")
    #expect(again.get("/admin/reports").status == 200)
    #expect(again.get("/admin/users").status == 404)
    #expect(again.get(path).status == 404 && assign("admin", path, as: again).status == 404)
  }

  @Test("Taken back, the powers are gone at once, and the log names both changes")
  func taken() throws {
    let instance = try TestInstance()
    let mo = try instance.moderator()
    let admin = try instance.moderator("ada", as: .admin)
    let path = try role(of: "Mo", as: admin)
    #expect(assign("member", path, as: admin).status == 303)
    #expect(!mo.isSignedIn && mo.get("/admin/reports").status == 303)
    let subjects = try instance.mails(to: "mo@example.test").map(\.subject)
    #expect(subjects.contains("You’re no longer on the PairSpot staff"))
    let lines = try instance.database.read {
      try $0.rows("SELECT actor_name, action, details FROM staff_log ORDER BY number") {
        [try $0.next(String.self), try $0.next(String.self), try $0.next(String.self)]
      }
    }
    #expect(
      lines == [
        ["pairspot admin", "role", "member → moderator"],
        ["pairspot admin", "role", "member → admin"],
        ["Ada", "role", "moderator → member"],
      ])
    let log = admin.get("/admin/log")
    for words in ["Changed a role", "on the server", "Moderator → Member"] {
      #expect(log.shows(words), "\(words)")
    }
    #expect(!log.shows("@example.test"))
  }

  @Test("Not the own role, not without the password, not of guests and suspended users")
  func refused() throws {
    let instance = try TestInstance()
    _ = try instance.members("sam")
    _ = try instance.guest("Gia")
    let admin = try instance.moderator("ada", as: .admin)
    let own = try role(of: "Ada", as: admin)
    #expect(assign("member", own, as: admin).status == 422)
    let sam = try role(of: "Sam", as: admin)
    for fields in [["role": "admin", "current_password": "wrong"], ["role": "admin"]] {
      #expect(admin.post(sam, all: fields.map { ($0.key, $0.value) }).status == 422)
    }
    for other in ["guest", "anyone", "owner", ""] {
      #expect(assign(other, sam, as: admin).status == 422, "\(other)")
    }
    let guest = try instance.database.read {
      try $0.value("SELECT id FROM users WHERE role = 1", as: ID<Person>.self)
    }
    let path = "/admin/users/\(try #require(guest))/role"
    #expect(admin.get(path).status == 404 && assign("moderator", path, as: admin).status == 404)
    admin.decide(String(sam.dropLast("/role".count)), "suspend", until: "1")
    #expect(assign("moderator", sam, as: admin).status == 422)
    #expect(try instance.count("SELECT count(*) FROM users WHERE role > 2") == 1)
  }

  @Test("Two admins who remove each other at once leave one of them")
  func eachOther() async throws {
    for _ in 0..<5 {
      let instance = try TestInstance()
      let admins = try ["ada", "bea"].map { try instance.moderator($0, as: .admin) }
      let paths = [try role(of: "Bea", as: admins[0]), try role(of: "Ada", as: admins[1])]
      await withTaskGroup(of: Void.self) { group in
        for (browser, path) in zip(admins, paths) {
          nonisolated(unsafe) let browser = browser
          group.addTask {
            _ = browser.post(path, ["role": "member", "current_password": TestInstance.password])
          }
        }
      }
      #expect(try instance.count("SELECT count(*) FROM users WHERE role = 4") == 1)
    }
  }

  @Test("Every change of trainings by an admin is in the log, by name")
  func trainings() throws {
    let instance = try TestInstance()
    let admin = try instance.admin()
    let service = try admin.publishTraining("Hill climb")
    try admin.makeTraining("Second")
    admin.sendCover(service)
    admin.sendVideo(service)
    admin.post(service, ["move": "down"])
    admin.post(service, ["button": "unpublish"])
    #expect(admin.post("\(service)/delete").status == 303)
    let lines = try instance.database.read {
      try $0.rows(
        "SELECT action, details FROM staff_log WHERE kind = 'training' ORDER BY number"
      ) { [try $0.next(String.self), try $0.next(String.self)] }
    }
    #expect(
      lines == [
        ["training_add", "Hill climb"], ["training_publish", "Hill climb"],
        ["training_add", "Second"], ["training_cover", "Hill climb"],
        ["training_video", "Hill climb"], ["training_move", "Hill climb"],
        ["training_unpublish", "Hill climb"], ["training_delete", "Hill climb"],
      ])
    #expect(admin.get("/admin/log").shows("Deleted a training"))
  }

  @Test("Nothing takes a line out of the log, replacing one included; a gap is found")
  func whole() throws {
    let instance = try TestInstance()
    _ = try instance.admin()
    let columns: Query = "number, at, actor_name, action, kind, details, note"
    for change in [
      "UPDATE staff_log SET note = 'x'", "DELETE FROM staff_log",
      "REPLACE INTO staff_log (\(columns)) VALUES (1, 0, '', '', '', '', '')",
      "INSERT OR REPLACE INTO staff_log (\(columns)) VALUES (1, 0, '', '', '', '', '')",
      "UPDATE OR REPLACE staff_log SET number = 1",
    ] as [Query] {
      #expect(throws: (any Error).self, "\(change)") {
        try instance.database.write { try $0.execute(change) }
      }
    }
    #expect(try instance.count("SELECT count(*) FROM staff_log WHERE action = 'role'") == 1)
    let check = try #require(
      instance.instance.doctorChecks.first { $0.name.contains("staff log") })
    #expect(try check.find(instance.database) == [])
    try instance.database.write {
      try $0.execute(
        "INSERT INTO staff_log (\(columns)) VALUES (9, 0, 'x', 'role', 'person', '', '')")
    }
    #expect(try check.find(instance.database).count == 1)
  }
}
