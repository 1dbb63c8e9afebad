import Basics
import Foundation
import Jobs
import Mail
import Testing
import Web

@testable import App
@testable import CheckIn

extension TestHouse {
  /// Does what handlers and worker do that have run all the while.
  func live() throws {
    try house.features.checkIn.beat(now: clock.now())
    try work()
  }

  /// What `/healthz` finds wrong, by check.
  func unwell() throws -> [String: String] {
    let answer = browser().get("/healthz")
    let problems = try #require(answer.json["problems"] as? [String: String])
    #expect(answer.json["ok"] as? Bool == problems.isEmpty)
    #expect(answer.status == (problems.isEmpty ? 200 : 503))
    return problems
  }

  /// A worker that lives in every lane, and does nothing.
  func workerBeats() throws {
    for lane in Lanes.all { try house.jobStore.beat(lane.heartbeat, now: clock.now()) }
  }
}

@Suite("Whether an instance is well")
struct HealthTests {
  private func living() throws -> TestHouse {
    let house = try TestHouse()
    try house.live()
    return house
  }

  @Test("All is well while handlers and worker live")
  func well() throws {
    let house = try living()
    #expect(try house.unwell() == [:])
    #expect(house.browser().get("/healthz").text == #"{"ok":true,"problems":{}}"#)
  }

