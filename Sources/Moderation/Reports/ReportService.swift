import Accounts
import Core
import Database
import Web

/// Takes reports, from pages and API.
struct ReportService {
  let services: ModerationEnvironment

  /// What is to be reported, as its reporter sees it.
  struct ReportableItem {
    let target: ReportTarget
    let couple: ID<Couple>
    let author: ID<Person>?
    let coupleName: String
    /// A post's first words; "" for a couple.
    let words: String
    /// Why this viewer can't report it; nil when they can.
    let refusal: FieldError?
  }

  /// What this viewer sees there. Throws 404.
  func target(_ id: ID<ReportedPost>, for viewer: Viewer) throws -> ReportableItem {
    let card = try services.posts.seen(id, by: viewer)
    let refusal: FieldError? =
      card.isForTheTwo
      ? FieldError("report.for_the_two")
      : card.couple == viewer.couple?.id || card.author == viewer.id
        ? FieldError("report.own") : nil
    return ReportableItem(
      target: .post(id), couple: card.couple, author: card.author, coupleName: card.coupleName,
      words: FieldLimits(characters: 140).beginning(of: card.content), refusal: refusal)
  }

  /// What this viewer sees there. Throws 404.
  func target(_ id: ID<Couple>, for viewer: Viewer) throws -> ReportableItem {
    guard let card = try services.couples.visible(id, to: viewer) else { throw Problem.notFound }
    return ReportableItem(
      target: .couple(id), couple: id, author: nil, coupleName: card.name, words: "",
      refusal: id == viewer.couple?.id ? FieldError("report.own") : nil)
  }

  /// Whether this viewer has reported it, and nobody has decided yet.
  func waits(_ target: ReportableItem, for viewer: Viewer) throws -> Bool {
    try services.site.database.read { reader in
      guard let found = try services.cases.find(target.target, in: reader) else { return false }
      return try services.cases.hasOpen(found.id, by: viewer.id, in: reader)
    }
  }

  /// Enough have reported it now, so it is to be hidden in the same transaction.
  private struct ReportThresholdReached: Error {}
  /// Somebody else hid or decided it in between: a report alone is enough.
  private struct AlreadyHandled: Error {}

  /// Reports it. Throws 409 when this viewer has done so before, 422 when they can't, 429 past
  /// their daily number.
  func report(_ target: ReportableItem, _ report: NewReport, by viewer: Viewer, now: Instant) throws
  {
    guard viewer.role >= .member, viewer.suspension == nil else { throw Problem.forbidden }
    if let refusal = target.refusal { throw Problem.invalid(["reason": refusal]) }
    var hides = false
    // Hiding gives pictures new names before the transaction, so it is tried without first.
    for _ in 0..<5 {
      do {
        if hides {
          try services.set(.hidden, of: target.target, now: now) { writer in
            let found = try add(target, report, by: viewer, now: now, in: writer)
            guard try isEnough(found, in: writer.reader) else { throw AlreadyHandled() }
            try hide(found, target, now: now, in: writer)
          }
        } else {
          try services.site.database.write { writer in
            let found = try add(target, report, by: viewer, now: now, in: writer)
            if try isEnough(found, in: writer.reader) { throw ReportThresholdReached() }
          }
        }
        return
      } catch is ReportThresholdReached {
        hides = true
      } catch is AlreadyHandled {
        hides = false
      }
    }
    throw Problem.busy()
  }

  private func add(
    _ target: ReportableItem, _ report: NewReport, by viewer: Viewer, now: Instant,
    in writer: WriteTransaction
  ) throws -> ReportCase {
    let cases = CaseWriter(writer: writer)
    let found = try cases.opened(
      target.target, couple: target.couple, author: target.author, now: now)
    if try services.cases.hasOpen(found.id, by: viewer.id, in: writer.reader) {
      throw Problem(.conflict)
    }
    if let wait = try services.limits.add(
      ReportRules.perDay, viewer.id.description, now: now, in: writer)
    {
      throw Problem.tooMany(retryAfter: wait)
    }
    let counts = try !services.cases.isDistrusted(viewer.id, in: writer.reader)
    try cases.add(report, to: found, by: viewer, counts: counts, now: now)
    if case .post(let id) = target.target {
      try services.posts.noteReport(of: id, now: now, in: writer)
    }
    return found
  }

  private func isEnough(_ found: ReportCase, in reader: ReadTransaction) throws -> Bool {
    guard found.state == .open, found.thingState == .shown else { return false }
    return try services.cases.countingReporters(found, in: reader) >= services.threshold
  }

  private func hide(
    _ found: ReportCase, _ target: ReportableItem, now: Instant, in writer: WriteTransaction
  ) throws {
    let cases = CaseWriter(writer: writer)
    try cases.setThing(.hidden, of: found.id)
    for person in try services.concerned(found, in: writer.reader) {
      try cases.tell(person, .hiddenMeanwhile, of: found.id, now: now)
      try services.observer.told(person, .hiddenMeanwhile, now: now, in: writer)
    }
  }
}
