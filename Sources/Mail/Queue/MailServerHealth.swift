import Core
import Database
import Jobs

/// The state of the mail server, by the last attempts at any mail; it outlives the mails that were
/// tried.
enum MailServerHealth {
  /// Since when no server was reached: every attempt since then failed.
  private static let unreachable = "mail.unreachable"
  /// When a server last rejected mail from this sender; none has accepted any since.
  private static let refusedUs = "mail.refused-us"

  /// Records that a server accepted a mail.
  static func noteTaken(in writer: WriteTransaction) throws {
    for name in [unreachable, refusedUs] { try JobStore.forgetBeat(name, in: writer) }
  }

  static func note(_ failure: MailSendError, now: Instant, in writer: WriteTransaction) throws {
    if case .unreachable = failure {
      try JobStore.beatOnce(unreachable, now: now, in: writer)
      return
    }
    // A server answered.
    try JobStore.forgetBeat(unreachable, in: writer)
    if case .refusedUs = failure { try JobStore.beat(refusedUs, now: now, in: writer) }
  }

  static func unreachableSince(in reader: ReadTransaction) throws -> Instant? {
    try JobStore.lastBeat(unreachable, in: reader)
  }

  static func refusedUsAt(in reader: ReadTransaction) throws -> Instant? {
    try JobStore.lastBeat(refusedUs, in: reader)
  }
}
