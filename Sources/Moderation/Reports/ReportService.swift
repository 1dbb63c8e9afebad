import Accounts
import Core
import Database
import Web

/// Stores reports, from pages and API.
struct ReportService {
  let services: ModerationEnvironment

  /// An item to report, as its reporter sees it.
  struct ReportableItem {
    let target: ReportTarget
    let couple: ID<Couple>?
    let author: ID<Person>?
    let coupleName: String
    /// Beginning of the text of a post or comment; "" for a couple.
    let text: String
    /// Why this viewer can't report it; nil if allowed.
    let rejection: FieldError?
    /// Path of the page with the item.
    let page: String
  }

  /// The post as this viewer sees it. Throws 404 if not visible.
  func target(_ id: ID<ReportedPost>, for viewer: Viewer) throws -> ReportableItem {
    let card = try services.posts.seen(id, by: viewer)
    let rejection: FieldError? =
      card.isForTheTwo
      ? FieldError("report.couple_only")
      : card.couple == viewer.couple?.id || card.author == viewer.id
        ? FieldError("report.own") : nil
    return ReportableItem(
      target: .post(id), couple: card.couple, author: card.author, coupleName: card.coupleName,
      text: FieldLimits(characters: 140).beginning(of: card.content), rejection: rejection,
      page: ModerationLinks.target(.post(id)))
  }

  /// The comment as this viewer sees it. Throws 404 if not visible.
  func target(_ id: ID<ReportedComment>, for viewer: Viewer) throws -> ReportableItem {
    let card = try services.comments.seen(id, by: viewer)
    let isOwn =
      card.author == viewer.id || (card.couple != nil && card.couple == viewer.couple?.id)
    let rejection: FieldError? =
      card.isForTheTwo
      ? FieldError("report.couple_only") : isOwn ? FieldError("report.own") : nil
    return ReportableItem(
      target: .comment(id), couple: card.couple, author: card.author,
      coupleName: card.authorName,
      text: FieldLimits(characters: 140).beginning(of: card.content), rejection: rejection,
      page: ModerationLinks.target(.post(card.post)))
  }

  /// The couple as this viewer sees it. Throws 404 if not visible.
  func target(_ id: ID<Couple>, for viewer: Viewer) throws -> ReportableItem {
    guard let card = try services.couples.visible(id, to: viewer) else { throw Problem.notFound }
    return ReportableItem(
      target: .couple(id), couple: id, author: nil, coupleName: card.name, text: "",
      rejection: id == viewer.couple?.id ? FieldError("report.own") : nil,
      page: ModerationLinks.target(.couple(id)))
  }

  /// Whether this viewer has an undecided report of the item.
  func waits(_ target: ReportableItem, for viewer: Viewer) throws -> Bool {
    try services.site.database.read { reader in
      guard let found = try services.cases.find(target.target, in: reader) else { return false }
      return try services.cases.hasOpen(found.id, by: viewer.id, in: reader)
    }
  }

  /// The threshold is reached: the item must be hidden in the same transaction.
  private struct ReportThresholdReached: Error {}
  /// The item was hidden or decided concurrently: only the report is stored.
  private struct AlreadyHandled: Error {}

  /// Stores a report. Throws 409 if this viewer has reported it before, 422 if not allowed, 429
  /// above the daily limit.
  func report(_ target: ReportableItem, _ report: NewReport, by viewer: Viewer, now: Instant) throws
  {
    guard viewer.role >= .member, viewer.suspension == nil else { throw Problem.forbidden }
    if let rejection = target.rejection { throw Problem.invalid(["reason": rejection]) }
    var hides = false
    // Hiding renames picture files before the transaction, so the first attempt is without hiding.
    for _ in 0..<5 {
      do {
        if hides {
          try services.set(.hidden, of: target.target, now: now) { writer in
            let found = try add(target, report, by: viewer, now: now, in: writer)
            guard try isEnough(found, in: writer) else { throw AlreadyHandled() }
            try hide(found, target, now: now, in: writer)
          }
        } else {
          try services.site.database.write { writer in
            let found = try add(target, report, by: viewer, now: now, in: writer)
            if try isEnough(found, in: writer) { throw ReportThresholdReached() }
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
    if try services.cases.hasOpen(found.id, by: viewer.id, in: writer) {
      throw Problem(.conflict)
    }
    if let wait = try services.limits.add(
      ReportRules.perDay, viewer.id.description, now: now, in: writer)
    {
      throw Problem.tooMany(retryAfter: wait)
    }
    let counts = try !services.cases.isDistrusted(viewer.id, in: writer)
    try cases.add(report, to: found, by: viewer, counts: counts, now: now)
    switch target.target {
    case .post(let id): try services.posts.noteReport(of: id, now: now, in: writer)
    case .comment(let id): try services.comments.noteReport(of: id, now: now, in: writer)
    case .couple, .person: break
    }
    return found
  }

  private func isEnough(_ found: ReportCase, in reader: ReadTransaction) throws -> Bool {
    guard found.state == .open, found.targetState == .shown else { return false }
    return try services.cases.countingReporters(found, in: reader) >= services.threshold
  }

  private func hide(
    _ found: ReportCase, _ target: ReportableItem, now: Instant, in writer: WriteTransaction
  ) throws {
    let cases = CaseWriter(writer: writer)
    try cases.setTarget(.hidden, of: found.id)
    for person in try services.concerned(found, in: writer) {
      try cases.notify(person, .hiddenMeanwhile, of: found.id, now: now)
      try services.observer.notify(person, .hiddenMeanwhile, now: now, in: writer)
    }
  }
}
