import Core
import Database
import Web

/// Getting into a group by its code; pages and API call the same.
struct JoinService: Sendable {
  /// Codes that nobody has, from one address and by one person.
  static let failures = [
    RateLimit("group-codes", most: 10, window: .minutes(1)),
    RateLimit("group-codes-hour", most: 30, window: .hours(1)),
  ]
  /// Typed codes that nobody has, from everywhere. Past it only members and links get further: with
  /// it, guessing among 887 million codes finds none of a hundred groups within a year.
  static let allFailures = RateLimit("group-codes-all", most: 600, window: .hours(1))
  /// Guests whom a valid code vouches for: more than a whole group behind one address.
  static let guests = RateLimit("group-guests", most: 300, window: .hours(1))

  /// Why somebody doesn't get in.
  enum Rejection: String, Sendable, CaseIterable {
    case unknown
    case expired
    case closed
    case full
    case removed

    var code: APIErrorCode {
      switch self {
      case .unknown: .notFound
      case .expired: .inviteExpired
      case .closed: .groupClosed
      case .full: .groupFull
      case .removed: .removedFromGroup
      }
    }
  }

  /// What a code leads to for somebody.
  enum InviteMatch: Sendable {
    case open(Group)
    /// They are in it already.
    case member(Group)
    case refused(Rejection)
  }

  let services: GroupsEnvironment

  /// What a code leads to. Only codes that nobody has are counted: a whole hiking group may sit
  /// behind one address. Throws 429 after too many, for good codes too, or they would give
  /// themselves away.
  func find(
    _ code: InviteCode, for viewer: Viewer?, from address: String, now: Instant
  ) throws -> InviteMatch {
    let counts = Self.counts(code, viewer, address)
    for (limit, subject) in counts.checked {
      try services.limits.check(limit, subject, now: now)
    }
    // Once more inside the transaction that counts: so many at once are no more than are allowed.
    let outcome = try services.site.database.writeWithoutHooks {
      writer -> Result<InviteMatch, Problem> in
      do {
        for (limit, subject) in counts.checked {
          try services.limits.check(limit, subject, now: now, in: writer.reader)
        }
      } catch let problem as Problem {
        return .failure(problem)
      }
      let found = try judge(code, for: viewer?.id, now: now, in: writer.reader)
      if case .refused(.unknown) = found {
        for (limit, subject) in counts.counted {
          _ = try services.limits.add(limit, subject, now: now, in: writer)
        }
      }
      return .success(found)
    }
    return try outcome.get()
  }

  private typealias LimitedCount = (limit: RateLimit, subject: String)

  /// What is looked at before a code is tried, and what counts one that nobody has.
  private static func counts(
    _ code: InviteCode, _ viewer: Viewer?, _ address: String
  ) -> (checked: [LimitedCount], counted: [LimitedCount]) {
    let subjects = [address] + (viewer.map { [$0.id.description] } ?? [])
    let own = subjects.flatMap { subject in failures.map { LimitedCount($0, subject) } }
    guard !code.isOfLink else { return (own, own) }
    let all = own + [(allFailures, "all")]
    // A confirmed address vouches for members, who have limits of their own.
    return ((viewer?.role ?? .anyone) >= .member ? own : all, all)
  }

  /// Lets somebody in by a code, under another name from now on where one is given; who is in
  /// already stays.
  func join(
    _ code: InviteCode, as person: ID<Person>, calling name: String? = nil, now: Instant
  ) throws -> InviteMatch {
    try services.site.database.write { writer in
      let found = try judge(code, for: person, now: now, in: writer.reader)
      guard case .open(let group) = found else { return found }
      guard
        try services.store.groupCount(of: person, in: writer.reader) < GroupRules.groupsMost
      else { throw Problem(.limitReached) }
      if let name { try services.people.rename(person, to: name, in: writer) }
      try services.writing.join(person, group.id, now: now, in: writer)
      let joined = try services.store.visible(group.id, to: person, in: writer.reader)
      return joined.map(InviteMatch.member) ?? found
    }
  }

  private func judge(
    _ code: InviteCode, for person: ID<Person>?, now: Instant, in reader: ReadTransaction
  ) throws -> InviteMatch {
    guard let group = try services.store.group(of: code, seenBy: person, in: reader),
      let invitation = group.code
    else { return .refused(.unknown) }
    guard group.isOpen else { return .refused(.closed) }
    if group.own != nil { return .member(group) }
    if let person, try services.store.isRemoved(person, from: group.id, in: reader) {
      return .refused(.removed)
    }
    // Joining that is turned off looks like a code that is too old: ask for another one.
    guard group.mayJoin, invitation.expiresAt > now else { return .refused(.expired) }
    guard try services.store.size(of: group.id, in: reader) < GroupRules.membersMost else {
      return .refused(.full)
    }
    return .open(group)
  }
}
