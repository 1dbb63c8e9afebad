import Core

/// What a session may do: staff powers need a second factor and a sign-in of today
/// (docs/developer/sessions-and-tokens.md#sessions).
enum StaffElevation {
  /// How long they last from the sign-in, in s; nothing moves that on.
  static let lifetime: Int64 = .hours(12)

  /// The role of a session; staff without powers are members.
  static func role(
    of stored: Role, signedInAt: Instant, hasSecondFactor: Bool, now: Instant
  ) -> Role {
    guard stored > .member else { return stored }
    let isRecent = now.seconds(since: signedInAt) < lifetime
    return hasSecondFactor && isRecent ? stored : .member
  }
}
