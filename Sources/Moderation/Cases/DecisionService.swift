import Accounts
import Core
import Database
import Web

/// A moderator's input.
struct DecisionInput: Sendable {
  let decision: Decision
  let note: String
  /// Length of a suspension in days; 0 for permanent.
  let days: Int?
  /// Version of the case that the moderator saw.
  let version: Int

  /// Whether the decision neither hides nor suspends.
  var isLenient: Bool { decision == .dismiss || decision == .warn }
}

/// Decides reports and appeals, and changes decisions (docs/developer/moderation.md).
struct DecisionService {
  let services: ModerationEnvironment

  /// Another moderator decided first; has the case as it is now.
  struct AlreadyDecided: Error {
    let found: ReportCase
  }

  /// Parses a form; returns errors by field.
  func check(
    _ entered: FormFields, note: String, of found: ReportCase, in reader: ReadTransaction,
    now: Instant
  ) throws -> Result<DecisionInput, FieldErrors> {
    let people = try services.people(concernedBy: found, now: now, in: reader)
    return check(
      entered, note: note, kind: found.target.kind, isFirst: found.decision == nil,
      isStaff: people.contains { $0.role > .member })
  }

  /// Validates a decision. A first dismissal needs no note; every other decision is explained to
  /// the user. Staff cannot be suspended: the role must be removed first.
  func check(
    _ entered: FormFields, note: String, kind: ReportTarget.Kind, isFirst: Bool, isStaff: Bool
  ) -> Result<DecisionInput, FieldErrors> {
    var errors: [String: FieldError] = [:]
    let choices = Decision.choices(for: kind)
    let decision = Decision(rawValue: entered["decision"]).flatMap {
      choices.contains($0) ? $0 : nil
    }
    if decision == nil { errors["decision"] = FieldError("admin.report.decision_missing") }
    if note.isEmpty, !(decision == .dismiss && isFirst) {
      errors["note"] = FieldError("admin.report.note_missing")
    } else if let error = FieldError.tooLong(note, ReportRules.decisionNoteLimits) {
      errors["note"] = error
    }
    var days: Int?
    if decision == .suspend {
      days = Int(entered["until"], in: 0 ... .max).flatMap {
        ReportRules.suspensions.contains($0) ? $0 : nil
      }
      if days == nil { errors["until"] = FieldError("admin.report.days_missing") }
      if isStaff { errors["decision"] = FieldError("admin.report.is_staff") }
    }
    guard let decision, errors.isEmpty else { return .failure(FieldErrors(fields: errors)) }
    return .success(
      DecisionInput(
        decision: decision, note: note, days: days,
        version: Int(entered["version"], in: 0 ... .max) ?? -1))
  }

  /// Decides, with all effects, in one transaction. Throws `AlreadyDecided`.
  func decide(
    _ verdict: DecisionInput, of found: ReportCase, by viewer: Viewer, now: Instant
  ) throws -> ID<PastDecision>? {
    let text = try services.text(of: found.target)
    var stored: ID<PastDecision>?
    do {
      try services.set(
        verdict.decision.target(found.target.kind, before: found.targetState), of: found.target,
        now: now
      ) { writer in
        guard let current = try services.cases.find(found.id, in: writer) else {
          throw Problem.notFound
        }
        stored = try write(verdict, of: current, text, by: viewer, now: now, in: writer)
      }
      return stored
    } catch let taken as AlreadyDecided {
      throw taken
    } catch {
      // A concurrent decision may have renamed the files that this one looked for.
      let current = try services.site.database.read {
        try services.cases.find(found.id, in: $0)
      }
      if let current, current.version != verdict.version { throw AlreadyDecided(found: current) }
      throw error
    }
  }

  @discardableResult
  private func write(
    _ verdict: DecisionInput, of current: ReportCase, _ text: String, by viewer: Viewer?,
    now: Instant, in writer: WriteTransaction
  ) throws -> ID<PastDecision> {
    if let viewer, try services.isOwn(current, of: viewer.id, in: writer) { throw Problem.ownCase }
    let cases = CaseWriter(writer: writer)
    guard let decision = try cases.decide(verdict, of: current, by: viewer, now: now)
    else { throw AlreadyDecided(found: current) }
    let concerned = try suspend(current, now: now, in: writer)
    try notify(verdict, of: current, decision, text, concerned, now: now, in: cases)
    try services.log.add(
      action(verdict, of: current), to: current.target, couple: current.couple,
      details: details(verdict, of: current), note: verdict.note, by: viewer, now: now, in: writer)
    return decision
  }

  /// Computes the suspensions of the people concerned, and gives them.
  private func suspend(
    _ found: ReportCase, now: Instant, in writer: WriteTransaction
  ) throws -> [ID<Person>] {
    let concerned = try services.concerned(found, in: writer)
    for person in concerned {
      try SuspensionCalculator(services: services).apply(to: person, now: now, in: writer)
    }
    return concerned
  }

