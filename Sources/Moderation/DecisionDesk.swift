import Accounts
import Basics
import Database
import Web

/// What a moderator sends in.
struct Verdict: Sendable {
  let decision: Decision
  let note: String
  /// For a suspension; 0 for good.
  let days: Int?
  /// The case as the moderator saw it.
  let version: Int

  /// Whether nothing stays hidden, and nobody suspended.
  var isLenient: Bool { decision == .dismiss || decision == .warn }
}

/// Decides reports and appeals, and changes decisions (docs/developer/moderation.md).
struct DecisionDesk {
  let services: ModerationServices

  /// Somebody else decided first: the case as it is now.
  struct Taken: Error {
    let found: Case
  }

  /// What a form says, or what is wrong with it, by field.
  func check(
    _ typed: TypedFields, of found: Case, in reader: Reader, now: Instant
  ) throws -> Result<Verdict, FieldErrors> {
    let people = try services.people(concernedBy: found, now: now, in: reader)
    return check(
      typed, kind: found.thing.kind, isFirst: found.decision == nil,
      isStaff: people.contains { $0.role > .member })
  }

  /// Nothing needs to be said of what was nothing; everything else is told to somebody, and a
  /// change is explained. Staff is suspended by nobody: who is to go loses the role first.
  func check(
    _ typed: TypedFields, kind: Thing.Kind, isFirst: Bool, isStaff: Bool
  ) -> Result<Verdict, FieldErrors> {
    var errors: [String: FieldError] = [:]
    let choices = Decision.choices(for: kind)
    let decision = Decision(rawValue: typed["decision"]).flatMap {
      choices.contains($0) ? $0 : nil
    }
    if decision == nil { errors["decision"] = FieldError("admin.report.decision_missing") }
    let note = typed["note"].asParagraphs
    if note.isEmpty, !(decision == .dismiss && isFirst) {
      errors["note"] = FieldError("admin.report.note_missing")
    } else if let error = ReportRules.tooLong(note, ReportRules.decisionNoteMost) {
      errors["note"] = error
    }
    var days: Int?
    if decision == .suspend {
      days = Int(typed["until"], in: 0 ... .max).flatMap {
        ReportRules.suspensions.contains($0) ? $0 : nil
      }
      if days == nil { errors["until"] = FieldError("admin.report.days_missing") }
      if isStaff { errors["decision"] = FieldError("admin.report.is_staff") }
    }
    guard let decision, errors.isEmpty else { return .failure(FieldErrors(fields: errors)) }
    return .success(
      Verdict(
        decision: decision, note: note, days: days,
        version: Int(typed["version"], in: 0 ... .max) ?? -1))
  }

  /// Decides, with everything that follows, in one transaction. Throws `Taken`.
  func decide(_ verdict: Verdict, of found: Case, by viewer: Viewer, now: Instant) throws {
    do {
      try services.set(
        verdict.decision.thing(found.thing.kind, before: found.thingState), of: found.thing,
        now: now
      ) { writer in
        guard let current = try services.cases.find(found.id, in: writer.reader) else {
          throw Problem.notFound
        }
        try write(verdict, of: current, by: viewer, now: now, in: writer)
      }
    } catch let taken as Taken {
      throw taken
    } catch {
      // A decision in between may have renamed the files that this one looked for.
      let current = try services.site.database.read {
        try services.cases.find(found.id, in: $0)
      }
      if let current, current.version != verdict.version { throw Taken(found: current) }
      throw error
    }
  }

  private func write(
    _ verdict: Verdict, of current: Case, by viewer: Viewer, now: Instant, in writer: Writer
  ) throws {
    guard try !services.isOwn(current, of: viewer.id, in: writer.reader) else {
      throw Problem.ownCase
    }
    let cases = CaseWriter(writer: writer)
    guard
      try cases.decide(verdict, of: current, by: viewer.face.name, now: now)
    else { throw Taken(found: current) }
    let concerned = try services.concerned(current, in: writer.reader)
    for person in concerned {
      try Sentences(services: services).apply(to: person, now: now, in: writer)
    }
    try tell(verdict, of: current, concerned, now: now, in: cases)
    try services.log.add(
      action(verdict, of: current), to: current.thing, couple: current.couple,
      details: details(verdict, of: current), note: verdict.note, by: viewer, now: now, in: writer)
  }

