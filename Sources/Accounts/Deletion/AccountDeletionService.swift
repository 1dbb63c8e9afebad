import Core
import Database
import Mail
import Secrets
import Web

/// Leaving, coming back within 30 days, and being gone for good
/// (docs/developer/deletion-and-export.md). Pages and API call the same steps.
struct AccountDeletionService: Sendable {
  /// How many people one round of the job purges.
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
  /// Every feature's part in an account, this module's last.
  let participants: @Sendable () -> [any AccountParticipant]
  let emailChanges: EmailChangeStore
  let invitations: PairStore

  static func restoreUntil(_ deletedAt: Instant) -> Instant {
    deletedAt.adding(seconds: DeletionStore.grace)
  }

  // MARK: Leaving

  /// Hides a member everywhere, signs them out on every device and writes the one mail that they
  /// still get.
  func delete(_ viewer: Viewer, _ context: Context) throws {
    let now = context.now
    try site.database.write { writer in
      guard try store.hide(viewer.id, now: now, in: writer) else { return }
      for participant in participants() {
        try participant.signOut(viewer.id, now: now, in: writer)
        try participant.left(viewer.id, now: now, in: writer)
      }
      try sessions.endAll(of: viewer.id, in: writer)
      try store.endLinks(of: viewer.id, in: writer)
      try emailChanges.cancel(of: viewer.id, in: writer)
      try invitations.end(of: viewer.id, in: writer)
      try removals.add(store.leaveCouple(viewer.id, now: now, in: writer), in: writer)
      try removals.add(exports.removeAll(of: viewer.id, in: writer), in: writer)
      let recipient = try people.recipient(viewer.id, language: context.language, in: writer)
      guard let recipient else { return }
      try mailQueue.forget(recipient.address, until: now, in: writer)
      try mails.deleted(
        until: DateFormatting(context).moment(Self.restoreUntil(now)), to: recipient, now: now,
        in: writer)
    }
    removeFiles()
  }

  /// Ends the session of this browser, and tells every feature.
  func signOut(_ viewer: Viewer, _ context: Context) throws {
    try site.database.write { writer in
      // First, so that features see where the person is still signed in.
      if let token = context.cookies["session"].flatMap({ Token($0) }) {
        try sessions.end(token, in: writer)
      }
      for participant in participants() {
        try participant.signOut(viewer.id, now: context.now, in: writer)
      }
    }
  }

  /// A guest has neither address nor password and could never come back: gone at once.
  func forget(guest: Viewer, now: Instant) throws {
    try site.database.write { writer in
      // Hidden first: what never goes before its account knows then that it may.
      guard try store.hide(guest.id, now: now, in: writer) else { return }
      try purge(guest.id, now: now, in: writer)
    }
    removeFiles()
  }

  // MARK: Coming back

  /// Brings a member back; nil when that is not possible any more, or not while their address is
  /// somebody else's.
  func restore(_ cookie: RestoreCookie, _ context: Context) throws -> Role? {
    try site.database.write {
      try restore(
        cookie.person, deletedAt: cookie.deletedAt, language: context.language, now: context.now,
        in: $0)
    }
  }

  /// The same, within the transaction that lets them in.
  func restore(
    _ person: ID<Person>, deletedAt: Instant, language: Language, now: Instant,
    in writer: WriteTransaction
  ) throws -> Role? {
    let returning = try store.returning(
      person, deletedAt: deletedAt, now: now, in: writer.reader)
    guard let returning, !returning.isTaken else { return nil }
    try store.show(person, deletedAt: deletedAt, now: now, in: writer)
    for participant in participants() {
      try participant.returned(person, now: now, in: writer)
    }
    let recipient = try people.recipient(person, language: language, in: writer)
    if let recipient { try mails.restored(to: recipient, now: now, in: writer) }
    return returning.role
  }

  // MARK: Being gone

  /// Removes everything of those whose time is over. One who can't be purged doesn't keep the
  /// others; throws what stood in the way once all have been tried.
  func purgeDue(now: Instant) throws {
    // Whatever was counted while they were here has ended by now.
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

  /// Removes exports whose days are over, and files that an interrupted round left.
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

  /// What is noted and doesn't go now goes with the next round of the job.
  private func removeFiles() {
    do {
      try removals.run()
    } catch {
      site.logger.error("removing files: \(error)")
    }
  }
}
