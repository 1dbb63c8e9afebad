import Mail

/// How long things may take, in s, where several places must agree on it.
enum Timeouts {
  /// The longest that a request is worked on: a video of 512 MB. nginx hears so by
  /// `@LONGEST_ANSWER@`, and goes away with 504 after it.
  static let longestAnswer = 300
  /// What comes after that still: words to the log, the database closed.
  private static let margin = 15

  /// How long older handlers may finish what they are at.
  static let handlers = longestAnswer + margin
  /// How long an older worker may: a mail that is on its way must be marked, or it goes out twice.
  static let worker = Int(SMTPSender.longest) + margin
}
