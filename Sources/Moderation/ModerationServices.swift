import Accounts
import Basics
import Database
import Mail
import Web

/// What the pages of this module share.
struct ModerationServices: Sendable {
  let site: Site
  let posts: any ReportablePosts
  let couples: CoupleStore
  let standings: Standings
  let directory: PeopleDirectory
  let limits: RateLimitStore
  /// So many reporters hide a thing.
  let threshold: Int
  let news: any ModerationNews
  let cases = CaseStore()
  let log = StaffLog()

  /// The people whom a decision concerns: a post's author, both of a couple, or the person.
  func concerned(_ found: Case, in reader: Reader) throws -> [ID<Person>] {
    if case .couple(let couple) = found.thing {
      return try standings.people(of: couple, now: site.clock.now(), in: reader).map(\.id)
    }
    return found.author.map { [$0] } ?? []
  }

  /// Whether a case is a moderator's own: about their post, themselves, a couple that they are or
  /// were in, or somebody with whom they are or were one. Others decide it.
  func isOwn(
    _ thing: Thing, couple: ID<Couple>?, author: ID<Person>?, of moderator: ID<Person>,
    in reader: Reader
  ) throws -> Bool {
    if author == moderator || thing == .person(moderator) { return true }
    if let couple, try standings.hasBelonged(moderator, to: couple, in: reader) { return true }
    guard let author else { return false }
    return try standings.haveSharedCouple(moderator, author, in: reader)
  }

  func isOwn(_ found: Case, of moderator: ID<Person>, in reader: Reader) throws -> Bool {
    try isOwn(
      found.thing, couple: found.couple, author: found.author, of: moderator, in: reader)
      || cases.hasAppealed(moderator, found.id, in: reader)
  }

  func people(
    concernedBy found: Case, now: Instant, in reader: Reader
  ) throws -> [PersonStanding] {
    try concerned(found, in: reader).compactMap {
      try standings.person($0, now: now, in: reader)
    }
  }

  /// Changes how a thing stands, together with `change`, in one transaction.
  func set(
    _ state: ThingState, of thing: Thing, now: Instant, with change: (Writer) throws -> Void
  ) throws {
    switch thing {
    case .post(let id):
      try posts.set(state, of: id, now: now, with: change)
    case .couple(let id):
      try site.database.write { writer in
        try change(writer)
        try standings.set(
          isHidden: state != .shown, isRemoved: state == .removed, id, now: now, in: writer)
      }
    case .person:
      try site.database.write(change)
    }
  }
}
