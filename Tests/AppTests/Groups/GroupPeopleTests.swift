import Accounts
import Core
import Database
import Foundation
import Testing
import Web

@testable import App
@testable import Groups

@Suite("Groups and people's accounts")
struct GroupPeopleTests {
  @Test("An export lists a user's groups, last locations, and calls")
  func export() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    fay.share(25.0331, 121, with: group)
    fay.post("\(group.page)/commands", ["kind": "need_help", "note": "A sprained ankle"])
    lea.post("\(group.page)/commands", ["kind": "rest", "note": "Somebody else's words"])
    let person = try #require(ID<Person>(lea.group(group).id(of: "Fay")))
    let files = try instance.database.read { reader in
      try instance.instance.features.groups.participant.export(person, from: reader)
    }
    let text = String(decoding: try #require(files.first).json, as: UTF8.self)
    for words in ["Harvest Walk", "25.0331", "A sprained ankle", "follower"] {
      #expect(text.contains(words), "\(words)")
    }
    #expect(!text.contains("Somebody else"))
  }

  @Test("Deleting the account leaves every group, and hands over those that it led")
  func accountDeletion() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    lea.share(25, 121, with: group)
    let proof = #"{"password":"\#(TestInstance.password)"}"#
    #expect(lea.call(.delete, "/account", proof).status == 202)
    let state = fay.group(group)
    #expect(state.members.count == 1 && state.json["leader_id"] as? String == state.id(of: "Fay"))
    #expect(try instance.count("SELECT count(*) FROM member_locations") == 0)
    #expect(try instance.problems() == [])
  }

  @Test("A purge leaves the others their log, without the person and their words")
  func purge() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    fay.post("\(group.page)/commands", ["kind": "need_help", "note": "A sprained ankle"])
    try instance.purge(try #require(ID<Person>(lea.group(group).id(of: "Fay"))))
    let page = lea.get(group.page)
    #expect(page.shows("Someone needs help") && !page.shows("A sprained ankle"))
    #expect(try instance.problems() == [])
  }

  @Test("A guest's groups are the member's that they turn out to be", arguments: [false, true])
  func merge(isInAlready: Bool) throws {
    let instance = try TestInstance()
    for name in ["lea", "fay"] { try instance.alone(name) }
    let (lea, fay) = (try instance.signedIn("lea"), try instance.signedIn("fay"))
    let guest = try instance.guest("Gia")
    let group = try guest.makeGroup()
    let code = try guest.code(of: group)
    lea.join(code)
    if isInAlready { fay.join(code) }
    guest.share(25, 121, with: group)
    guest.get("/sign-in")
    guest.signIn("fay@example.test", TestInstance.password)
    guest.post("/merge", ["take": "1"])
    let state = lea.group(group)
    #expect(state.members.count == 2)
    #expect(state.json["leader_id"] as? String == state.id(of: "Fay"))
    #expect((state.place(of: "Fay") != nil) == !isInAlready)
    #expect(try instance.problems() == [])
  }

  @Test("A removal applies to every account that the same user comes back with")
  func removed() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    let code = try lea.code(of: group)
    lea.post("\(group.page)/members/\(lea.group(group).id(of: "Fay"))/remove")
    #expect(fay.get(group.page).status == 403)
    let guest = instance.browser()
    guest.join(code, as: "Fay again")
    guest.get("/sign-in")
    guest.signIn("fay@example.test", TestInstance.password)
    guest.post("/merge", ["take": "1"])
    #expect(guest.get(group.page).status == 403 && lea.group(group).members.count == 1)
  }

  @Test(
    "The doctor finds inconsistent rows, and repairs them",
    arguments: [
      "UPDATE users SET deleted_at = 1 WHERE display_name = 'Lea'",
      "UPDATE users SET deleted_at = 1 WHERE display_name = 'Fay'",
      "DELETE FROM invite_codes", "UPDATE groups SET version = 1",
    ] as [Query])
  func doctor(corruption: Query) throws {
    let instance = try TestInstance()
    let (lea, _, _) = try instance.exercise()
    try instance.database.write { try $0.execute(corruption) }
    #expect(try !instance.problems().isEmpty)
    for check in instance.instance.doctorChecks { try check.repair?(instance.database) }
    #expect(try instance.problems() == [])
    #expect(try instance.count("SELECT count(*) FROM groups WHERE closed_at IS NULL") == 1)
    _ = lea
  }

  @Test("Observers are notified of every change and of every member who leaves")
  func observer() throws {
    let instance = try TestInstance()
    let people = try ["lea", "fay"].map { try instance.alone($0) }
    let told = NoticeCounts()
    let services = GroupsEnvironment(
      site: instance.instance.site,
      limits: RateLimitStore(
        database: instance.database, keys: instance.instance.keys, isOn: false), observer: told)
    let now = instance.clock.now()
    let service = GroupService(services: services)
    let id = try service.make("Walk", by: people[0], now: now)
    try instance.database.write { try services.writing.join(people[1].id, id, now: now, in: $0) }
    try service.remove(people[1].id, from: id, renewsCode: false, by: people[0], now: now)
    let kept = try instance.database.read {
      try $0.values("SELECT kind FROM jobs WHERE kind LIKE 'told.%' ORDER BY id", as: String.self)
    }
    #expect(kept == ["told.2", "told.3", "told.4", "told.gone"])
    #expect(throws: Problem.self) { try service.close(id, by: people[1], now: now) }
    #expect(try instance.count("SELECT count(*) FROM jobs WHERE kind LIKE 'told.%'") == 4)
  }
}

/// Records its calls, in the same transaction.
private struct NoticeCounts: GroupObserver {
  private func keep(_ words: String, _ writer: WriteTransaction) throws {
    let count = try writer.count("SELECT count(*) FROM jobs WHERE kind LIKE 'told.%'")
    try writer.execute(
      """
      INSERT INTO jobs (id, kind, payload, run_at, created_at)
      VALUES (\([UInt8](repeating: UInt8(count), count: 16)), \("told.\(words)"), '', 9999999999999,
        0)
      """)
  }

  func changed(
    _ group: ID<Groups.Group>, to version: Int, now: Instant, in writer: WriteTransaction
  ) throws {
    try keep("\(version)", writer)
  }

  func parted(
    _ person: ID<Person>, from group: ID<Groups.Group>, now: Instant, in writer: WriteTransaction
  ) throws {
    try keep("gone", writer)
  }

  func logged(
    _ event: GroupNoticeEvent, in group: GroupSummary, to others: [ID<Person>], now: Instant,
    in writer: WriteTransaction
  ) throws {
    // Entries of the log can be read there.
  }
}
