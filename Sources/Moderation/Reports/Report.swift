import Core
import Web

/// Type of the identifier of a post in this module; same ids as in Feed.
public enum ReportedPost {}

/// Type of the identifier of a comment in this module; same ids as in Feed.
public enum ReportedComment {}

/// Type of the identifier of a message in this module; same ids as in Messages.
public enum ReportedMessage {}

/// Type of the identifier of a moment in this module; same ids as in Moments.
public enum ReportedMoment {}

/// An item that can be reported or moderated.
public enum ReportTarget: Hashable, Sendable {
  case post(ID<ReportedPost>)
  case comment(ID<ReportedComment>)
  case message(ID<ReportedMessage>)
  case moment(ID<ReportedMoment>)
  case couple(ID<Couple>)
  /// Users cannot be reported; moderators may suspend them without a report.
  case person(ID<Person>)

  enum Kind: String, Sendable, CaseIterable {
    case post
    case comment
    case message
    case moment
    case couple
    case person

    /// Whether it is something that a user has written.
    var isContent: Bool { self != .couple && self != .person }
  }

  var kind: Kind {
    switch self {
    case .post: .post
    case .comment: .comment
    case .message: .message
    case .moment: .moment
    case .couple: .couple
    case .person: .person
    }
  }

  var bytes: [UInt8] {
    switch self {
    case .post(let id): id.bytes
    case .comment(let id): id.bytes
    case .message(let id): id.bytes
    case .moment(let id): id.bytes
    case .couple(let id): id.bytes
    case .person(let id): id.bytes
    }
  }

  init?(kind: Kind, bytes: [UInt8]) {
    switch kind {
    case .post:
      guard let id = ID<ReportedPost>(bytes: bytes) else { return nil }
      self = .post(id)
    case .comment:
      guard let id = ID<ReportedComment>(bytes: bytes) else { return nil }
      self = .comment(id)
    case .message:
      guard let id = ID<ReportedMessage>(bytes: bytes) else { return nil }
      self = .message(id)
    case .moment:
      guard let id = ID<ReportedMoment>(bytes: bytes) else { return nil }
      self = .moment(id)
    case .couple:
      guard let id = ID<Couple>(bytes: bytes) else { return nil }
      self = .couple(id)
    case .person:
      guard let id = ID<Person>(bytes: bytes) else { return nil }
      self = .person(id)
    }
  }
}

/// Visibility of an item to everyone except its couple.
public enum ReportTargetState: String, Sendable {
  case shown
  case hidden
  /// Removed for its couple, too.
  case removed
}

/// Reason of a report.
enum ReportReason: String, Sendable, CaseIterable, JSONEnum {
  case spam
  case harassment
  case nudity
  case violence
  case falseInformation = "false_information"
  case other

  var textKey: String { "report.reason.\(rawValue)" }
}

/// The content of a report.
struct NewReport: Sendable {
  let reason: ReportReason
  /// "" unless `other`.
  let note: String
}

/// State of a case.
enum CaseState: String, Sendable, CaseIterable {
  case open
  case appealed
  case dismissed
  case hidden
  case removed
  /// A user suspended without a report.
  case suspended

  /// Whether the case waits for a moderator.
  var waits: Bool { self == .open || self == .appealed }
}

/// A moderator's decision.
enum Decision: String, Sendable, CaseIterable {
  case dismiss
  case hide
  case remove
  case warn
  case suspend

  /// State of an item after the decision. Suspending an author hides the post or comment; a couple's
  /// page stays as it is, since the suspension ends by itself.
  func target(_ kind: ReportTarget.Kind, before: ReportTargetState) -> ReportTargetState {
    switch self {
    case .dismiss, .warn: .shown
    case .hide: .hidden
    case .remove: .removed
    case .suspend: kind.isContent ? .hidden : before
    }
  }

  func state(of kind: ReportTarget.Kind) -> CaseState {
    switch self {
    case .dismiss, .warn: .dismissed
    case .hide: .hidden
    case .remove: .removed
    case .suspend: kind.isContent ? .hidden : .suspended
    }
  }

  /// Possible decisions about an item.
  static func choices(for kind: ReportTarget.Kind) -> [Decision] {
    switch kind {
    case .post, .comment, .message, .moment, .couple: allCases
    case .person: [.dismiss, .warn, .suspend]
    }
  }
}

/// Limits of reports (docs/developer/moderation.md).
enum ReportRules {
  static let noteLimits = FieldLimits(characters: 500)
  static let perDay = RateLimit("reports", maximum: 20, window: .days(1))
  /// After this number of rejected reports in a row, a user's reports don't count.
  static let rejectedInARow = 5
  /// Lengths of suspensions, in days; 0 is permanent.
  static let suspensions = [1, 7, 30, 0]
  /// Each further reporter moves a case forward in the queue by this time, in s, so that the oldest
  /// and the most reported come first.
  static let reporterWeight: Int64 = .hours(12)
  static let decisionNoteLimits = FieldLimits(characters: 500)
  /// How long a moderator may take back a decision, and a reporter a report, in s.
  static let undoPeriod: Int64 = .minutes(10)
  static let appealLimits = FieldLimits(characters: 1000)

  /// Parses a report from a form or API call; returns errors by field.
  static func report(
    reason: String, note: String
  ) -> Result<NewReport, FieldErrors> {
    guard let reason = ReportReason(rawValue: reason) else {
      return .failure(FieldErrors(fields: ["reason": FieldError("report.reason_missing")]))
    }
    guard reason == .other else { return .success(NewReport(reason: reason, note: "")) }
    let text = note.asParagraphs
    if text.isEmpty {
      return .failure(FieldErrors(fields: ["note": FieldError("report.note_missing")]))
    }
    if let error = FieldError.tooLong(text, noteLimits) {
      return .failure(FieldErrors(fields: ["note": error]))
    }
    return .success(NewReport(reason: reason, note: text))
  }

  /// Sort key of a case in the queue; smallest first.
  static func rank(waitingSince: Instant, reporters: Int) -> Int64 {
    waitingSince.milliseconds - Int64(max(0, reporters - 1)) * reporterWeight * 1000
  }
}

/// Errors of a form, by field.
struct FieldErrors: Error {
  let fields: [String: FieldError]
}

extension ReportTarget.Kind {
  /// Value of the column `kind`, which has none for comments, messages and moments: the first have a
  /// `part`, the others `is_message` and `is_moment`.
  var column: String {
    switch self {
    case .comment, .message, .moment: Self.post.rawValue
    case .post, .couple, .person: rawValue
    }
  }

  /// Value of the column `part`.
  var part: String { self == .comment ? rawValue : "" }
}
