import Core
import Foundation
import Jobs
import Mail
import Testing
import Web

@testable import App
@testable import CheckIn

extension TestInstance {
  /// Sends the heartbeats of running handlers and workers.
  func live() throws {
    try instance.features.checkIn.beat(now: clock.now())
    try work()
  }

  /// Failed checks of `/healthz`.
  func unwell() throws -> [String: String] {
    let answer = browser().get("/healthz")
    let problems = try #require(answer.json["problems"] as? [String: String])
    #expect(answer.json["ok"] as? Bool == problems.isEmpty)
    #expect(answer.status == (problems.isEmpty ? 200 : 503))
    return problems
  }

  /// Heartbeats of an idle worker in every lane.
  func workerBeats() throws {
    for queue in WorkerQueues.all { try instance.jobStore.beat(queue.heartbeat, now: clock.now()) }
  }
}

@Suite("Whether an instance is well")
struct HealthTests {
  private func living() throws -> TestInstance {
    let instance = try TestInstance()
    try instance.live()
    return instance
  }

  @Test("All is well while handlers and worker live")
  func well() throws {
    let instance = try living()
    #expect(try instance.unwell() == [:])
    #expect(instance.browser().get("/healthz").text == #"{"ok":true,"problems":{}}"#)
  }

  @Test("Before anything has run it is not")
  func fresh() throws {
    let instance = try TestInstance()
    let none = "no worker has run yet"
    #expect(
      try instance.unwell() == [
        "worker": none, "mail worker": none, "scan worker": none, "check-in scan": "no scan yet",
      ])
  }

  @Test("A worker that has not been seen for a minute is missed")
  func worker() throws {
    let instance = try living()
    instance.clock.advance(seconds: 60)
    #expect(try instance.unwell() == [:])
    instance.clock.advance(seconds: 1)
    let silent = "no sign of a worker for 61 s"
    #expect(
      try instance.unwell() == ["worker": silent, "mail worker": silent, "scan worker": silent])
    try instance.workerBeats()
    #expect(try instance.unwell() == [:])
  }

  @Test("Each lane speaks for itself", arguments: WorkerQueues.all)
  func queues(hung: JobQueue) throws {
    let instance = try living()
    instance.clock.advance(seconds: 61)
    for queue in WorkerQueues.all where queue != hung {
      try instance.instance.jobStore.beat(queue.heartbeat, now: instance.clock.now())
    }
    #expect(try instance.unwell().count == 1)
    try instance.instance.jobStore.beat(hung.heartbeat, now: instance.clock.now())
    #expect(try instance.unwell() == [:])
  }

  @Test("A lane that is at a long job is well until the job's lease ends")
  func longJob() throws {
    let instance = try living()
    try instance.database.write {
      try JobStore.add(
        "accounts.export", runAt: instance.clock.now(), now: instance.clock.now(), in: $0)
      // As claimed by a worker.
      try $0.execute(
        """
        UPDATE jobs SET lease = \([1] as [UInt8]), run_at =
          \(instance.clock.now().adding(seconds: .minutes(30))) WHERE kind = 'accounts.export'
        """)
    }
    func others() throws {
      for queue in WorkerQueues.all where queue != WorkerQueues.everythingElse {
        try instance.instance.jobStore.beat(queue.heartbeat, now: instance.clock.now())
      }
    }
    instance.clock.advance(seconds: .minutes(30) - 1)
    try others()
    #expect(try instance.unwell() == [:])
    instance.clock.advance(seconds: 1)
    try others()
    #expect(try Array(instance.unwell().keys) == ["worker"])
    // Waiting jobs alone don't make a lane busy.
    try instance.database.write {
      try $0.execute(
        "UPDATE jobs SET lease = NULL, run_at = run_at + 9000 WHERE kind = 'accounts.export'")
    }
    #expect(try Array(instance.unwell().keys) == ["worker"])
  }

  @Test("A worker that died before the clock was set back looks no better for it")
  func workerAhead() throws {
    let instance = try living()
    // Two clocks always differ slightly.
    instance.clock.advance(seconds: -60)
    #expect(try instance.unwell() == [:])
    instance.clock.advance(seconds: -1)
    #expect(try Set(instance.unwell().keys) == ["worker", "mail worker", "scan worker"])
    try instance.workerBeats()
    #expect(try instance.unwell() == [:])
  }

  @Test("A scan that is half an hour late is missed, however often the worker beats")
  func scan() throws {
    let instance = try living()
    instance.clock.advance(seconds: .minutes(31))
    try instance.workerBeats()
    #expect(try instance.unwell() == [:])
    instance.clock.advance(seconds: 1)
    #expect(
      try instance.unwell() == ["check-in scan": "the scan for missed check-ins is 30 min late"])
    try instance.work()
    #expect(try instance.unwell() == [:])
  }

  @Test("A scan of before the clock was set back is missed as well")
  func scanAhead() throws {
    let instance = try living()
    instance.clock.advance(seconds: -.minutes(30))
    try instance.workerBeats()
    #expect(try instance.unwell() == [:])
    instance.clock.advance(seconds: -1)
    #expect(try Array(instance.unwell().keys) == ["check-in scan"])
    // A working worker starts the next job within seconds.
    try instance.work()
    #expect(try instance.unwell() == [:])
  }

  @Test("Handlers that have not been seen for two hours are missed, whichever way the clock went")
  func handlers() throws {
    for sign in [Int64(1), -1] {
      let instance = try living()
      instance.clock.advance(seconds: sign * .hours(2))
      try instance.work()
      #expect(try instance.unwell() == [:])
      instance.clock.advance(seconds: sign)
      try instance.work()
      #expect(try Array(instance.unwell().keys) == ["handlers"])
      try instance.live()
      #expect(try instance.unwell() == [:])
    }
  }

  @Test("A clock set back by a day hides no dead process")
  func dayBack() throws {
    let instance = try living()
    instance.clock.advance(seconds: -.days(1))
    #expect(
      try Set(instance.unwell().keys)
        == ["worker", "mail worker", "scan worker", "check-in scan", "handlers"])
    try instance.live()
    #expect(try instance.unwell() == [:])
  }

  @Test(
    "A database that is not there any more is missed, though connections to it are open",
    .onSQLite("it reads the file"))
  func database() throws {
    let instance = try living()
    #expect(try instance.unwell() == [:])
    let path = instance.instance.configuration.databasePath
    try FileManager.default.moveItem(atPath: path, toPath: "\(path).away")
    let found = try instance.unwell()
    #expect(Array(found.keys) == ["database"])
    try FileManager.default.moveItem(atPath: "\(path).away", toPath: path)
    #expect(try instance.unwell() == [:])
  }

  @Test("A check that fails itself is named, without its error")
  func failing() throws {
    let instance = try living()
    try instance.database.write { try $0.execute("DROP TABLE heartbeats") }
    let found = try instance.unwell()
    #expect(
      Set(found.keys)
        == ["worker", "mail worker", "scan worker", "mail", "drill", "check-in scan", "handlers"])
    #expect(Set(found.values) == ["the check failed: see the log"])
    var lines: [String] = []
    let monitor = HealthMonitor(
      database: instance.database, jobs: instance.instance.jobStore,
      mail: MailHealth(database: instance.database),
      disks: DiskSpaceMonitor(instance.instance.configuration))
    _ = monitor.findings(now: instance.clock.now()) { lines.append($0) }
    #expect(lines.count == 5 && lines[0].hasPrefix("health: worker: "))
    #expect(lines[0].contains("heartbeats"))
  }

  @Test("A session that can't be looked up gets the error page, too")
  func session() throws {
    let instance = try living()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    try instance.database.write { try $0.execute("ALTER TABLE sessions RENAME TO sessions_away") }
    #expect(sam.get("/settings").status == 500)
    #expect(sam.get("/healthz").status == 200)
  }

  @Test("Mail refused because of our configuration is reported")
  func mail() throws {
    let instance = try living()
    try instance.queueMail()
    try instance.deliver(failing: .refusedUs("535 5.7.8 <us@example.test> no"))
    let found = try instance.unwell()
    #expect(Array(found.keys) == ["mail"])
    #expect(found["mail"]?.contains("rejects our email") == true)
    #expect(found["mail"]?.contains("example.test") == false)
  }

  @Test("A nearly full disk, or one without free inodes, is reported with its contents")
  func disk() throws {
    let instance = try living()
    func words(_ space: @escaping @Sendable (String) -> DiskSpaceMonitor.FreeSpace) -> String? {
      var disks = DiskSpaceMonitor(instance.instance.configuration)
      disks.space = space
      let full = HealthMonitor(
        database: instance.database, jobs: instance.instance.jobStore,
        mail: MailHealth(database: instance.database), disks: disks)
      let disk = full.findings(now: instance.clock.now()) { _ in }.first { $0.check.name == "disk" }
      return disk?.problem?.text(
        instance.instance.site.catalogues, in: .english, moment: { $0.rfc3339 })
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
