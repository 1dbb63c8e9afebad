import Core
import Jobs
import Mail

/// A job in `pairspot jobs list`.
public struct JobAnswer: CommandAnswer {
  let id: String
  let kind: String
  let state: String
  let attempts: Int
  let createdAt: String
  let runAt: String
  let lastError: String?

  init(_ job: QueuedJob) {
    id = job.id.description
    kind = job.kind
    state = job.state.rawValue
    attempts = job.attempts
    createdAt = job.createdAt.rfc3339
    runAt = job.runAt.rfc3339
    lastError = job.lastError?.withMaskedAddresses.asOneLine
  }

  public var lines: [String] {
    let cells = [id, kind, state, attempts.counted("attempt"), runAt]
    return [(cells + [lastError].compactMap { $0 }).joined(separator: "\t")]
  }
}

/// A job that was made due.
public struct RetriedJobAnswer: CommandAnswer {
  let id: String
  let kind: String

  public var lines: [String] { ["The worker runs the job \(id) (\(kind)) now."] }
}

/// A mail in `pairspot mail queue`.
public struct MailAnswer: CommandAnswer {
  let id: String
  let recipient: String?
  let state: String
  let attempts: Int
  let createdAt: String
  let nextAt: String?
  let failedAt: String?
  let lastError: String?

  init(_ mail: MailSummary) {
    id = mail.id.description
    recipient = mail.recipient
    state = mail.state.rawValue
    attempts = mail.attempts
    createdAt = mail.createdAt.rfc3339
    nextAt = mail.nextAt?.rfc3339
    failedAt = mail.failedAt?.rfc3339
    lastError = mail.lastError?.asOneLine
  }

  public var lines: [String] {
    let cells = [id, recipient ?? "?", state, attempts.counted("attempt")]
    return [(cells + [nextAt ?? failedAt, lastError].compactMap { $0 }).joined(separator: "\t")]
  }
}
