import Basics
import Foundation
import Synchronization
import Testing
import Web

@testable import App
@testable import Groups

@Suite("Many change a group at once")
struct GroupConcurrencyTests {
  /// 250 people who are there, of whom the first lead and follow in a group.
  private struct World: Sendable {
    let services: GroupServices
    let group: ID<Groups.Group>
    let people: [Viewer]

    var desk: GroupDesk { GroupDesk(services: services) }
    var joining: JoinDesk { JoinDesk(services: services) }

    init(_ house: TestHouse, members: Int) throws {
      services = house.house.features.groups.services
      let now = house.clock.now()
      let people = (0..<250).map { number in
        Viewer(
          id: ID<Person>.random(), role: .guest,
          face: Viewer.Face(name: "Walker \(number)", avatar: nil), couple: nil)
      }
      self.people = people
      try house.database.write { writer in
        for person in people {
          try writer.execute(
            """
            INSERT INTO users (id, role, display_name, terms_version, terms_accepted_at, created_at)
            VALUES (?, 1, ?, '', ?, ?)
            """, person.id, person.face.name, now, now)
        }
      }
      let id = try GroupDesk(services: services).make("Walk", by: people[0], now: now)
      group = id
      let writing = services.writing
      try house.database.write { writer in
        for person in people[1..<members] {
          try writing.join(person.id, id, now: now, in: writer)
        }
      }
    }

    func code() throws -> InviteCode {
      let text = try services.site.database.read { reader in
        try reader.first("SELECT code FROM invite_codes WHERE group_id = ?", group) { $0.text(0) }
      }
      return try #require(text.flatMap { InviteCode($0) })
    }

    /// How many open groups are not led by exactly one of their members, at this moment.
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
    let house = try TestHouse()
    let world = try World(house, members: 250)
    let code = try world.code()
    let now = house.clock.now()
    let wrong = Mutex(0)
    let unexpected = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 200) { number in
      let viewer = world.people[number]
      do {
        switch number % 4 {
        case 0, 1:
          try world.desk.leave(world.group, by: viewer, now: now)
          if number % 4 == 1 { _ = try world.joining.join(code, as: viewer.id, now: now) }
        case 2:
          // Whoever leads at this moment hands over to this one.
          let leader = try world.services.site.database.read { reader in
            try reader.first("SELECT leader_id FROM groups WHERE id = ?", world.group) {
              try $0.optionalID(0, Person.self)
            }
          }
          if let leader = leader ?? nil,
            let other = world.people.first(where: { $0.id == leader })
          {
            try world.desk.handOver(world.group, to: viewer.id, by: other, now: now)
          }
        default:
          _ = try world.joining.join(code, as: viewer.id, now: now)
        }
      } catch let problem as Problem where [403, 404].contains(problem.status.code) {
        // The lead has gone elsewhere meanwhile, or they have.
      } catch {
        unexpected.withLock { $0.append("\(error)") }
      }
      if (try? world.leaderless()) != 0 { wrong.withLock { $0 += 1 } }
    }
    #expect(unexpected.withLock { $0 } == [])
    #expect(wrong.withLock { $0 } == 0)
    #expect(try house.problems() == [])
    // A quarter has left for good.
    #expect(try house.count("SELECT count(*) FROM group_members") == 200)
    #expect(
      try house.count(
        "SELECT count(*) FROM (SELECT 1 FROM group_members GROUP BY group_id, user_id HAVING count(*) > 1)"
      ) == 0)
    // Every change has a version of its own, and the log has them all.
    #expect(
      try house.count(
        """
        SELECT g.version - 1 - (SELECT count(*) FROM group_events e WHERE e.group_id = g.id)
        FROM groups g
        """) == 0)
  }

  @Test("When all leave at once, the group closes, and only then")
  func all() throws {
    let house = try TestHouse()
    let world = try World(house, members: 60)
    let now = house.clock.now()
    DispatchQueue.concurrentPerform(iterations: 60) { number in
      try? world.desk.leave(world.group, by: world.people[number], now: now)
    }
    #expect(try house.count("SELECT count(*) FROM group_members") == 0)
    #expect(
      try house.count(
        "SELECT count(*) FROM groups WHERE closed_at IS NOT NULL AND leader_id IS NULL") == 1)
    #expect(
      try house.count("SELECT count(*) FROM group_events WHERE kind = 'closed'") == 1)
  }

  @Test("The last place goes to one of many who want it")
  func full() throws {
    let house = try TestHouse()
    let world = try World(house, members: 249)
    let code = try world.code()
    let now = house.clock.now()
    try house.alone("extra")
    let extra = try (0..<20).map { try house.alone("extra\($0)") }
    let joined = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 20) { number in
      if case .member = try? world.joining.join(code, as: extra[number].id, now: now) {
        joined.withLock { $0 += 1 }
      }
    }
    #expect(joined.withLock { $0 } == 1)
    #expect(try house.count("SELECT count(*) FROM group_members") == 250)
    #expect(throws: (any Error).self) {
      try house.database.write {
        try $0.execute(
          "INSERT INTO group_members (group_id, user_id, id, joined_at) VALUES (?, ?, ?, 0)",
          world.group, extra[0].id, ID<Joining>.random())
      }
    }
  }

  @Test("So many guesses at once are no more than are allowed")
  func guesses() throws {
    let house = try TestHouse(limits: true)
    let joining = JoinDesk(services: house.house.features.groups.services)
    let wrong = try #require(InviteCode("AAAAAA"))
    let now = house.clock.now()
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