  /// Taking a suspension back has a name of its own.
  private func action(_ verdict: Verdict, of current: Case) -> StaffAction {
    verdict.decision == .dismiss && current.thing.kind == .person ? .lift : verdict.decision.action
  }

  static let forGood = "for good"
  static let afterAppeal = "after an appeal"

  /// What the log says besides: for how long, after an appeal, and what it was before.
  private func details(_ verdict: Verdict, of current: Case) -> String {
    var parts: [String] = []
    if let days = verdict.days { parts.append(days == 0 ? Self.forGood : "\(days) days") }
    if current.state == .appealed { parts.append(Self.afterAppeal) }
    if let before = current.decision { parts.append("before: \(before.rawValue)") }
    return parts.joined(separator: ", ")
  }

  private func tell(
    _ verdict: Verdict, of before: Case, _ concerned: [ID<Person>], now: Instant,
    in cases: CaseWriter
  ) throws {
    let outcome: ModerationNotice.Kind =
      verdict.decision == .dismiss ? .reportRejected : .reportUpheld
    // Reporters hear of the first decision; changes are between moderators and author.
    if before.state == .open {
      for reporter in Set(try cases.reporters(of: before)) {
        try cases.tell(reporter, outcome, of: before.id, now: now)
        try services.news.told(reporter, outcome, now: now, in: cases.writer)
      }
    }
    guard let kind = notice(verdict, of: before) else { return }
    for person in concerned {
      try cases.tell(person, kind, of: before.id, now: now)
      try services.news.told(person, kind, now: now, in: cases.writer)
    }
  }

  /// What the author hears; nothing when nothing was ever wrong for them.
  private func notice(_ verdict: Verdict, of before: Case) -> ModerationNotice.Kind? {
    if before.state == .appealed {
      return verdict.isLenient ? .appealGranted : .appealRefused
    }
    switch verdict.decision {
    case .dismiss:
      return before.thingState == .shown && before.decision != .suspend ? nil : .shownAgain
    case .hide: return .hidden
    case .remove: return .removed
    case .warn: return .warned
    case .suspend: return .suspended
    }
  }

  // MARK: Without a report

  /// Decides of a person or a couple that nobody reported, or decided of before. Throws `Taken`.
  func decide(
    _ verdict: Verdict, unreported thing: Thing, couple: ID<Couple>?, author: ID<Person>?,
    by viewer: Viewer, now: Instant
  ) throws {
    let stands = try services.site.database.read {
      try services.cases.find(thing, in: $0)?.thingState
    }
    let state = verdict.decision.thing(thing.kind, before: stands ?? .shown)
    try services.set(state, of: thing, now: now) { writer in
      let before = try services.cases.find(thing, in: writer.reader)
      if let before, before.version != verdict.version { throw Taken(found: before) }
      let opened = try CaseWriter(writer: writer).opened(
        thing, couple: couple, author: author, now: now)
      let current = Verdict(
        decision: verdict.decision, note: verdict.note, days: verdict.days,
        version: opened.version)
      try write(current, of: opened, by: viewer, now: now, in: writer)
    }
  }

  // MARK: Appeals

  /// Takes the one appeal of who is concerned. Throws 404 for others' cases, 409 for a second one.
  func appeal(
    _ id: ID<Case>, words: String, by viewer: Viewer, now: Instant
  ) throws {
    try services.site.database.write { writer in
      guard let found = try services.cases.find(id, in: writer.reader),
        try services.concerned(found, in: writer.reader).contains(viewer.id)
      else { throw Problem.notFound }
      guard
        try CaseWriter(writer: writer).appeal(words, of: found, by: viewer.id, now: now)
      else { throw Problem(.conflict) }
    }
  }
}

extension Problem {
  /// Moderators don't decide about themselves and their own.
  static let ownCase = Problem(.forbidden, "own_case", textKey: "problem.own_case")
}

extension Decision {
  var action: StaffAction {
    switch self {
    case .dismiss: .dismiss
    case .hide: .hide
    case .remove: .remove
    case .warn: .warn
    case .suspend: .suspend
    }
  }
}
