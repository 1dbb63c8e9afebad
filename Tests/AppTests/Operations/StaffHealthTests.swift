import Core
import Jobs
import Mail
import Testing
import Web

@testable import App
@testable import CheckIn

@Suite("The health of an instance, for admins")
struct StaffHealthTests {
  /// A line of the page: the text of an entry, and whether it is marked as failed.
  private func line(_ name: String, on page: TestResponse) throws -> (
    words: String, isHealthy: Bool
  ) {
    let parts = page.text.components(separatedBy: "<b>\(name)</b>")
    try #require(parts.count == 2, "\(name): \(parts.count - 1)")
    let rest = parts[1].components(separatedBy: "</li>")[0]
    let words = rest.replacing(/<[^>]*>/, with: "")
    return (words, !rest.contains("class=\"error\""))
  }

  private func isHealthy(_ page: TestResponse) -> Bool {
    let isHealthy = page.shows("All is well")
    #expect(page.shows("data-testid=\"not-well\"") == !isHealthy)
    return isHealthy
  }

  private func living() throws -> (TestInstance, TestClient) {
    let instance = try TestInstance()
    let ada = try instance.admin()
    try instance.live()
    try instance.haveBackup()
    return (instance, ada)
  }

  @Test("All is well while handlers and worker live, and each check says so")
  func well() throws {
    let (instance, ada) = try living()
    let page = ada.get("/admin/health")
    #expect(isHealthy(page))
    #expect(try instance.problems() == [])
    for name in [
      "Database", "Worker", "Email worker", "Check-in worker", "Email", "Disk",
      "Page handlers", "Restore drill", "Watchman on a second machine",
      "Other ways to alert contacts",
    ] {
      let found = try line(name, on: page)
      #expect(found.words == "OK" && found.isHealthy, "\(name)")
    }
  }

  @Test("Without any backup not all is well, and the page says how to make one")
  func noBackup() throws {
    let instance = try TestInstance()
    let ada = try instance.admin()
    try instance.live()
    let page = ada.get("/admin/health")
    let backup = try line("Last backup", on: page)
    #expect(!isHealthy(page) && !backup.isHealthy)
    #expect(backup.words.contains("pairspot backup"))
    // Not a failure for a load balancer.
    #expect(try instance.unwell() == [:])
    try instance.haveBackup()
    let after = ada.get("/admin/health")
    #expect(try isHealthy(after) && line("Last backup", on: after).isHealthy)
  }

  @Test("A failed check is marked, with its findings")
  func red() throws {
    let (instance, ada) = try living()
    instance.clock.advance(seconds: 90)
    let page = ada.get("/admin/health")
    #expect(!isHealthy(page))
    let worker = try line("Worker", on: page)
    #expect(worker.words.contains("no sign of a worker for 90 s") && !worker.isHealthy)
    #expect(try line("Database", on: page).isHealthy)
  }

  @Test("The front page of staff says whether all is well, and names what is not, to admins")
  func frontPage() throws {
    let (instance, ada) = try living()
    let well = ada.get("/admin")
    #expect(well.shows("All is well") && well.shows("data-testid=\"health\""))
    instance.clock.advance(seconds: 90)
    let page = ada.get("/admin")
    #expect(page.shows("Something needs attention") && !page.shows("All is well"))
    #expect(try line("Worker", on: page).words.contains("no sign of a worker for 90 s"))
    let moderator = try instance.moderator().get("/admin")
    #expect(moderator.status == 200 && !moderator.shows("data-testid=\"health\""))
  }

  @Test(
    "Problems are shown in the viewer's language",
    arguments: [
      ("zh-Hant", "背景工作程式已有 90 秒沒有動靜"), ("zh-Hans", "后台工作程序已有 90 秒没有动静"),
    ])
  func translated(language: String, words: String) throws {
    let (instance, ada) = try living()
    instance.clock.advance(seconds: 90)
    ada.post("/language", ["language": language, "next": "/admin/health"])
    let isSaid = ada.get("/admin/health").shows(words)
    #expect(isSaid)
    // Monitoring programs get English, for every accepted language.
    let answer = instance.browser().get("/healthz", headers: [.acceptLanguage: language])
    #expect(answer.text.contains("no sign of a worker for 90 s"))
  }

