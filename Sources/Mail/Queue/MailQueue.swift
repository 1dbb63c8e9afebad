import Core
import Database
import Foundation
import Jobs
import Secrets

/// The identifier kind of queued mails. The Message-ID is made from it, so that a second delivery
/// after a crash can be recognised.
public enum QueuedMail {}

/// The queue of outgoing mail: written in the transaction that causes a mail, delivered by the
/// worker (`MailDelivery.swift`), encrypted while stored, purged after 7 days
/// (docs/developer/data-protection.md; docs/developer/check-in-contacts.md#mail-sending).
public struct MailQueue: Sendable {
  /// The kind of the jobs that deliver.
  public static let jobKind = "mail"
  /// How long a mail is kept once it was sent or failed for good, in s.
  static let keptFor: Int64 = .days(7)

  let database: Database
  let keys: KeyRing
  let sender: any MailSender
  let fromName: String
  let from: MailAddress
  /// The return addresses of undeliverable mail.
  public let returnAddress: ReturnAddress

  public init(
    database: Database, keys: KeyRing, sender: any MailSender, fromName: String, from: MailAddress
  ) {
    self.database = database
    self.keys = keys
    self.sender = sender
    self.fromName = fromName
    self.from = from
    returnAddress = ReturnAddress(of: from, keys: keys)
  }

  /// Queues a mail; returns its identifier for `DeliveryObserver`s. A mail that is never given up
  /// is retried daily after the end of the usual plan (`RetryPlan`). With `after` the first attempt
  /// is so many s from now.
  @discardableResult
  public func add(
    _ content: MailContent, to address: String, retriesForever: Bool = false,
    after delay: Int64 = 0,
    now: Instant, in writer: WriteTransaction
  ) throws -> ID<QueuedMail> {
    let id = ID<QueuedMail>(now: now)
    let body = try JSONEncoder().encode(content)
    try MailStore.add(
      id, recipient: try MailStore.recipient.seal(address, of: id, with: keys),
      recipientHash: keys.lookupHash(address),
      content: try keys.seal(Array(body), for: MailStore.content.context(id)),
      retriesForever: retriesForever, now: now, in: writer)
    try JobStore.add(
      Self.jobKind, payload: id.description, uniqueKey: Self.jobKey(id),
      runAt: now.adding(seconds: delay), now: now, in: writer)
    return id
  }

  /// Deletes those of these mails that were not sent yet: their jobs then have nothing to do.
  public func cancel(_ ids: [ID<QueuedMail>], in writer: WriteTransaction) throws {
    try Self.cancel(ids, in: writer)
  }

  /// The same for callers without a queue, such as the restore of a backup.
  public static func cancel(_ ids: [ID<QueuedMail>], in writer: WriteTransaction) throws {
    for id in ids { try MailStore.removeUnsent(id, in: writer) }
  }

  /// Deletes all mail to an address that was queued up to a moment, sent or not; the jobs then have
  /// nothing to do. Mail that is never given up is still sent: it is about another person.
  public func forget(_ address: String, until moment: Instant, in writer: WriteTransaction) throws {
    for hash in keys.lookupHashes(address) {
      try MailStore.remove(recipientHash: hash, until: moment, in: writer)
    }
  }

  /// Deletes mail that was sent, or failed for good, 7 days ago.
  public func purge(now: Instant) throws {
    try database.write {
      try MailStore.removeEnded(before: now.adding(seconds: -Self.keptFor), in: $0)
    }
    try sender.purge(before: now.adding(seconds: -Self.keptFor))
  }

  /// The number of waiting mails, and since when the oldest waits.
  public func waiting() throws -> (count: Int, oldest: Instant?) {
    try database.read { try MailStore.waiting(in: $0) }
  }

  /// Re-encrypts all mails with the current key of another ring; returns the number of mails.
  public static func reencrypt(from old: KeyRing, to new: KeyRing, in writer: WriteTransaction)
    throws -> Int
  {
    _ = try MailStore.content.reencrypt(from: old, to: new, in: writer)
    return try MailStore.recipient.reencrypt(from: old, to: new, in: writer)
  }

  /// Whether there is such a mail, queued or sent within the last days.
  public static func knows(_ id: ID<QueuedMail>, in reader: ReadTransaction) throws -> Bool {
    try MailStore.isKnown(id, in: reader)
  }

  static func jobKey(_ id: ID<QueuedMail>) -> String { "mail:\(id)" }
}