  @Test("Before anything has run it is not")
  func fresh() throws {
    let house = try TestHouse()
    let none = "no worker ran yet"
    #expect(
      try house.unwell() == [
        "worker": none, "mail worker": none, "scan worker": none, "check-in scan": "no scan yet",
      ])
  }

  @Test("A worker that has not been seen for a minute is missed")
  func worker() throws {
    let house = try living()
    house.clock.advance(seconds: 60)
    #expect(try house.unwell() == [:])
    house.clock.advance(seconds: 1)
    let silent = "no sign of a worker for 61 s"
    #expect(
      try house.unwell() == ["worker": silent, "mail worker": silent, "scan worker": silent])
    try house.workerBeats()
    #expect(try house.unwell() == [:])
  }

  @Test("Each lane speaks for itself", arguments: Lanes.all)
  func lanes(hung: JobLane) throws {
    let house = try living()
    house.clock.advance(seconds: 61)
    for lane in Lanes.all where lane != hung {
      try house.house.jobStore.beat(lane.heartbeat, now: house.clock.now())
    }
    #expect(try house.unwell().count == 1)
    try house.house.jobStore.beat(hung.heartbeat, now: house.clock.now())
    #expect(try house.unwell() == [:])
  }

  @Test("A lane that is at a long job is well until the job's lease ends")
  func longJob() throws {
    let house = try living()
    try house.database.write {
      try JobStore.add("accounts.export", runAt: house.clock.now(), now: house.clock.now(), in: $0)
      // As a worker takes it.
      try $0.execute(
        "UPDATE jobs SET lease = x'01', run_at = ? WHERE kind = 'accounts.export'",
        house.clock.now().adding(seconds: .minutes(30)))
    }
    func others() throws {
      for lane in Lanes.all where lane != Lanes.everythingElse {
        try house.house.jobStore.beat(lane.heartbeat, now: house.clock.now())
      }
    }
    house.clock.advance(seconds: .minutes(30) - 1)
    try others()
    #expect(try house.unwell() == [:])
    house.clock.advance(seconds: 1)
    try others()
    #expect(try Array(house.unwell().keys) == ["worker"])
    // What only waits keeps nobody busy.
    try house.database.write {
      try $0.execute(
        "UPDATE jobs SET lease = NULL, run_at = run_at + 9000 WHERE kind = 'accounts.export'")
    }
    #expect(try Array(house.unwell().keys) == ["worker"])
  }

  @Test("A worker that died before the clock was set back looks no better for it")
  func workerAhead() throws {
    let house = try living()
    // Two clocks are never quite alike.
    house.clock.advance(seconds: -60)
    #expect(try house.unwell() == [:])
    house.clock.advance(seconds: -1)
    #expect(try Set(house.unwell().keys) == ["worker", "mail worker", "scan worker"])
    try house.workerBeats()
    #expect(try house.unwell() == [:])
  }

  @Test("A scan that is half an hour late is missed, however often the worker beats")
  func scan() throws {
    let house = try living()
    house.clock.advance(seconds: .minutes(45))
    try house.workerBeats()
    #expect(try house.unwell() == [:])
    house.clock.advance(seconds: 1)
    #expect(
      try house.unwell() == ["check-in scan": "the scan for missed check-ins is 30 min late"])
    try house.work()
    #expect(try house.unwell() == [:])
  }

  @Test("A scan of before the clock was set back is missed as well")
  func scanAhead() throws {
    let house = try living()
    house.clock.advance(seconds: -.minutes(30))
    try house.workerBeats()
    #expect(try house.unwell() == [:])
    house.clock.advance(seconds: -1)
    #expect(try Array(house.unwell().keys) == ["check-in scan"])
    // A worker that does its work has the next one within seconds.
    try house.work()
    #expect(try house.unwell() == [:])
  }

  @Test("Handlers that have not been seen for two hours are missed, whichever way the clock went")
  func handlers() throws {
    for sign in [Int64(1), -1] {
      let house = try living()
      house.clock.advance(seconds: sign * .hours(2))
      try house.work()
      #expect(try house.unwell() == [:])
      house.clock.advance(seconds: sign)
      try house.work()
      #expect(try Array(house.unwell().keys) == ["handlers"])
      try house.live()
      #expect(try house.unwell() == [:])
    }
  }

  @Test("A day that the clock is set back hides nobody's end")
  func dayBack() throws {
    let house = try living()
    house.clock.advance(seconds: -.days(1))
    #expect(
      try Set(house.unwell().keys)
        == ["worker", "mail worker", "scan worker", "check-in scan", "handlers"])
    try house.live()
    #expect(try house.unwell() == [:])
  }

  @Test("A database that is not there any more is missed, though connections to it are open")
  func database() throws {
    let house = try living()
    #expect(try house.unwell() == [:])
    let path = house.house.configuration.databasePath
    try FileManager.default.moveItem(atPath: path, toPath: "\(path).away")
    let found = try house.unwell()
    #expect(Array(found.keys) == ["database"])
    try FileManager.default.moveItem(atPath: "\(path).away", toPath: path)
    #expect(try house.unwell() == [:])
  }

  @Test("A check that fails itself is named, and why it did is nobody's business")
  func failing() throws {
    let house = try living()
    try house.database.write { try $0.execute("DROP TABLE heartbeats") }
    let found = try house.unwell()
    #expect(
      Set(found.keys)
        == ["worker", "mail worker", "scan worker", "mail", "check-in scan", "handlers"])
    #expect(Set(found.values) == ["it can't be checked: the log says why"])
    var lines: [String] = []
    let monitor = HealthMonitor(
      databasePath: "/nonexistent", jobs: house.house.jobStore,
      mail: MailHealth(database: house.database), disks: DiskWatch(house.house.configuration))
    _ = monitor.findings(now: house.clock.now()) { lines.append($0) }
    #expect(lines.count == 5 && lines[0].hasPrefix("health: database: "))
    #expect(lines[1].contains("no such table: heartbeats"))
  }

  @Test("Who brings a session that can't be looked up is told what is wrong, too")
  func session() throws {
    let house = try living()
    try house.alone("sam")
    let sam = try house.signedIn("sam")
    try house.database.write { try $0.execute("ALTER TABLE sessions RENAME TO sessions_away") }
    #expect(sam.get("/settings").status == 500)
    #expect(sam.get("/healthz").status == 200)
  }

  @Test("Mail that is refused because of us is told of")
  func mail() throws {
    let house = try living()
    try house.queueMail()
    try house.deliver(failing: .refusedUs("535 5.7.8 <us@example.test> no"))
    let found = try house.unwell()
    #expect(Array(found.keys) == ["mail"])
    #expect(found["mail"]?.contains("takes no mail from us") == true)
    #expect(found["mail"]?.contains("example.test") == false)
  }

  @Test("A disk that is nearly full, or can hold no more files, is told of with what lies on it")
  func disk() throws {
    let house = try living()
    func words(_ room: @escaping @Sendable (String) -> DiskWatch.Room) -> String? {
      var disks = DiskWatch(house.house.configuration)
      disks.room = room
      let full = HealthMonitor(
        databasePath: house.house.configuration.databasePath, jobs: house.house.jobStore,
        mail: MailHealth(database: house.database), disks: disks)
      let disk = full.findings(now: house.clock.now()) { _ in }.first { $0.check.name == "disk" }
      return disk?.problem?.words(
        house.house.site.catalogues, in: .english, moment: { $0.rfc3339 })
    }
    #expect(words { _ in .init(bytes: 100 << 20, files: 1000) } == nil)
    #expect(
      words { .init(bytes: $0.hasSuffix("/media") ? 1 << 20 : 1 << 40, files: nil) }
        == "less than 100 MiB are free for media/")
    #expect(
      words { _ in .init(bytes: 1 << 40, files: 999) }
        == "fewer than 1000 more files can be made for PAIRSPOT_DATA")
  }
}
