import Core
import Database

/// What staff do besides deciding reports, as the log calls it.
public enum AuditAction: String, Sendable, CaseIterable {
  case changeRole = "role"
  case endSessions = "sessions_end"
  case resetSecondFactor = "second_factor_reset"
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

/// What it was done to: its kind as the log calls it, and the 16 bytes of its identifier.
public struct AuditTarget: Sendable {
  public let kind: String
  public let bytes: [UInt8]

  public init(kind: String, bytes: [UInt8]) {
    self.kind = kind
    self.bytes = bytes
  }
}

/// Where every action of every moderator and admin is written down (docs/developer/moderation.md).
/// Rooms in which staff do something call it in the transaction that does it, so that neither is
/// without the other.
public protocol AuditLogging: Sendable {
  /// `viewer` is nil for who sits at the server itself; `details` are names and states, never an
  /// address.
  func note(
    _ action: AuditAction, to subject: AuditTarget, details: String, by viewer: Viewer?,
    now: Instant,
    in writer: WriteTransaction
  ) throws
}
