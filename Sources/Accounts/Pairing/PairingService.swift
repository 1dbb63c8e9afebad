import Core
import Database
import Secrets
import Web

/// Inviting a partner and accepting an invitation, for pages and API.
///
/// All conditions are read in the transaction that acts on them, and there is one writer at a time.
/// So no user ends up in two couples, and no couple has three members.
struct PairingService {
  /// Limits the mails that a user sends by inviting, repetitions included.
  static let mailsSent = RateLimit("pair-invitations", maximum: 3, window: .hours(1))

  let database: Database
  let invitations: PairStore
  let people: PersonStore
  let couples: CoupleStore
  let members: MembershipStore
  let parting: SeparationService
  let registration: RegistrationService
  let mails: PairMailer
  let accountMails: AccountMailer
  let limits: RateLimitStore
  let participants: @Sendable () -> [any AccountParticipant]

  // MARK: Inviting

  /// The address to invite; nil with an error under `email` if it is not valid.
  func partner(
    _ entered: String, of viewer: Viewer, _ errors: inout [String: FieldError]
  ) throws -> String? {
    guard let email = AccountRules.address(entered, field: "email", &errors) else {
      if entered.asOneLine.isEmpty { errors["email"] = .empty("partner_email") }
      return nil
    }
    let isOwn = try database.read {
      try people.has(viewer.id, emailHash: people.hash(email), in: $0)
    }
    if isOwn { errors["email"] = FieldError("error.email_same") }
    return isOwn ? nil : email
  }

  /// Invites an address and replaces an earlier invitation. Whether the address has an account
  /// changes only the mail. Throws 429 past three an hour; returns false if the viewer is in a
  /// couple by now.
  func invite(_ email: String, by viewer: Viewer, language: Language, now: Instant) throws -> Bool {
    try database.write { writer in
      guard let inviter = try members.of(viewer.id, in: writer), inviter.mayPair else {
        return false
      }
      let wait = try limits.add(Self.mailsSent, viewer.id.description, now: now, in: writer)
      if let wait { throw Problem.tooMany(retryAfter: wait) }
      let link = try invitations.replace(by: viewer.id, to: email, now: now, in: writer)
      guard
        try RecipientLimits(limits).add(.pairing, to: email, now: now, in: writer) == nil
      else { return true }
      let isTaken =
        try people.status(emailHash: people.hash(email), in: writer) == .memberInCouple
      try mails.invite(
        email, by: inviter.name, link: isTaken ? nil : link, language: language, now: now,
        in: writer)
      return true
    }
  }

  func pending(of viewer: Viewer, now: Instant) throws -> PairInvitation? {
    try database.read { try invitations.pending(of: viewer.id, now: now, in: $0) }
  }

  func mailsLeft(_ viewer: Viewer, now: Instant) throws -> Int {
    try limits.left(Self.mailsSent, viewer.id.description, now: now)
  }

  func withdraw(_ viewer: Viewer, now: Instant) throws {
    try database.write { try PairStore.links.revokeAll(of: viewer.id, now: now, in: $0) }
  }

  // MARK: The link

  /// The offer of a valid mailed link. Only accepting it uses the link up.
  func offer(_ token: Token, now: Instant) throws -> PairOffer? {
    try database.read { try offer(token, now: now, in: $0) }
  }

  private func offer(_ token: Token, now: Instant, in reader: ReadTransaction) throws -> PairOffer?
  {
    if let invitation = try invitations.find(token, now: now, in: reader) {
      return PairOffer(
        kind: .invitation(invitation), email: invitation.email, from: invitation.inviterName)
    }
    guard
      let (pending, number) = try registration.registrations.find(token, now: now, in: reader),
      pending.kind == .couple, let side = pending.side(number), side.person == nil
    else { return nil }
    let other = pending.sides.first { $0.number != number }?.person
    let name = try other.flatMap { try members.of($0, in: reader)?.name }
    return PairOffer(
      kind: .registration(pending, side: number), email: side.email,
      from: name ?? pending.coupleName)
  }

  func status(of offer: PairOffer) throws -> EmailAvailability {
    try database.read { try people.status(emailHash: people.hash(offer.email), in: $0) }
  }

  func isFor(_ viewer: Viewer, _ offer: PairOffer) throws -> Bool {
    try database.read { try people.has(viewer.id, emailHash: people.hash(offer.email), in: $0) }
  }

  // MARK: Accepting

  /// Accepts the offer as an existing member.
  func accept(_ token: Token, by viewer: Viewer, now: Instant) throws -> PairOutcome {
    try database.write { writer in
      guard let offer = try offer(token, now: now, in: writer) else { return .expired }
      guard
        try people.has(
          viewer.id, emailHash: people.hash(offer.email), in: writer)
      else { return .notYours }
      return try accept(offer, by: viewer.id, now: now, in: writer)
    }
  }

