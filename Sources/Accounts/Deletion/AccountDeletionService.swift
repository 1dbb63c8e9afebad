import Core
import Database
import Foundation
import Mail
import Secrets
import Web

/// Deleting an account, restoring it within 30 days, and purging it
/// (docs/developer/deletion-and-export.md). For pages and API.
struct AccountDeletionService: Sendable {
  /// The number of users that one run of the job purges.
  private static let perRound = 500

  let site: AppEnvironment
  let store: DeletionStore
  let people: PersonStore
  let sessions: SessionStore
  let exports: ExportStore
  let removals: FileDeletionQueue
  let mailQueue: MailQueue
  let mails: AccountDeletionMailer
  let limits: RateLimitStore
  /// The participants of all features, this module's last.
  let participants: @Sendable () -> [any AccountParticipant]

  static func restoreUntil(_ deletedAt: Instant) -> Instant {
    deletedAt.adding(seconds: DeletionStore.grace)
  }

  // MARK: Deleting

  /// Hides a member everywhere, signs them out on every device and queues the last mail that they
  /// get. Throws 409 for the only admin.
  func delete(_ viewer: Viewer, _ context: Context) throws {
    try site.database.write { writer in
      do {
        try StaffStore(database: site.database).checkAdmin(besides: viewer.id, in: writer)
      } catch is StaffRoleService.LastAdmin {
        throw Problem(
          .conflict, APIErrorCode.conflict.rawValue, textKey: "problem.last_admin")
      }
      try delete(
        viewer.id, language: context.language, zone: context.timeZone, now: context.now, in: writer)
    }
    removeFiles()
  }

  /// Deletes a member within a transaction; `removeFiles` is called after it. `language` is that of
  /// the mail if the member has chosen none.
  func delete(
    _ person: ID<Person>, language: Language, zone: TimeZone, now: Instant,
    in writer: WriteTransaction
  ) throws {
    guard try store.hide(person, now: now, in: writer) else { return }
    for participant in participants() {
      try participant.signOut(person, now: now, in: writer)
      try participant.left(person, now: now, in: writer)
    }
    try sessions.endAll(of: person, in: writer)
    try store.endLinks(of: person, in: writer)
    try EmailChangeStore.links.revokeAll(of: person, now: now, in: writer)
    try PairStore.links.revokeAll(of: person, now: now, in: writer)
    try removals.add(store.leaveCouple(person, now: now, in: writer), in: writer)
    try removals.add(exports.removeAll(of: person, in: writer), in: writer)
    let recipient = try people.recipient(person, language: language, in: writer)
    guard let recipient else { return }
    try mailQueue.forget(recipient.address, until: now, in: writer)
    let dates = DateFormatting(
      now: now, zone: zone, language: recipient.language, catalogues: site.catalogues)
    try mails.deleted(
      until: dates.moment(Self.restoreUntil(now)), to: recipient, now: now, in: writer)
  }

  /// Ends the session of this browser and notifies every participant.
  func signOut(_ viewer: Viewer, _ context: Context) throws {
    try site.database.write { writer in
      // First, so that participants see where the user is still signed in.
      if let token = context.cookies["session"].flatMap({ Token($0) }) {
        try sessions.end(token, in: writer)
      }
      for participant in participants() {
        try participant.signOut(viewer.id, now: context.now, in: writer)
      }
    }
  }

  /// Purges a guest at once: without address and password, a guest could never restore the account.
  func forget(guest: Viewer, now: Instant) throws {
    try site.database.write { try forget(guest: guest.id, now: now, in: $0) }
    removeFiles()
  }

  /// Purges a guest within a transaction; `removeFiles` is called after it.
  func forget(guest: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // Hidden first: some participants only remove rows of a deleted account.
    guard try store.hide(guest, now: now, in: writer) else { return }
    try purge(guest, now: now, in: writer)
  }

  // MARK: Restoring

  /// Restores a member's account; nil if that is no longer possible, or while another account has
  /// the address.
  func restore(_ cookie: RestoreCookie, _ context: Context) throws -> Role? {
    try site.database.write {
      try restore(
        cookie.person, deletedAt: cookie.deletedAt, language: context.language, now: context.now,
        in: $0)
    }
  }

  /// Restores an account within the transaction that signs the member in.
  func restore(
    _ person: ID<Person>, deletedAt: Instant, language: Language, now: Instant,
    in writer: WriteTransaction
  ) throws -> Role? {
    let returning = try store.returning(
      person, deletedAt: deletedAt, now: now, in: writer)
    guard let returning, !returning.isTaken else { return nil }
    try store.show(person, deletedAt: deletedAt, now: now, in: writer)
    for participant in participants() {
      try participant.returned(person, now: now, in: writer)
    }
    let recipient = try people.recipient(person, language: language, in: writer)
    if let recipient { try mails.restored(to: recipient, now: now, in: writer) }
    return returning.role
  }

  // MARK: Purging

  /// Purges all accounts whose time to restore is over. A failure does not stop the others; the
  /// error is thrown after all have been tried.
  func purgeDue(now: Instant) throws {
    // All rate limits counted before the deletion have expired by now.
    try limits.purge(now: now)
    var failure: (any Error)?
    for person in try store.due(now: now, limit: Self.perRound) {
      do {
        try site.database.write { writer in
          guard try store.isDue(person, now: now, in: writer) else { return }
          try purge(person, now: now, in: writer)
        }
      } catch {
        failure = error
      }
    }
    try removals.run()
    if let failure { throw failure }
  }

  /// Removes expired exports, and files that an interrupted run left.
  func purgeExports(now: Instant) throws {
    try site.database.write { writer in
      try removals.add(exports.purge(now: now, in: writer), in: writer)
    }
    try removals.run()
  }

  private func purge(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    for participant in participants() {
      try removals.add(participant.purge(person, now: now, in: writer), in: writer)
    }
  }

  /// Removes the queued files. The next run of the job retries failures.
  func removeFiles() {
    do {
      try removals.run()
    } catch {
      site.logger.error("removing files: \(error)")
    }
  }
}
