import Core
import Database
import Foundation
import Mail
import Testing
import Web

@testable import App
@testable import CheckIn
@testable import Groups
@testable import Jobs
@testable import Workouts

@Suite("Backup and restore of an instance")
struct BackupCommandsTests {
  @Test("People sign in, their pictures load, guests are in still, and the doctor is content")
  func whole() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let post = try ann.writeWithPicture("Words")
    let picture = try #require(
      ann.get(post).text.firstMatch(of: /\/media\/couples\/[^" ]+/).map { String($0.output) })
    let gia = instance.browser()
    gia.begin("Gia", contact: "kai@example.test")
    #expect(try instance.backUp().count == 1)
    try ann.write("Too late")

    var said: [String] = []
    let again = try instance.restored { said.append($0) }
    #expect(said.contains { $0.contains("sign-ins of members") })
    #expect(said.last?.contains("restored from") == true)
    let ben = TestClient(again.application)
    #expect(ben.signIn("ben@example.test", TestInstance.password).status == 303)
    #expect(ben.get(post).text.contains("Words"))
    #expect(ben.get(picture).status == 200)
    #expect(!ben.get("/").text.contains("Too late"))
    #expect(again.doctorChecks.count > 10)
    #expect(Doctor(again).run(repair: false) { Issue.record("\($0)") })
    // Old cookies: a member's session has ended; a guest has no other way to sign in, so it is
    // kept.
    #expect(try again.database.read { try $0.count("SELECT count(*) FROM sessions") } == 2)
    #expect(
      try again.database.read {
        try $0.count(
          "SELECT count(*) FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.role = 1")
      } == 1)
  }

