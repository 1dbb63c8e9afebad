import Mail

/// Timeouts that several places must agree on, in s.
enum Timeouts {
  /// The longest time to handle a request: a video of 512 MB. nginx has it as `@LONGEST_ANSWER@`,
  /// and answers 504 after it.
  static let maximumRequestDuration = 300
  /// The time for what follows: log lines, closing the database.
  private static let margin = 15

  /// How long old handlers may take to finish their requests.
  static let handlers = maximumRequestDuration + margin
  /// The same for an old worker: a mail being sent must be marked, or it would be sent twice.
  static let worker = Int(SMTPSender.defaultTimeout) + margin
}
