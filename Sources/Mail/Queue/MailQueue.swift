import Core
import Database
import Foundation
import Jobs
import Secrets

/// The kind of the identifier of a queued mail; the Message-ID is made of it, so that a second
/// delivery after a crash is recognised.
public enum QueuedMail {}

/// Mail on its way: written in the transaction that causes it, delivered by the worker
/// (`MailDelivery.swift`), encrypted while it is here, purged 7 days after
/// (docs/developer/data-protection.md; docs/developer/check-in-contacts.md#mail-sending).
public struct MailQueue: Sendable {
  /// The kind of the jobs that deliver.
  public static let jobKind = "mail"
  /// How long a mail is kept once it went out or failed for good, in s.
  static let keptFor: Int64 = .days(7)

  let database: Database
  let keys: KeyRing
  let sender: any MailSender
  let fromName: String
  let from: MailAddress
  /// Where mail comes back to that could not be delivered.
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

  /// Queues a mail; answers its identifier, by which a `DeliveryObserver` knows it again. One that is
  /// never given up is tried daily once the plan for others is over (`RetryPlan`). With `after` the
  /// first attempt comes so many s from now.
  @discardableResult
  public func add(
    _ content: MailContent, to address: String, retriesForever: Bool = false,
    after delay: Int64 = 0,
    now: Instant, in writer: WriteTransaction
  ) throws -> ID<QueuedMail> {
    let id = ID<QueuedMail>(now: now)
    let body = try JSONEncoder().encode(content)
    try MailStore.add(
      id, recipient: try keys.seal(Array(address.utf8), for: Self.context(id, "recipient")),
      recipientHash: keys.lookupHash(address),
      content: try keys.seal(Array(body), for: Self.context(id, "content")),
      retriesForever: retriesForever, now: now, in: writer)
    try JobStore.add(
      Self.jobKind, payload: id.description, uniqueKey: Self.jobKey(id),
      runAt: now.adding(seconds: delay), now: now, in: writer)
    return id
  }

  /// Removes those of these mails that have not gone out: their jobs then find nothing to do.
  public func cancel(_ ids: [ID<QueuedMail>], in writer: WriteTransaction) throws {
    try Self.cancel(ids, in: writer)
  }

  /// The same for who has no queue, a restored backup say.
  public static func cancel(_ ids: [ID<QueuedMail>], in writer: WriteTransaction) throws {
    for id in ids { try MailStore.removeUnsent(id, in: writer) }
  }

  /// Removes all mail to an address that was queued up to a moment, sent or not: its job then
  /// finds nothing to do. What is never given up still goes out: it is about somebody else.
  public func forget(_ address: String, until moment: Instant, in writer: WriteTransaction) throws {
    for hash in keys.lookupHashes(address) {
      try MailStore.remove(recipientHash: hash, until: moment, in: writer)
    }
  }

  /// Removes what went out, or failed for good, 7 days ago.
  public func purge(now: Instant) throws {
    try database.write {
      try MailStore.removeEnded(before: now.adding(seconds: -Self.keptFor), in: $0)
    }
    try sender.purge(before: now.adding(seconds: -Self.keptFor))
  }

  /// How many mails wait, and since when the oldest does.
  public func waiting() throws -> (count: Int, oldest: Instant?) {
    try database.read { try MailStore.waiting(in: $0) }
  }

  /// Seals everything anew with the current key of another ring; answers how many mails.
  public static func reencrypt(from old: KeyRing, to new: KeyRing, in writer: WriteTransaction)
    throws -> Int
  {
    let mails = try MailStore.sealed(in: writer)
    for mail in mails {
      let (to, body) = (context(mail.id, "recipient"), context(mail.id, "content"))
      let address = try old.open(mail.recipient, for: to)
      try MailStore.reencrypt(
        mail.id, recipient: try new.seal(address, for: to),
        recipientHash: new.lookupHash(String(decoding: address, as: UTF8.self)),
        content: try new.seal(try old.open(mail.content, for: body), for: body), in: writer)
    }
    return mails.count
  }

  /// Whether there is such a mail, on its way or gone out within the last days.
  public static func knows(_ id: ID<QueuedMail>, in reader: ReadTransaction) throws -> Bool {
    try MailStore.isKnown(id, in: reader)
  }

  static func jobKey(_ id: ID<QueuedMail>) -> String { "mail:\(id)" }

  static func context(_ id: ID<QueuedMail>, _ column: String) -> AssociatedData {
    AssociatedData(table: "mail_queue", row: id, column: column)
  }
}