  @Test("Every file that people bring is one that a row speaks of, and so looked for in a backup")
  func named() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    try ann.writeWithPicture("Words")
    _ = try ann.addPhoto()
    let ada = try instance.admin()
    let service = try ada.makeTraining("Hills")
    #expect(ada.sendCover(service).status == 303)
    let named = try instance.database.read { reader in
      try BackupCommands.namedFiles.reduce(into: Set<String>()) {
        try $0.formUnion($1.find(reader))
      }
    }
    #expect(named.count > 8)
    #expect(try instance.mediaFiles() == named)
  }

  @Test("A restore that was killed between two names is finished before any folder is made")
  func finishedFirst() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.signedIn("ann").writeWithPicture("Words")
    try instance.backUp()
    let configuration = try instance.configuration(data: "\(instance.folder.path)/restored")
    try BackupCommands(configuration, clock: instance.clock).restore(from: instance.directory) {
      _ in
    }
    // The state after the old folder was moved and before the new one is in place.
    let new = "20260302T000000Z.restored"
    let files = FileManager.default
    try files.createDirectory(
      atPath: "\(configuration.data)/\(new)", withIntermediateDirectories: true)
    try files.moveItem(
      atPath: configuration.mediaFolder, toPath: "\(configuration.data)/\(new)/media")
    try #"{"new":"\#(new)","before":"before-restore-20260302T000000Z"}"#.write(
      toFile: "\(configuration.data)/restoring.json", atomically: true, encoding: .utf8)
    let again = try instance.opened(configuration)
    #expect(Doctor(again).run(repair: false) { Issue.record("\($0)") })
    #expect(!files.fileExists(atPath: "\(configuration.data)/before-restore-20260302T000000Z"))
  }

  @Test("Files left out of a backup are named on the terminal")
  func leftOut() throws {
    let instance = try TestInstance()
    try FileManager.default.createSymbolicLink(
      atPath: "\(instance.instance.configuration.mediaFolder)/link", withDestinationPath: "/etc")
    #expect(try instance.backUp().contains { $0.contains("skipped") && $0.contains("media/link") })
  }

  @Test("Missing, removed, faulty or future-dated backups are reported on the terminal")
  func toldOnTerminal() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.signedIn("ann").writeWithPicture("Words")
    let file = try #require(try instance.mediaFiles().min())
    try FileManager.default.removeItem(
      atPath: "\(instance.instance.configuration.mediaFolder)/\(file)")
    #expect(
      try instance.backUp().contains { $0.hasPrefix("already missing") && $0.hasSuffix(file) })

    instance.clock.advance(seconds: 60)
    #expect(try instance.backUp().contains("removed: 20260302T000000Z"))

    let keys = "\(instance.instance.configuration.secretsFolder)/keys.json"
    try FileManager.default.moveItem(atPath: keys, toPath: "\(keys).aside")
    instance.clock.advance(seconds: 60)
    #expect(errorMessage { try instance.backUp() }.contains("20260302T000200Z.faulty"))
    try FileManager.default.moveItem(atPath: "\(keys).aside", toPath: keys)
    instance.clock.advance(seconds: 60)
    let said = try instance.backUp()
    #expect(
      said.contains { $0.contains("faulty backup") && $0.hasSuffix("20260302T000200Z.faulty") })

    instance.clock.advance(seconds: -.days(1))
    #expect(
      try instance.backUp().contains {
        $0.contains("in the future") && $0.contains("20260302T000300Z")
      })
  }

  @Test(
    "A backup counts even if it can't be recorded, because the database is locked",
    .onSQLite("a file has one lock"))
  func lockedDatabase() throws {
    let instance = try TestInstance()
    let other = try Database(path: instance.instance.configuration.databasePath)
    let (isLocked, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      try? other.write { _ in
        isLocked.signal()
        mayEnd.wait()
      }
      ended.signal()
    }
    do {
      defer { mayEnd.signal() }
      try #require(isLocked.wait(timeout: .now() + 60) == .success)
      #expect(try instance.backUp().count == 1)
    }
    try #require(ended.wait(timeout: .now() + 60) == .success)
    #expect(try instance.instance.jobStore.lastBeat(BackupCommands.heartbeat) == nil)
    let again = try instance.restored()
    #expect(try again.database.read { try $0.count("SELECT count(*) FROM users") } == 0)
  }

  @Test("Waiting pushes and stream updates are not sent after a restore")
  func stale() throws {
    let instance = try TestInstance()
    let (lea, _, group) = try instance.exercise()
    // A guest, whose session and subscription are kept.
    let gia = instance.browser()
    gia.begin("Gia", contact: "kai@example.test")
    try #require(gia.join(lea.code(of: group)).location == group.page)
    gia.subscribe()
    lea.post("\(group.page)/commands", ["kind": "gather"])
    let waiting = ["push_outbox", "live_news"]
    for table in waiting { #expect(try instance.count("SELECT count(*) FROM \(name: table)") > 0) }
    try instance.backUp()
    let again = try instance.restored()
    for table in waiting {
      #expect(
        try again.database.read { try $0.count("SELECT count(*) FROM \(name: table)") } == 0,
        "\(table)")
    }
    let stays: Query =
      "SELECT (SELECT count(*) FROM push_subscriptions) * count(*) FROM notifications"
    #expect(try again.database.read { try $0.count("\(stays) WHERE event = 'gather'") } > 0)
  }

  @Test("A contact whose introduction is outdated is introduced after all, once")
  func introduction() throws {
    let instance = try TestInstance()
    instance.browser().begin("Gia", contact: "kai@example.test", "save")
    // Queued, not yet sent.
    try instance.database.write {
      try $0.execute("DELETE FROM jobs WHERE kind <> \(ContactService.introduction)")
    }
    let kind = try #require(instance.instance.jobs.first { $0.name == ContactService.introduction })
    let job = try #require(
      try instance.instance.jobStore.claim([kind.name: kind], now: instance.clock.now()))
    _ = try ContactService(services: instance.instance.features.checkIn.services)
      .introduce(job, now: instance.clock.now())
    #expect(try instance.count("SELECT count(*) FROM contact_mails WHERE state = 'waiting'") == 1)
    try instance.backUp()
    instance.clock.advance(seconds: .days(4))
    let again = try instance.restored()
    func count(_ query: Query) throws -> Int { try again.database.read { try $0.count(query) } }
    #expect(try count("SELECT count(*) FROM contact_mails WHERE state = 'given-up'") == 1)
    try instance.work(in: again)
    #expect(
      try count(
        "SELECT count(*) FROM contact_mails WHERE kind = 'introduction' AND state = 'sent'") == 1)
    #expect(try count("SELECT count(*) FROM emergency_contacts WHERE state = 'introduced'") == 1)
    #expect(try count("SELECT count(*) FROM contact_mails WHERE state = 'waiting'") == 0)
  }

  @Test("Alerts wait for a day after it, though the backup is a week old, and then go out")
  func grace() throws {
    let instance = try TestInstance()
    let gia = instance.browser()
    gia.begin("Gia", contact: "kai@example.test")
    try instance.work()
    try instance.backUp()
    // A week later all data is lost.
    instance.clock.advance(seconds: .days(7))
    let again = try instance.restored()
    func alerts() throws -> Int {
      try instance.work(in: again)
      return try again.database.read {
        try $0.count("SELECT count(*) FROM contact_mails WHERE kind = 'alert'")
      }
    }
    for hour in 0...26 {
      try again.features.checkIn.beat(now: instance.clock.now())
      let count = try alerts()
      if hour < 24 { #expect(count == 0, "after \(hour) h") }
      if hour == 26 { #expect(count == 1) }
      instance.clock.advance(seconds: .hours(1))
    }
  }

  @Test(
    "The day for which alerts wait begins with the first start after it, however late",
    arguments: [Int64.minutes(5), .hours(30), .days(4)])
  func graceFromFirstStart(wait: Int64) throws {
    let instance = try TestInstance()
    instance.browser().begin("Gia", contact: "kai@example.test")
    try instance.work()
    try instance.backUp()
    instance.clock.advance(seconds: .days(7))
    let again = try instance.restored()
    instance.clock.advance(seconds: wait)
    // The worker may start before users can check in.
    #expect(try queuedAlerts(again, instance) == 0)
    for hour in 0...24 {
      try again.features.checkIn.beat(now: instance.clock.now())
      #expect(try queuedAlerts(again, instance) == (hour < 24 ? 0 : 1), "after \(hour) h")
      instance.clock.advance(seconds: .hours(1))
    }
  }

  /// Number of alerts sent from a restored instance.
  private func queuedAlerts(_ again: Instance, _ instance: TestInstance) throws -> Int {
    try instance.work(in: again)
    return try again.database.read {
      try $0.count(
        "SELECT count(*) FROM contact_mails WHERE kind = 'alert' AND state = 'sent'")
    }
  }

  /// Restores an instance with a queued alert about Gia a day after its backup; returns it with
  /// Gia's signed-in browser. With `isHalfNotified`, one of two contacts had been alerted.
  private func restoredWithAlert(
    isHalfNotified: Bool = false
  ) throws -> (instance: TestInstance, again: Instance, gia: TestClient) {
    let instance = try TestInstance()
    let gia = instance.browser()
    gia.begin("Gia", contact: "kai@example.test")
    gia.post("/checkin/contacts", ["email": "lee@example.test", "name": "Lee"])
    try instance.work()
    instance.clock.advance(seconds: .days(3) + .hours(2))
    try instance.instance.features.checkIn.beat(now: instance.clock.now())
    try CheckInScan(services: instance.checkIn).run(now: instance.clock.now())
    if isHalfNotified {
      // The other contact's mail waits for its next attempt.
      try instance.database.write {
        try $0.execute(
          """
          UPDATE jobs SET run_at = run_at + 600000 WHERE kind = 'mail' AND payload =
            (SELECT payload FROM jobs WHERE kind = 'mail' ORDER BY payload DESC LIMIT 1)
          """)
      }
      try instance.work()
    }
    try instance.backUp()
    instance.clock.advance(seconds: .days(1))
    let again = try instance.restored()
    let browser = TestClient(again.application)
    browser.take(cookiesOf: gia)
    return (instance, again, browser)
  }

  @Test(
    "An alert waiting in a backup is decided again: a check-in within the day prevents it",
    arguments: [false, true], [false, true])
  func waitingAlert(isHalfNotified: Bool, taps: Bool) throws {
    let (instance, again, gia) = try restoredWithAlert(isHalfNotified: isHalfNotified)
    let before = isHalfNotified ? 1 : 0
    for hour in 0...26 {
      try again.features.checkIn.beat(now: instance.clock.now())
      if taps, hour == 20 { #expect(gia.tap().status == 303) }
      let count = try queuedAlerts(again, instance)
      if hour < 24 || taps { #expect(count == before, "after \(hour) h") }
      // A day after its first mail, the one who was notified before is notified again.
      if hour == 26, !taps { #expect(count == (isHalfNotified ? 3 : 2)) }
      instance.clock.advance(seconds: .hours(1))
    }
    // Each contact, and no other.
    #expect(
      try again.database.read {
        try $0.count(
          """
          SELECT count(DISTINCT contact_id) FROM contact_mails WHERE kind = 'alert'
            AND state = 'sent'
          """)
      } == (taps ? before : 2))
    #expect(Doctor(again).run(repair: false) { Issue.record("\($0)") })
  }

  @Test("A held alert that expires before the service is up again blocks no other")
  func heldBetweenBeats() throws {
    let (instance, again, _) = try restoredWithAlert(isHalfNotified: true)
    for _ in 0..<24 {
      try again.features.checkIn.beat(now: instance.clock.now())
      #expect(try queuedAlerts(again, instance) == 1)
      instance.clock.advance(seconds: .hours(1))
    }
    #expect(try queuedAlerts(again, instance) == 1)
    try again.features.checkIn.beat(now: instance.clock.now())
    instance.clock.advance(seconds: .minutes(2))
    // The held one, and the daily repeat to the other contact.
    #expect(try queuedAlerts(again, instance) == 3)
  }

  @Test("In plain-CGI mode there are no heartbeats, and alerts are sent nevertheless")
  func plainCGI() throws {
    let instance = try TestInstance()
    instance.browser().begin("Gia", contact: "kai@example.test")
    try instance.work()
    try instance.backUp()
    let again = try instance.restored()
    for _ in 0...5 {
      try instance.work(in: again)
      instance.clock.advance(seconds: .hours(19))
      try again.features.checkIn.answered(now: instance.clock.now())
    }
    #expect(try queuedAlerts(again, instance) >= 1)
    let alerts = try again.database.read { try $0.count("SELECT count(*) FROM alerts") }
    #expect(alerts == 1)
  }

  @Test("A backup's clock data of another machine are dropped, and outages kept")
  func clocks() throws {
    let instance = try TestInstance()
    let now = instance.clock.now()
    try instance.database.write { writer in
      for (days, cause) in [(Int64(1), Outage.Cause.clock), (2, .outage)] {
        let moment = now.adding(seconds: -.days(days))
        try OutageStore.add(
          Outage(from: moment, until: moment, grace: .days(3), cause), maximumGracePeriod: nil,
          in: writer)
      }
    }
    try instance.backUp()
    let causes = try instance.restored().database.read {
      try $0.values("SELECT cause FROM outages ORDER BY cause", as: String.self)
    }
    #expect(causes == ["outage", "restore"])
  }

  @Test(
    "A closed instance releases its folder",
    .onSQLite("a restore needs an empty database of a server"))
  func unblock() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.backUp()
    let configuration = try instance.configuration(data: "\(instance.folder.path)/restored")
    let service = BackupCommands(configuration, clock: instance.clock)
    try service.restore(from: instance.directory) { _ in }
    _ = try instance.opened(configuration)
    instance.clock.advance(seconds: 1)
    try service.restore(from: instance.directory) { _ in }
  }

  @Test("No location is shared any more, and groups have newer versions than any browser")
  func groups() throws {
    let instance = try TestInstance()
    try instance.alone("ann")
    let ann = try instance.signedIn("ann")
    let group = try ann.makeGroup()
    ann.share(25, 121, with: group)
    #expect(try instance.count("SELECT count(*) FROM member_locations") == 1)
    try instance.backUp()
    let version = try instance.count("SELECT version FROM groups")
    let again = try instance.restored()
    func count(_ query: Query) throws -> Int { try again.database.read { try $0.count(query) } }
    #expect(try count("SELECT count(*) FROM member_locations") == 0)
    #expect(try count("SELECT count(*) FROM group_members WHERE sharing_until IS NOT NULL") == 0)
    #expect(try count("SELECT version FROM groups") == version + 1_000_000_000)
    let back = TestClient(again.application)
    back.signIn("ann@example.test", TestInstance.password)
    #expect(back.group(group, since: version + 50).status == 200)
  }

  @Test("Lists of workouts have the epoch of the data, which changes with a restore")
  func epoch() throws {
    let instance = try TestInstance()
    try instance.alone("ann")
    func epoch(_ application: Application) throws -> String {
      let ann = TestClient(application)
      ann.signIn("ann@example.test", TestInstance.password)
      let text = ann.get("/api/v1/sessions").text
      return try #require(text.firstMatch(of: /"epoch":"([0-9a-f]{32})"/).map { "\($0.output.1)" })
    }
    let before = try epoch(instance.instance.application)
    #expect(try epoch(instance.reopened().application) == before)
    try instance.backUp()
    #expect(try epoch(try instance.restored().application) != before)
  }

  @Test("Waiting mail is sent under its id; mail that is too old is dropped, except alerts")
  func mail() throws {
    let instance = try TestInstance()
    let start = instance.clock.now()
    func queue(_ address: String, _ daysAgo: Int64, retriesForever: Bool = false) throws -> String {
      try instance.database.write {
        try instance.instance.mailQueue.add(
          instance.instance.testMail.written(TestMail(baseURL: "http://x"), in: .english),
          to: address,
          retriesForever: retriesForever, now: start.adding(seconds: -.days(daysAgo)), in: $0)
      }.description
    }
    let young = try queue("young@example.test", 1)
    _ = try queue("old@example.test", 4)
    let alert = try queue("alert@example.test", 4, retriesForever: true)
    try instance.backUp()
    let again = try instance.restored()
    let ids = try again.database.read {
      try $0.rows("SELECT id FROM mail_queue") { try $0.next(ID<QueuedMail>.self).description }
    }
    #expect(Set(ids) == [young, alert])
  }

  @Test("The time of the last backup is on the page for admins and in the metrics")
  func known() throws {
    let instance = try TestInstance()
    let metrics = { instance.browser().get("/metrics").text }
    #expect(metrics().contains("pairspot_last_backup_timestamp_seconds 0"))
    try instance.backUp()
    #expect(
      metrics().contains(
        "pairspot_last_backup_timestamp_seconds \(TestInstance.start.milliseconds / 1000)"))
  }
}
