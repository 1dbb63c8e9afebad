import Core
import Foundation
import Synchronization
import Testing
import Web

@testable import App
@testable import Groups

@Suite("Many change a group at once")
struct GroupConcurrencyTests {
  /// 250 users; the first ones lead and follow in groups.
  private struct Fixture: Sendable {
    let services: GroupsEnvironment
    let group: ID<Groups.Group>
    let people: [Viewer]

    var service: GroupService { GroupService(services: services) }
    var joining: JoinService { JoinService(services: services) }

    init(_ instance: TestInstance, members: Int) throws {
      services = instance.instance.features.groups.services
      let now = instance.clock.now()
      let people = (0..<250).map { number in
        Viewer(
          id: ID<Person>.random(), role: .guest,
          avatar: Viewer.Avatar(name: "Walker \(number)", avatar: nil), couple: nil)
      }
      self.people = people
      try instance.database.write { writer in
        for person in people {
          try writer.execute(
            """
            INSERT INTO users (id, role, display_name, terms_version, terms_accepted_at, created_at)
            VALUES (\(person.id), 1, \(person.avatar.name), '', \(now), \(now))
            """)
        }
      }
      let id = try GroupService(services: services).make("Walk", by: people[0], now: now)
      group = id
      let writing = services.writing
      for person in people[1..<members] {
        try instance.database.write { try writing.join(person.id, id, now: now, in: $0) }
      }
    }

    func code() throws -> InviteCode {
      let text = try services.site.database.read { reader in
        try reader.value("SELECT code FROM invite_codes WHERE group_id = \(group)", as: String.self)
      }
      return try #require(text.flatMap { InviteCode($0) })
    }

    /// Number of open groups not led by exactly one of their members.
    func leaderless() throws -> Int {
      try services.site.database.read {
        try $0.count(
          """
          SELECT count(*) FROM groups g WHERE g.closed_at IS NULL AND 1 <> (
            SELECT count(*) FROM group_members m
            WHERE m.group_id = g.id AND m.user_id = g.leader_id)
          """)
      }
    }
  }

  @Test(
    "Of 250 members 200 leave, come back and are promoted at once; there is always one leader")
  func leaders() throws {
    let instance = try TestInstance()
    let fixture = try Fixture(instance, members: 250)
    let code = try fixture.code()
    let now = instance.clock.now()
    let wrong = Mutex(0)
    let unexpected = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 200) { number in
      let viewer = fixture.people[number]
      do {
        switch number % 4 {
        case 0, 1:
          try fixture.service.leave(fixture.group, by: viewer, now: now)
          if number % 4 == 1 { _ = try fixture.joining.join(code, as: viewer.id, now: now) }
        case 2:
          // The current leader hands over to this user.
          let leader = try fixture.services.site.database.read { reader in
            try reader.value(
              "SELECT leader_id FROM groups WHERE id = \(fixture.group)", as: ID<Person>?.self)
          }
          if let leader = leader ?? nil,
            let other = fixture.people.first(where: { $0.id == leader })
          {
            try fixture.service.handOver(fixture.group, to: viewer.id, by: other, now: now)
          }
        default:
          _ = try fixture.joining.join(code, as: viewer.id, now: now)
        }
      } catch let problem as Problem where [403, 404].contains(problem.status.code) {
        // The lead has changed concurrently, or the user has left.
      } catch {
        unexpected.withLock { $0.append("\(error)") }
      }
      if (try? fixture.leaderless()) != 0 { wrong.withLock { $0 += 1 } }
    }
    #expect(unexpected.withLock { $0 } == [])
    #expect(wrong.withLock { $0 } == 0)
    #expect(try instance.problems() == [])
    // A quarter has left for good.
    #expect(try instance.count("SELECT count(*) FROM group_members") == 200)
    #expect(
      try instance.count(
        "SELECT count(*) FROM (SELECT 1 FROM group_members GROUP BY group_id, user_id HAVING count(*) > 1) AS counted"
      ) == 0)
    // Every change has a version of its own, and the log has all of them.
    #expect(
      try instance.count(
        """
        SELECT g.version - 1 - (SELECT count(*) FROM group_events e WHERE e.group_id = g.id)
        FROM groups g
        """) == 0)
  }

  @Test("When all leave at once, the group closes, and only then")
  func all() throws {
    let instance = try TestInstance()
    let fixture = try Fixture(instance, members: 60)
    let now = instance.clock.now()
    DispatchQueue.concurrentPerform(iterations: 60) { number in
      try? fixture.service.leave(fixture.group, by: fixture.people[number], now: now)
    }
    #expect(try instance.count("SELECT count(*) FROM group_members") == 0)
    #expect(
      try instance.count(
        "SELECT count(*) FROM groups WHERE closed_at IS NOT NULL AND leader_id IS NULL") == 1)
    #expect(
      try instance.count("SELECT count(*) FROM group_events WHERE kind = 'closed'") == 1)
  }

  @Test("The last place goes to one of many")
  func full() throws {
    let instance = try TestInstance()
    let fixture = try Fixture(instance, members: 249)
    let code = try fixture.code()
    let now = instance.clock.now()
    try instance.alone("extra")
    let extra = try (0..<20).map { try instance.alone("extra\($0)") }
    let joined = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 20) { number in
      if case .member = try? fixture.joining.join(code, as: extra[number].id, now: now) {
        joined.withLock { $0 += 1 }
      }
    }
    #expect(joined.withLock { $0 } == 1)
    #expect(try instance.count("SELECT count(*) FROM group_members") == 250)
    #expect(throws: (any Error).self) {
      try instance.database.write {
        try $0.execute(
          """
          INSERT INTO group_members (group_id, user_id, id, joined_at)
          VALUES (\(fixture.group), \(extra[0].id), \(ID<GroupMembership>.random()), 0)
          """)
      }
    }
  }

  @Test("So many guesses at once are no more than are allowed")
  func guesses() throws {
    let instance = try TestInstance(limits: true)
    let joining = JoinService(services: instance.instance.features.groups.services)
    let wrong = try #require(InviteCode("AAAAAA"))
    let now = instance.clock.now()
    let unknown = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 64) { _ in
      if case .refused(.unknown) = try? joining.find(
        wrong, for: nil, from: "203.0.113.9", now: now)
      {
        unknown.withLock { $0 += 1 }
      }
    }
    #expect(unknown.withLock { $0 } == 10)
  }
}
