import Accounts
import Core
import Database
import Mail
import Web

/// Dependencies shared by the pages and APIs of this module.
struct ModerationEnvironment: Sendable {
  let site: AppEnvironment
  let posts: any ReportablePosts
  let comments: any ReportableComments
  let messages: any ReportableMessages
  let moments: any ReportableMoments
  let couples: CoupleStore
  let moderationStatuses: ModerationStatuses
  let directory: UserDirectory
  let limits: RateLimitStore
  /// Blocks a couple that the viewer has seen.
  let block: @Sendable (ID<Couple>, Viewer, Instant, WriteTransaction) throws -> Void
  /// Number of reporters that hides an item.
  let threshold: Int
  let observer: any ModerationObserver
  let cases = CaseStore()
  let log = AuditLog()

  /// Users concerned by a decision: the author of a post, comment, message or moment,
  /// both members of a couple, or the user.
  func concerned(_ found: ReportCase, in reader: ReadTransaction) throws -> [ID<Person>] {
    if case .couple(let couple) = found.target {
      return try moderationStatuses.people(of: couple, now: site.clock.now(), in: reader).map(\.id)
    }
    return found.author.map { [$0] } ?? []
  }

  /// Whether a case concerns the moderator: own post, own account, a present or former couple, or a
  /// member of one. Another moderator must decide it.
  func isOwn(
    _ target: ReportTarget, couple: ID<Couple>?, author: ID<Person>?, of moderator: ID<Person>,
    in reader: ReadTransaction
  ) throws -> Bool {
    if author == moderator || target == .person(moderator) { return true }
    if let couple, try moderationStatuses.hasBelonged(moderator, to: couple, in: reader) {
      return true
    }
    guard let author else { return false }
    return try moderationStatuses.haveSharedCouple(moderator, author, in: reader)
  }

  func isOwn(_ found: ReportCase, of moderator: ID<Person>, in reader: ReadTransaction) throws
    -> Bool
  {
    try isOwn(
      found.target, couple: found.couple, author: found.author, of: moderator, in: reader)
      || cases.hasAppealed(moderator, found.id, in: reader)
  }

  func people(
    concernedBy found: ReportCase, now: Instant, in reader: ReadTransaction
  ) throws -> [UserModerationStatus] {
    try concerned(found, in: reader).compactMap {
      try moderationStatuses.person($0, now: now, in: reader)
    }
  }

  /// Keeps a moment, which is removed in time otherwise, while its case waits.
  func keep(_ target: ReportTarget, now: Instant, in writer: WriteTransaction) throws {
    if case .moment(let id) = target { try moments.noteReport(of: id, now: now, in: writer) }
  }

  /// The text of a post, comment, message or moment; "" for others, and while it can't be seen.
  func text(of target: ReportTarget) throws -> String {
    switch target {
    case .post(let id): try posts.card(id)?.content ?? ""
    case .comment(let id): try comments.card(id)?.content ?? ""
    case .message(let id): try messages.card(id)?.content ?? ""
    case .moment(let id): try moments.card(id)?.content ?? ""
    case .couple, .person: ""
    }
  }

  /// The most frequent reason of the reports that says something; nil if there is none.
  func reason(of found: ReportCase, in reader: ReadTransaction) throws -> ReportReason? {
    try cases.reasons(of: found, in: reader).first { $0.reason != .other }?.reason
  }

  /// Tells people of a decision, or that something was hidden.
  func notify(
    _ people: [ID<Person>], _ kind: ModerationNotice.Kind, of found: ReportCase,
    _ subject: [UInt8], text: String, now: Instant, in cases: CaseWriter
  ) throws {
    let reason = try reason(of: found, in: cases.writer)
    let notice = DecisionNotice(
      kind: kind, path: kind.path(of: found.id), subject: subject,
      target: found.target.kind.rawValue,
      text: found.target.kind.isQuotedInNotices ? text : "", reason: reason?.rawValue ?? "")
    for person in people {
      try cases.notify(person, kind, of: found.id, now: now)
      try observer.notify(person, notice, now: now, in: cases.writer)
    }
  }

  /// Changes the state of an item, together with `change`, in one transaction.
  func set(
    _ state: ReportTargetState, of target: ReportTarget, now: Instant,
    with change: (WriteTransaction) throws -> Void
  ) throws {
    switch target {
    case .post(let id):
      try posts.set(state, of: id, now: now, with: change)
    case .comment(let id):
      try comments.set(state, of: id, now: now, with: change)
    case .message(let id):
      try messages.set(state, of: id, now: now, with: change)
    case .moment(let id):
      try moments.set(state, of: id, now: now, with: change)
    case .couple(let id):
      try site.database.write { writer in
        try change(writer)
        try moderationStatuses.set(
          isHidden: state != .shown, isRemoved: state == .removed, id, now: now, in: writer)
      }
    case .person:
      try site.database.write(change)
    }
  }
}

extension ReportTarget.Kind {
  /// Whether notices of decisions have its text: notices are not encrypted, as messages are, and
  /// stay longer than moments.
  fileprivate var isQuotedInNotices: Bool { self != .message && self != .moment }
}