  /// Takes back a decision of this moderator, with its effects and notices. Throws 409 if it is not
  /// the latest one, it is too late, or something has happened since.
  func undo(
    _ decision: ID<PastDecision>, of id: ID<ReportCase>, by viewer: Viewer, now: Instant
  ) throws {
    func last(_ reader: ReadTransaction) throws -> (ReportCase, UndoableDecision) {
      guard let found = try services.cases.find(id, in: reader) else { throw Problem.notFound }
      guard let last = try services.cases.undoable(found, by: viewer.id, now: now, in: reader),
        last.id == decision
      else { throw Problem.decisionStays }
      return (found, last)
    }
    let (seen, before) = try services.site.database.read(last)
    try services.set(before.targetState, of: seen.target, now: now) { writer in
      let (found, last) = try last(writer)
      guard found.version == seen.version else { throw Problem.decisionStays }
      try CaseWriter(writer: writer).undo(last, of: found)
      if last.state.waits { try services.keep(found.target, now: now, in: writer) }
      _ = try suspend(found, now: now, in: writer)
      try services.observer.retract(last.id.bytes, in: writer)
      try services.log.add(
        .undo, to: found.target, couple: found.couple,
        details: "before: \(found.decision?.rawValue ?? "")", note: "", by: viewer, now: now,
        in: writer)
    }
  }

  /// Lifting a suspension is logged as an action of its own.
  private func action(_ verdict: DecisionInput, of current: ReportCase) -> ModerationAction {
    verdict.decision == .dismiss && current.target.kind == .person ? .lift : verdict.decision.action
  }

  static let forGood = "for good"
  static let afterAppeal = "after an appeal"

  /// Details for the log: duration, "after an appeal" and the previous decision.
  private func details(_ verdict: DecisionInput, of current: ReportCase) -> String {
    var parts: [String] = []
    if let days = verdict.days { parts.append(days == 0 ? Self.forGood : "\(days) days") }
    if current.state == .appealed { parts.append(Self.afterAppeal) }
    if let before = current.decision { parts.append("before: \(before.rawValue)") }
    return parts.joined(separator: ", ")
  }

  private func notify(
    _ verdict: DecisionInput, of before: ReportCase, _ decision: ID<PastDecision>, _ text: String,
    _ concerned: [ID<Person>], now: Instant, in cases: CaseWriter
  ) throws {
    let outcome: ModerationNotice.Kind =
      verdict.decision == .dismiss ? .reportRejected : .reportUpheld
    // Reporters are notified of the first decision only; changes concern moderators and author.
    let reporters = before.state == .open ? Set(try cases.reporters(of: before)) : []
    try services.notify(
      Array(reporters), outcome, of: before, decision.bytes, text: "", now: now, in: cases)
    guard let kind = notice(verdict, of: before) else { return }
    try services.notify(
      concerned, kind, of: before, decision.bytes, text: text, now: now, in: cases)
  }

  /// The author's notice; nil if nothing changes for the author.
  func notice(_ verdict: DecisionInput, of before: ReportCase) -> ModerationNotice.Kind? {
    if before.state == .appealed {
      return verdict.isLenient ? .appealGranted : .appealRefused
    }
    switch verdict.decision {
    case .dismiss:
      return before.targetState == .shown && before.decision != .suspend ? nil : .shownAgain
    case .hide: return .hidden
    case .remove: return .removed
    case .warn: return .warned
    case .suspend: return .suspended
    }
  }

  // MARK: Without a report

  /// Decides about a user or couple without a report or earlier case; without a viewer for a
  /// command. Throws `AlreadyDecided`.
  func decide(
    _ verdict: DecisionInput, unreported target: ReportTarget, couple: ID<Couple>?,
    author: ID<Person>?,
    by viewer: Viewer?, now: Instant
  ) throws {
    let currentState = try services.site.database.read {
      try services.cases.find(target, in: $0)?.targetState
    }
    let state = verdict.decision.target(target.kind, before: currentState ?? .shown)
    try services.set(state, of: target, now: now) { writer in
      let before = try services.cases.find(target, in: writer)
      if let before, before.version != verdict.version { throw AlreadyDecided(found: before) }
      let opened = try CaseWriter(writer: writer).opened(
        target, couple: couple, author: author, now: now)
      let current = DecisionInput(
        decision: verdict.decision, note: verdict.note, days: verdict.days,
        version: opened.version)
      try write(current, of: opened, "", by: viewer, now: now, in: writer)
    }
  }

  // MARK: Appeals

  /// Stores the only appeal of the user concerned. Throws 404 for other users' cases, 409 for a
  /// second appeal.
  func appeal(
    _ id: ID<ReportCase>, text: String, by viewer: Viewer, now: Instant
  ) throws {
    try services.site.database.write { writer in
      guard let found = try services.cases.find(id, in: writer),
        try services.concerned(found, in: writer).contains(viewer.id)
      else { throw Problem.notFound }
      guard
        try CaseWriter(writer: writer).appeal(text, of: found, by: viewer.id, now: now)
      else { throw Problem(.conflict) }
      try services.keep(found.target, now: now, in: writer)
    }
  }
}

extension Problem {
  /// Moderators must not decide cases that concern themselves or their couple.
  static let ownCase = Problem(.forbidden, "own_case", textKey: "problem.own_case")
  /// The decision can't be taken back any more, or never could.
  fileprivate static let decisionStays = Problem(
    .conflict, "conflict", textKey: "problem.decision_stays")
}

extension Decision {
  var action: ModerationAction {
    switch self {
    case .dismiss: .dismiss
    case .hide: .hide
    case .remove: .remove
    case .warn: .warn
    case .suspend: .suspend
    }
  }
}
