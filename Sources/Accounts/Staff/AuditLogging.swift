import Core
import Database

/// Staff actions other than decisions on reports, by their names in the log.
public enum AuditAction: String, Sendable, CaseIterable {
  case changeRole = "role"
  case endSessions = "sessions_end"
  case resetSecondFactor = "second_factor_reset"
  case exportUser = "user_export"
  case deleteUser = "user_delete"
  case restoreUser = "user_restore"
  case endGroup = "group_end"
  case retryJob = "job_retry"
  case addTraining = "training_add"
  case changeTraining = "training_change"
  case publishTraining = "training_publish"
  case unpublishTraining = "training_unpublish"
  case moveTraining = "training_move"
  case changeCover = "training_cover"
  case changeVideo = "training_video"
  case changeCaptions = "training_captions"
  case deleteTraining = "training_delete"
}

/// The target of an action: its kind in the log, and the 16 bytes of its identifier.
public struct AuditTarget: Sendable {
  public let kind: String
  public let bytes: [UInt8]

  public init(kind: String, bytes: [UInt8]) {
    self.kind = kind
    self.bytes = bytes
  }
}

/// The log of all actions of moderators and admins (docs/developer/moderation.md). Modules with
/// staff actions call it in the transaction of the action, so that both are stored or neither.
public protocol AuditLogging: Sendable {
  /// `viewer` is nil for a command on the server; `details` has names and states, never an address.
  func note(
    _ action: AuditAction, to subject: AuditTarget, details: String, by viewer: Viewer?,
    now: Instant,
    in writer: WriteTransaction
  ) throws
}
