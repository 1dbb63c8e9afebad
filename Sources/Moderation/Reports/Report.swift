import Core
import Web

/// The kind of the identifier of a post as this module knows it: the feed's own.
public enum ReportedPost {}

/// What can be reported, or decided of.
public enum ReportTarget: Hashable, Sendable {
  case post(ID<ReportedPost>)
  case couple(ID<Couple>)
  /// Nobody reports a person; moderators may suspend one who was not reported.
  case person(ID<Person>)

  /// How a thing of each kind is called in the database.
  enum Kind: String, Sendable, CaseIterable {
    case post
    case couple
    case person
  }

  var kind: Kind {
    switch self {
    case .post: .post
    case .couple: .couple
    case .person: .person
    }
  }

  var bytes: [UInt8] {
    switch self {
    case .post(let id): id.bytes
    case .couple(let id): id.bytes
    case .person(let id): id.bytes
    }
  }

  init?(kind: Kind, bytes: [UInt8]) {
    switch kind {
    case .post:
      guard let id = ID<ReportedPost>(bytes: bytes) else { return nil }
      self = .post(id)
    case .couple:
      guard let id = ID<Couple>(bytes: bytes) else { return nil }
      self = .couple(id)
    case .person:
      guard let id = ID<Person>(bytes: bytes) else { return nil }
      self = .person(id)
    }
  }
}

/// How a thing stands for everybody but its couple.
public enum ReportTargetState: String, Sendable {
  case shown
  case hidden
  /// Gone for its couple too.
  case removed
}

/// Why somebody reports something.
enum ReportReason: String, Sendable, CaseIterable, JSONEnum {
  case spam
  case harassment
  case nudity
  case violence
  case falseInformation = "false_information"
  case other

  var textKey: String { "report.reason.\(rawValue)" }
}

/// What somebody says of a thing.
struct NewReport: Sendable {
  let reason: ReportReason
  /// "" unless `other`.
  let note: String
}

/// How what was reported stands with the moderators.
enum CaseState: String, Sendable, CaseIterable {
  case open
  case appealed
  case dismissed
  case hidden
  case removed
  /// Of a person who was suspended without a report.
  case suspended

  /// Whether a moderator is to look at it.
  var waits: Bool { self == .open || self == .appealed }
}

/// What a moderator decides.
enum Decision: String, Sendable, CaseIterable {
  case dismiss
  case hide
  case remove
  case warn
  case suspend

  /// How a thing stands from then on that stood so before. Who is suspended for a post has it
  /// hidden; a couple's page stays as it is, since the suspension ends by itself.
  func target(_ kind: ReportTarget.Kind, before: ReportTargetState) -> ReportTargetState {
    switch self {
    case .dismiss, .warn: .shown
    case .hide: .hidden
    case .remove: .removed
    case .suspend: kind == .post ? .hidden : before
    }
  }

  func state(of kind: ReportTarget.Kind) -> CaseState {
    switch self {
    case .dismiss, .warn: .dismissed
    case .hide: .hidden
    case .remove: .removed
    case .suspend: kind == .post ? .hidden : .suspended
    }
  }

  /// What can be decided of a thing.
  static func choices(for kind: ReportTarget.Kind) -> [Decision] {
    switch kind {
    case .post, .couple: allCases
    case .person: [.dismiss, .warn, .suspend]
    }
  }
}

/// The bounds of reports (docs/developer/moderation.md).
enum ReportRules {
  static let noteMost = FieldLimits(characters: 500)
  static let perDay = RateLimit("reports", most: 20, window: .days(1))
  /// So many of the last ones rejected in a row, and a reporter doesn't count.
  static let rejectedInARow = 5
  /// For how long somebody can be suspended, in days; 0 is for good.
  static let suspensions = [1, 7, 30, 0]
  /// How much sooner the queue shows a thing for each further reporter, in s: so the oldest and
  /// the most reported come first.
  static let reporterWeight: Int64 = .hours(12)
  static let decisionNoteMost = FieldLimits(characters: 500)
  static let appealMost = FieldLimits(characters: 1000)

  /// What a form or a call says of a thing, or what is wrong with it, by field.
  static func report(
    reason: String, note: String
  ) -> Result<NewReport, FieldErrors> {
    guard let reason = ReportReason(rawValue: reason) else {
      return .failure(FieldErrors(fields: ["reason": FieldError("report.reason_missing")]))
    }
    guard reason == .other else { return .success(NewReport(reason: reason, note: "")) }
    let words = note.asParagraphs
    if words.isEmpty {
      return .failure(FieldErrors(fields: ["note": FieldError("report.note_missing")]))
    }
    if let error = tooLong(words, noteMost) {
      return .failure(FieldErrors(fields: ["note": error]))
    }
    return .success(NewReport(reason: reason, note: words))
  }

  /// What to say of words that are too long; nil of others.
  static func tooLong(_ words: String, _ most: FieldLimits) -> FieldError? {
    let excess = most.excess(of: words)
    guard excess > 0 else { return nil }
    return FieldError(
      "report.note_long", ["most": String(most.characters), "over": String(excess)])
  }

  /// Where something stands in the queue: what comes first has the smallest.
  static func rank(waitingSince: Instant, reporters: Int) -> Int64 {
    waitingSince.milliseconds - Int64(max(0, reporters - 1)) * reporterWeight * 1000
  }
}

/// What is wrong with a form, by field.
struct FieldErrors: Error {
  let fields: [String: FieldError]
}
