import Core
import Web

/// Limits of moments (docs/developer/moments.md).
public enum MomentRules {
  static let wordLimits = FieldLimits(characters: 150)
  /// The time for which a moment is seen, in s.
  public static let lifetime: Int64 = .days(1)
  /// The maximum length of a film, in s.
  static let filmSeconds = 15
  /// The time for which a page shows a picture before the next one, in ms.
  static let pictureMilliseconds = 6000
  /// Moments of a couple.
  static let perDay = RateLimit("moments", maximum: 30, window: .days(1))
  /// Sent forms and calls of a user, each of which may occupy a child process for minutes.
  static let submissions = RateLimit("moment-forms", maximum: 20, window: .hours(1))
  /// Circles in the row on top of the feed.
  static let circles = 40
  /// Moments that are shown of a couple.
  static let maximumShown = 60
  static let viewersPageSize = 50
  /// The time for which moderators still see a moment that they hid or removed, in s.
  static let evidencePeriod = DeletionPeriod.length
  /// The same for one whose report they dismissed, which they may take back for some minutes.
  static let dismissedPeriod: Int64 = .days(1)

  /// The error of a line of words; nil if it is allowed.
  static func error(words: String) -> FieldError? { FieldError.tooLong(words, wordLimits) }
}
