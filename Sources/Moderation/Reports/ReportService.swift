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
    /// Beginning of the text of a post, comment, message or moment; "" for a couple.
    let text: String
    /// Why this viewer can't report it; nil if allowed.
    let rejection: FieldError?
    /// Path of the page with the item.
    let page: String
    /// Path of the form that reports it; nil for the usual one.
    var form: String?
    /// Whether only the two see it, so that the partner may guess the reporter.
    var isOfTheTwo = false
    /// Whether it is of the reporter's own couple, so that there is no other one to block.
    var isOfOwnCouple = false

    /// The couple that the reporter may block; nil for none.
    var blockable: ID<Couple>? { isOfTheTwo || isOfOwnCouple ? nil : couple }
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

  /// The message of a conversation as this viewer sees it. Throws 404 if not visible.
  func target(
    _ id: ID<ReportedMessage>, in conversation: ID<ReportedConversation>, for viewer: Viewer
  ) throws -> ReportableItem {
    let card = try services.messages.seen(id, in: conversation, by: viewer)
    let page = "\(ModerationLinks.messages)/\(conversation)"
    return ReportableItem(
      target: .message(id), couple: card.couple, author: card.author, coupleName: card.authorName,
      text: FieldLimits(characters: 140).beginning(of: card.content),
      rejection: card.isOwn ? FieldError("report.own") : nil, page: page,
      form: "\(page)/\(id)/report",
      // The conversation of the two has the identifier of their couple.
      isOfTheTwo: card.couple?.bytes == conversation.bytes,
      isOfOwnCouple: card.couple != nil && card.couple == viewer.couple?.id)
  }

  /// The moment as this viewer sees it. Throws 404 if not visible, or of another couple.
  func target(
    _ id: ID<ReportedMoment>, of couple: ID<Couple>?, for viewer: Viewer, now: Instant
  ) throws -> ReportableItem {
    let card = try services.moments.seen(id, by: viewer, now: now)
    guard couple == nil || card.couple == couple else { throw Problem.notFound }
    let page = "\(ModerationLinks.moments)/\(card.couple)"
    return ReportableItem(
      target: .moment(id), couple: card.couple, author: card.author, coupleName: card.coupleName,
      text: card.content, rejection: card.isOwn ? FieldError("report.own") : nil, page: page,
      form: "\(page)/\(id)/report", isOfTheTwo: card.isForTheTwo,
      isOfOwnCouple: card.isOfOwnCouple)
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

  /// A report that was stored.
  struct Stored {
    let id: ID<Report>
    /// Whether it has hidden the item, so that it can't be withdrawn.
    let hides: Bool
  }

  /// The threshold is reached: the item must be hidden in the same transaction.
  private struct ReportThresholdReached: Error {}
  /// The item was hidden or decided concurrently: only the report is stored.
  private struct AlreadyHandled: Error {}

  /// Stores a report, and blocks the couple if asked. Throws 409 if this viewer has reported it before, 422 if not allowed, 429
  /// above the daily limit.
  @discardableResult
  func report(
    _ target: ReportableItem, _ report: NewReport, isBlocking: Bool = false, by viewer: Viewer,
    now: Instant
  ) throws -> Stored {
    guard viewer.role >= .member, viewer.suspension == nil else { throw Problem.forbidden }
    if let rejection = target.rejection { throw Problem.invalid(["reason": rejection]) }
    var hides = false
    // Hiding renames picture files before the transaction, so the first attempt is without hiding.
    for _ in 0..<5 {
      do {
        var id: ID<Report>?
        if hides {
          try services.set(.hidden, of: target.target, now: now) { writer in
            let found: ReportCase
            (found, id) = try add(
              target, report, isBlocking: isBlocking, by: viewer, now: now, in: writer)
            guard try isEnough(found, in: writer) else { throw AlreadyHandled() }
            try hide(found, target, now: now, in: writer)
          }
        } else {
          try services.site.database.write { writer in
            let found: ReportCase
            (found, id) = try add(
              target, report, isBlocking: isBlocking, by: viewer, now: now, in: writer)
            if try isEnough(found, in: writer) { throw ReportThresholdReached() }
          }
        }
        if let id { return Stored(id: id, hides: hides) }
      } catch is ReportThresholdReached {
        hides = true
      } catch is AlreadyHandled {
        hides = false
      }
    }
    throw Problem.busy()
  }

  private func add(
    _ target: ReportableItem, _ report: NewReport, isBlocking: Bool, by viewer: Viewer,
    now: Instant, in writer: WriteTransaction
  ) throws -> (ReportCase, ID<Report>) {
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
    let id = try cases.add(report, to: found, by: viewer, counts: counts, now: now)
    switch target.target {
    case .post(let id): try services.posts.noteReport(of: id, now: now, in: writer)
    case .comment(let id): try services.comments.noteReport(of: id, now: now, in: writer)
    case .message(let id): try services.messages.noteReport(of: id, now: now, in: writer)
    case .moment:
      // A case that was decided meanwhile waits for nothing.
      if found.state.waits { try services.keep(target.target, now: now, in: writer) }
    case .couple, .person: break
    }
    if isBlocking, let couple = target.blockable { try services.block(couple, viewer, now, writer) }
    return (found, id)
  }

  /// Withdraws a report of this viewer. Throws 404 for others, 409 if it is too late or a moderator or
  /// the number of reports has decided.
  func withdraw(_ id: ID<Report>, by viewer: Viewer, now: Instant) throws {
    try services.site.database.write { writer in
      guard let (report, found) = try services.cases.report(id, of: viewer.id, in: writer) else {
        throw Problem.notFound
      }
      guard report.canBeWithdrawn(found, now: now) else { throw Problem(.conflict) }
      guard try CaseWriter(writer: writer).withdraw(id, of: found) else {
        return try letGo(found, in: writer)
      }
      switch found.target {
      case .post(let id): try services.posts.forgetReport(of: id, in: writer)
      case .comment(let id): try services.comments.forgetReport(of: id, in: writer)
      case .message(let id): try services.messages.forgetReport(of: id, in: writer)
      case .moment(let id): try services.moments.forgetReport(of: id, in: writer)
      case .couple, .person: break
      }
    }
  }

  /// Lets a moment be removed in time if its case, which the withdrawn report had opened again, is
  /// decided as before.
  private func letGo(_ found: ReportCase, in writer: WriteTransaction) throws {
    guard case .moment(let id) = found.target, let decidedAt = found.decidedAt,
      try services.cases.find(found.id, in: writer)?.state.waits == false
    else { return }
    try services.moments.noteDecision(of: id, at: decidedAt, in: writer)
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
    try services.notify(
      services.concerned(found, in: writer), .hiddenMeanwhile, of: found, found.id.bytes,
      text: target.text, now: now, in: cases)
  }
}
