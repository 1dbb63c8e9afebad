import Core
import Secrets

/// Finds the session of a cookie. Implemented by `Accounts`, so that `Web` needs no table of
/// people.
public protocol SessionAuthenticator: Sendable {
  /// The session of a cookie; nil if it is unknown, ended or too old.
  func find(_ token: Token, now: Instant) throws -> Session?
  /// Extends a session; called rarely enough to be a write.
  func extend(_ token: Token, now: Instant) throws
}

/// A session that was found.
public struct Session: Sendable {
  public let viewer: Viewer
  /// How long the cookie is to last from now, in s.
  public let lifetime: Int64
  /// Whether the session should be extended (its last extension was a while ago).
  public let wantsExtension: Bool

  public init(viewer: Viewer, lifetime: Int64, wantsExtension: Bool) {
    self.viewer = viewer
    self.lifetime = lifetime
    self.wantsExtension = wantsExtension
  }
}
