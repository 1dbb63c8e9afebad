import Core
import Database
import Web

/// Joins a group by its code; used by pages and the API.
struct JoinService: Sendable {
  /// Attempts with unknown codes, per address and per user.
  static let failures = [
    RateLimit("group-codes", maximum: 10, window: .minutes(1)),
    RateLimit("group-codes-hour", maximum: 30, window: .hours(1)),
  ]
  /// Attempts with unknown typed codes, from all clients. Past the limit only members and links are
  /// accepted: with it, guessing among 887 million codes finds none of a hundred groups within a
  /// year.
  static let allFailures = RateLimit("group-codes-all", maximum: 600, window: .hours(1))
  /// New guests with a valid code: more than a whole group behind one address.
  static let guests = RateLimit("group-guests", maximum: 300, window: .hours(1))
  /// New guests of apps with the code of one group: they need not join it, so its size limits them
  /// only here.
  static let guestsOfApps = RateLimit(
    "group-app-guests", maximum: GroupRules.maximumMembers, window: .days(1))

  /// Why a user can't join.
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

  /// The result of a code for a user.
  enum InviteMatch: Sendable {
    case open(Group)
    /// The user is a member already.
    case member(Group)
    case refused(Rejection)
  }

  let services: GroupsEnvironment

  /// The result of a code. Only unknown codes are counted, since a whole hiking group may share one
  /// address. Throws 429 after too many, for valid codes too, since the difference would reveal
  /// them.
  func find(
    _ code: InviteCode, for viewer: Viewer?, from address: String, now: Instant
  ) throws -> InviteMatch {
    let counts = Self.counts(code, viewer, address)
    for (limit, subject) in counts.checked {
      try services.limits.check(limit, subject, now: now)
    }
    // Checked again in the transaction that counts, so that concurrent attempts cannot exceed the
    // limit.
    let outcome = try services.site.database.writeWithoutHooks {
      writer -> Result<InviteMatch, Problem> in
      do {
        for (limit, subject) in counts.checked {
          try services.limits.check(limit, subject, now: now, in: writer)
        }
      } catch let problem as Problem {
        return .failure(problem)
      }
      let found = try evaluate(code, for: viewer?.id, now: now, in: writer)
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

  /// The counters checked before a code is tried, and those that count an unknown code.
  private static func counts(
    _ code: InviteCode, _ viewer: Viewer?, _ address: String
  ) -> (checked: [LimitedCount], counted: [LimitedCount]) {
    let subjects = [address] + (viewer.map { [$0.id.description] } ?? [])
    let own = subjects.flatMap { subject in failures.map { LimitedCount($0, subject) } }
    guard !code.isOfLink else { return (own, own) }
    let all = own + [(allFailures, "all")]
    // Members have confirmed an address and have their own limits.
    return ((viewer?.role ?? .anyone) >= .member ? own : all, all)
  }

  /// Adds a user by a code, with a new name if one is given; no effect for a member.
  func join(
    _ code: InviteCode, as person: ID<Person>, calling name: String? = nil, now: Instant
  ) throws -> InviteMatch {
    try services.site.database.write { writer in
      let found = try evaluate(code, for: person, now: now, in: writer)
      guard case .open(let group) = found else { return found }
      guard
        try services.store.groupCount(of: person, in: writer) < GroupRules.maximumGroups
      else { throw Problem(.limitReached) }
      if let name { try services.people.rename(person, to: name, in: writer) }
      try services.writing.join(person, group.id, now: now, in: writer)
      let joined = try services.store.visible(group.id, to: person, in: writer)
      return joined.map(InviteMatch.member) ?? found
    }
  }

  private func evaluate(
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
    // Joining that is switched off looks like an expired code: ask for another one.
    guard group.mayJoin, invitation.expiresAt > now else { return .refused(.expired) }
    guard try services.store.size(of: group.id, in: reader) < GroupRules.maximumMembers else {
      return .refused(.full)
    }
    return .open(group)
  }
}
