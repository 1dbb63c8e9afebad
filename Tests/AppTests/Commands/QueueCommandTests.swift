import Core
import Jobs
import Mail
import Testing
import Web

@testable import App

@Suite("pairspot jobs and pairspot mail queue")
struct QueueCommandTests {
  /// An instance with a job that failed once, of a kind that no worker knows.
  private func withFailedJob() throws -> TestInstance {
    let instance = try TestInstance()
    let now = instance.clock.now()
    try instance.database.write {
      try JobStore.add("odd.kind", runAt: now, now: now, in: $0)
      try $0.execute("UPDATE jobs SET payload = 'mia@example.test' WHERE kind = 'odd.kind'")
    }
    try instance.work()
    return instance
  }

  @Test("The list has every job with its state; --failed leaves those whose last attempt failed")
  func list() throws {
    let instance = try withFailedJob()
    let commands = QueueCommands(instance.instance)
    let all = try commands.jobs().objects()
    #expect(all.contains { $0["kind"] as? String == "groups.keep" })
    let failed = try commands.jobs(onlyFailed: true)
    let job = try #require(try failed.objects().first)
    #expect(job["kind"] as? String == "odd.kind" && job["state"] as? String == "waiting")
    #expect(job["attempts"] as? Int == 1)
    #expect(job["last_error"] as? String == "no such kind of job here")
    #expect(job["run_at"] as? String == instance.clock.now().adding(seconds: 3600).rfc3339)
    #expect(failed.lines.count == 1 && !failed.lines[0].contains("@"))
    #expect(try commands.jobs(limit: 2).objects().count == 2)
  }

  @Test("A job that waits for its next attempt is due at once, and the log has a line")
  func retry() throws {
    let instance = try withFailedJob()
    let commands = QueueCommands(instance.instance)
    let id = try #require(try commands.jobs(onlyFailed: true).objects().first?["id"] as? String)
    let answer = try commands.retry(id)
    #expect(answer.lines == ["The worker runs the job \(id) (odd.kind) now."])
    #expect(try commands.jobs(onlyFailed: true).objects().first?["state"] as? String == "due")
    try instance.work()
    #expect(try commands.jobs(onlyFailed: true).objects().first?["attempts"] as? Int == 2)
    #expect(try instance.staffLog() == [StaffLogLine("job_retry", "job", "odd.kind")])
    let log = try instance.moderator("ada", as: .admin).get("/admin/log")
    #expect(log.shows("Ran a job again") && log.shows("odd.kind"))
  }

  @Test("A running job is left alone, and an unknown id is refused")
  func refused() throws {
    let instance = try withFailedJob()
    let commands = QueueCommands(instance.instance)
    let id = try #require(try commands.jobs(onlyFailed: true).objects().first?["id"] as? String)
    try instance.database.write {
      try $0.execute("UPDATE jobs SET lease = \([1] as [UInt8]) WHERE kind = 'odd.kind'")
    }
    #expect(try commands.jobs(onlyFailed: true).objects().first?["state"] as? String == "running")
    #expect(throws: JobError.running) { try commands.retry(id) }
    for unknown in [ID<Job>.random().description, "7"] {
      #expect(throws: JobError.unknown) { try commands.retry(unknown) }
    }
    #expect(try instance.staffLog().isEmpty)
  }

  @Test("Waiting and failed mails are listed with masked addresses, and nothing of their content")
  func mails() throws {
    let instance = try TestInstance()
    let commands = QueueCommands(instance.instance)
    #expect(try commands.mails().lines == ["There are no such mails."])
    let now = instance.clock.now()
    let (waiting, failed) = try instance.database.write { writer in
      let content = instance.instance.testMail.written(
        TestMail(baseURL: "http://x"), in: .english)
      let queue = instance.instance.mailQueue
      return (
        try queue.add(content, to: "mia@example.test", after: 60, now: now, in: writer),
        try queue.add(content, to: "noah@example.test", now: now, in: writer)
      )
    }
    try instance.database.write {
      try $0.execute(
        """
        UPDATE mail_queue SET attempts = 3, failed_at = \(now),
          last_error = '550 5.1.1 <noah@example.test>: unknown' WHERE id = \(failed)
        """)
    }
    let all = try commands.mails().objects()
    #expect(all.map { $0["id"] as? String } == [waiting.description, failed.description])
    #expect(all.map { $0["recipient"] as? String } == ["m…@example.test", "n…@example.test"])
    #expect(all.map { $0["state"] as? String } == ["waiting", "failed"])
    #expect(all[0]["next_at"] as? String == now.adding(seconds: 60).rfc3339)
    #expect(all[1]["next_at"] == nil && all[1]["attempts"] as? Int == 3)
    #expect(all[1]["last_error"] as? String == "550 5.1.1 <n…@example.test>: unknown")
    #expect(try commands.mails(onlyFailed: true).objects().count == 1)
    #expect(!(try commands.mails().lines.joined().contains("noah")))
    try instance.instance.mailQueue.bounced(failed, "5.1.1", now: now)
    #expect(try commands.mails(onlyFailed: true).objects()[0]["state"] as? String == "bounced")
  }
}