  /// Accepts the offer without an account: creates the member and the couple in one transaction.
  func join(
    _ token: Token, _ completion: RegistrationService.Completion, termsVersion: String,
    now: Instant
  ) throws -> (outcome: PairOutcome, person: ID<Person>?) {
    try database.write { writer in
      guard let offer = try offer(token, now: now, in: writer),
        case .invitation(let invitation) = offer.kind,
        try registration.isFree(offer.email, completion, in: writer)
      else { return (.expired, nil) }
      guard try members.of(invitation.inviter, in: writer)?.mayPair == true else {
        return (.inviterTaken, nil)
      }
      let person = ID<Person>(now: now)
      let member = NewMember(
        id: person, displayName: completion.displayName, email: offer.email,
        passwordHash: completion.passwordHash, identity: completion.identity,
        passkey: completion.passkey,
        language: completion.language, timeZone: completion.timeZone, termsVersion: termsVersion,
        couple: nil)
      try people.add(member, now: now, in: writer)
      return (try accept(offer, by: person, now: now, in: writer), person)
    }
  }

  private func accept(
    _ offer: PairOffer, by person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws -> PairOutcome {
    guard let own = try members.of(person, in: writer), own.mayPair else {
      return .alreadyInCouple
    }
    switch offer.kind {
    case .registration(let pending, let side):
      try removeFromCouple(person, now: now, in: writer)
      let isWaiting = try registration.admit(
        person, to: pending, side: side, now: now, in: writer)
      try PairStore.links.revokeAll(of: person, now: now, in: writer)
      let new = try current(person, in: writer)
      try notify(person, from: own.couple, to: new, in: writer)
      return isWaiting ? .waiting : .paired(try current(person, in: writer))
    case .invitation(let invitation):
      guard invitation.inviter != person else { return .notYours }
      guard let inviter = try members.of(invitation.inviter, in: writer), inviter.mayPair
      else { return .inviterTaken }
      let couple = try pair(
        (invitation.inviter, inviter), (person, own), now: now, in: writer)
      for one in [invitation.inviter, person] {
        try PairStore.links.revokeAll(of: one, now: now, in: writer)
      }
      return .paired(couple)
    }
  }

  /// Makes an active couple of two members who may pair. If they separated from each other
  /// recently, this undoes the separation, since both agreed to it. Otherwise it is a new couple,
  /// and earlier posts stay where they are.
  private func pair(
    _ first: (id: ID<Person>, is: Membership), _ second: (id: ID<Person>, is: Membership),
    now: Instant, in writer: WriteTransaction
  ) throws -> ID<Couple> {
    if let couple = first.is.couple, couple == second.is.couple,
      try parting.partings.find(of: first.id, now: now, in: writer) != nil,
      try parting.undo(couple, now: now, in: writer)
    {
      return couple
    }
    let couple = ID<Couple>(now: now)
    let name = CoupleNames.of(first.is.name, second.is.name)
    try couples.add(couple, name: name, anniversary: nil, status: .active, now: now, in: writer)
    for person in [first.id, second.id] { try removeFromCouple(person, now: now, in: writer) }
    for (index, person) in [first.id, second.id].enumerated() {
      guard try members.enter(couple, side: index + 1, person: person, now: now, in: writer)
      else { throw Problem.internalError }
    }
    for (person, membership) in [first, second] {
      try notify(person, from: membership.couple, to: couple, in: writer)
    }
    for person in [first.id, second.id] {
      let recipient = try people.recipient(person, language: parting.language, in: writer)
      guard let recipient else { continue }
      try accountMails.coupleIsActive(name, to: recipient, now: now, in: writer)
    }
    return couple
  }

  /// Removes a user from their couple of one or their frozen couple. A separation becomes final by
  /// that (docs/developer/product.md#who-may-post).
  private func removeFromCouple(_ person: ID<Person>, now: Instant, in writer: WriteTransaction)
    throws
  {
    if let current = try members.of(person, in: writer), current.status == .frozen,
      let couple = current.couple
    {
      try parting.finish(couple, now: now, in: writer)
    }
    try members.leave(person, now: now, in: writer)
  }

  /// Notifies every participant that a user is in another couple.
  private func notify(
    _ person: ID<Person>, from old: ID<Couple>?, to new: ID<Couple>, in writer: WriteTransaction
  ) throws {
    guard let old, old != new else { return }
    try BlockStore.carry(from: old, to: new, in: writer)
    for participant in participants() {
      try participant.changed(person, from: old, to: new, in: writer)
    }
  }

  private func current(_ person: ID<Person>, in writer: WriteTransaction) throws -> ID<Couple> {
    guard let couple = try members.of(person, in: writer)?.couple else {
      throw Problem.internalError
    }
    return couple
  }
}

/// The offer behind a link, and the address that it was sent to.
struct PairOffer {
  enum Kind {
    case invitation(PairInvitation)
    /// A registration of a couple that names the address of a member.
    case registration(PendingRegistration, side: Int)
  }

  let kind: Kind
  let email: String
  /// The inviter's name; for a registration that neither side has completed, the couple's name.
  let from: String
}

/// The result of accepting.
enum PairOutcome: Equatable {
  case paired(ID<Couple>)
  /// Joined, but the other partner has not completed yet.
  case waiting
  /// The link is used up, withdrawn or expired.
  case expired
  case notYours
  case alreadyInCouple
  case inviterTaken
}
