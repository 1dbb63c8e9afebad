import Core
import Database
import Jobs
import Secrets

/// The invariants of queued mail.
public struct MailDoctor: Sendable {
  private let queue: MailQueue
  private let clock: any Clock

  public init(_ queue: MailQueue, clock: any Clock) {
    self.queue = queue
    self.clock = clock
  }

  public var checks: [DoctorCheck] { [everythingIsDelivered, everythingOpens] }

  /// A mail and its job are written in one transaction; without the job the mail would wait for
  /// ever.
  private var everythingIsDelivered: DoctorCheck {
    DoctorCheck(
      "every queued mail has a job",
      find: { try forgotten(in: $0).map { "mail \($0) has no job" } },
      repairInSteps: { database in
        let all = try database.read { try forgotten(in: $0) }
        try database.writeInBatches(all) { mail, writer in
          // The mail may have been sent or cancelled since the check.
          guard try isForgotten(mail, in: writer) else { return }
          try JobStore.addReplacing(
            MailQueue.jobKind, payload: mail.description, uniqueKey: MailQueue.jobKey(mail),
            now: clock.now(), in: writer)
        }
      })
  }

  private func forgotten(in reader: ReadTransaction) throws -> [ID<QueuedMail>] {
    try MailStore.allWaiting(in: reader).filter { try !hasJob($0, in: reader) }
  }

  private func isForgotten(_ mail: ID<QueuedMail>, in reader: ReadTransaction) throws -> Bool {
    try MailStore.waiting(mail, in: reader) != nil && !hasJob(mail, in: reader)
  }

  private func hasJob(_ mail: ID<QueuedMail>, in reader: ReadTransaction) throws -> Bool {
    try JobStore.has(
      MailQueue.jobKind, payload: mail.description, uniqueKey: MailQueue.jobKey(mail), in: reader)
  }

  private var everythingOpens: DoctorCheck {
    DoctorCheck("the keys decrypt queued mail") { reader in
      let sample = try MailStore.newestWaiting(EncryptedSample.maximumCount, in: reader)
      return queue.keys.problems(
        "queued mails",
        opening: sample.flatMap {
          [
            EncryptedSample($0.recipient, MailStore.recipient.context($0.id)),
            EncryptedSample($0.content, MailStore.content.context($0.id)),
          ]
        })
    }
  }
}
