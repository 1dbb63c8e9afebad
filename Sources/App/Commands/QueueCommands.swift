import Accounts
import Core
import Jobs
import Mail
import Moderation

/// The queues of jobs and mails on the command line.
public struct QueueCommands {
  private let instance: Instance

  public init(_ instance: Instance) {
    self.instance = instance
  }

  /// Opens an instance for a command.
  public static func open(_ configuration: Configuration) throws -> QueueCommands {
    QueueCommands(try Instance.forCommand(configuration))
  }

  /// The queued jobs, the first due first.
  public func jobs(onlyFailed: Bool = false, limit: Int = 100) throws -> ListAnswer<JobAnswer> {
    let jobs = try instance.jobStore.all(
      failed: onlyFailed, limit: limit, now: instance.site.clock.now())
    return ListAnswer(items: jobs.map(JobAnswer.init), emptyLine: "There are no such jobs.")
  }

  /// Makes the job with an id due at once. Throws `JobError`.
  public func retry(_ id: String) throws -> RetriedJobAnswer {
    guard let id = ID<Job>(id) else { throw JobError.unknown }
    let now = instance.site.clock.now()
    let job = try instance.database.write { writer in
      let job = try JobStore.retry(id, now: now, in: writer)
      try AuditLog().note(
        .retryJob, to: AuditTarget(kind: "job", bytes: id.bytes), details: job.kind, by: nil,
        now: now, in: writer)
      return job
    }
    return RetriedJobAnswer(id: id.description, kind: job.kind)
  }

  /// The mails that wait or failed.
  public func mails(onlyFailed: Bool = false, limit: Int = 100) throws -> ListAnswer<MailAnswer> {
    let mails = try instance.mailQueue.summaries(onlyFailed: onlyFailed, limit: limit)
    return ListAnswer(items: mails.map(MailAnswer.init), emptyLine: "There are no such mails.")
  }
}
