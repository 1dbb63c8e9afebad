import Core

/// Elevated rights of staff: they need a second factor and a sign-in within the last 12 hours
/// (docs/developer/sessions-and-tokens.md#sessions).
enum StaffElevation {
  /// How long elevated rights last after the sign-in, in s; visits do not extend them.
  static let lifetime: Int64 = .hours(12)

  /// The effective role of a session; staff without elevated rights are members.
  static func role(
    of stored: Role, signedInAt: Instant, hasSecondFactor: Bool, now: Instant
  ) -> Role {
    guard stored > .member else { return stored }
    let isRecent = now.seconds(since: signedInAt) < lifetime
    return hasSecondFactor && isRecent ? stored : .member
  }
}
