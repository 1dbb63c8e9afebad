import Core
import Secrets

/// Who knows which cookie belongs to whom: `Accounts` answers it, so that `Web` needs no table of
/// people.
public protocol SessionAuthenticator: Sendable {
  /// The person behind a session cookie, nil when it is unknown, ended or too old.
  func find(_ token: Token, now: Instant) throws -> Session?
  /// Moves the end of a session into the future; called rarely enough to be a write.
  func extend(_ token: Token, now: Instant) throws
}

/// A session that was found.
public struct Session: Sendable {
  public let viewer: Viewer
  /// How long the cookie is to last from now, in s.
  public let lifetime: Int64
  /// Whether the session should be moved on (it was last moved a while ago).
  public let wantsExtension: Bool

  public init(viewer: Viewer, lifetime: Int64, wantsExtension: Bool) {
    self.viewer = viewer
    self.lifetime = lifetime
    self.wantsExtension = wantsExtension
  }
}
