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
  let couples: CoupleStore
  let moderationStatuses: ModerationStatuses
  let directory: UserDirectory
  let limits: RateLimitStore
  /// Number of reporters that hides an item.
  let threshold: Int
  let observer: any ModerationObserver
  let cases = CaseStore()
  let log = AuditLog()

  /// Users concerned by a decision: the author of a post or comment, both members of a couple, or the user.
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