  @Test(
    "Every problem that a check may find has its words in every language, with nothing left open")
  func everyProblem() throws {
    let instance = try TestInstance()
    let values = ["seconds": "90", "minutes": "31", "place": "media/"]
    for name in [
      "database_empty", "no_worker", "worker_silent", "worker_ahead", "mail_refused", "mail_waits",
      "mail_unreachable", "disk", "disk_files", "unknown", "no_scan", "scan_late", "scan_ahead",
      "handlers_silent", "handlers_ahead", "watchman_silent", "no_apprise", "drill_failed",
      "drill_late", "redis_away",
    ] {
      let problem = HealthProblem("health.\(name)", values, since: instance.clock.now())
      for language in Language.allCases {
        let words = problem.text(
          instance.instance.site.catalogues, in: language, moment: { $0.rfc3339 })
        #expect(!words.contains("health.") && !words.contains("{"), "\(words)")
      }
    }
  }

  @Test("Alerts held without a known end are a problem, though all checks pass")
  func alerts() throws {
    let instance = try TestInstance()
    let ada = try instance.admin()
    try instance.work()
    try instance.haveBackup()
    let name = "Alerts about missed check-ins"
    let before = ada.get("/admin/health")
    #expect(isHealthy(before))
    #expect(try line(name, on: before).words == "Sent when due")
    // The state of a restored backup before requests are answered.
    let now = instance.clock.now()
    try instance.database.write {
      try OutageStore.add(
        Outage(began: now, ended: now, graceUntil: .distantFuture, cause: .restore),
        maximumGracePeriod: nil, in: $0)
    }
    let waiting = ada.get("/admin/health")
    let found = try line(name, on: waiting)
    #expect(!isHealthy(waiting) && !found.isHealthy)
    #expect(found.words.contains("On hold until pages are served"))
    #expect(try instance.unwell() == [:])
    // Known to end by itself.
    try instance.live()
    let held = ada.get("/admin/health")
    let until = try line(name, on: held)
    #expect(isHealthy(held) && until.isHealthy)
    #expect(until.words.contains("at the latest: a backup was restored"))
  }

  @Test("Mails that wait and that failed for good are counted")
  func mails() throws {
    let (instance, ada) = try living()
    // The mail to admins has been sent.
    try instance.work()
    let before = ada.get("/admin/health")
    #expect(try line("Emails waiting", on: before).words == "0")
    #expect(try line("Emails failed for good", on: before).words == "0")
    try instance.queueMail()
    try instance.deliver(failing: .refusedRecipient(code: 550, text: "5.1.1 no"))
    let sent = try instance.queueMail()
    try instance.work()
    try instance.instance.mailQueue.bounced(sent, "5.1.1", now: instance.clock.now())
    for _ in 1...2 { try instance.queueMail() }
    let page = ada.get("/admin/health")
    #expect(try line("Emails waiting", on: page).words == "2")
    #expect(try line("Emails failed for good", on: page).words == "2")
    #expect(isHealthy(page))
  }

  @Test("The queue, the last scan and backup and the free disk space are shown")
  func facts() throws {
    let (instance, ada) = try living()
    let before = ada.get("/admin/health")
    #expect(try line("Jobs due", on: before).words == "0")
    try instance.instance.jobStore.beat(BackupCommands.heartbeat, now: instance.clock.now())
    for _ in 1...3 { try instance.queueMail() }
    let page = ada.get("/admin/health")
    #expect(try line("Jobs due", on: page).words == "3")
    let (backup, scan, worker) = (
      try line("Last backup", on: page).words,
      try line("Last scan for missed check-ins", on: page).words,
      try line("Worker last seen", on: page).words
    )
    #expect(backup == scan && backup == worker && backup != "Never")
    let free = try line("Free disk space", on: page).words
    #expect(free.wholeMatch(of: /[0-9]+ (GiB|MiB)/) != nil && free != "0 MiB")
  }
}

extension TestInstance {
  /// Records a backup, like the command does.
  fileprivate func haveBackup() throws {
    try database.write { try JobStore.beat(BackupCommands.heartbeat, now: clock.now(), in: $0) }
  }
}
