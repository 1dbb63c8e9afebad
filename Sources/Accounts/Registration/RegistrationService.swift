import Core
import Database
import Secrets
import Web

/// Registration, from the first form until both partners have completed. For pages and API.
struct RegistrationService {
  static let perAddress = RateLimit("register", maximum: 5, window: .hours(1))
  static let resends = RateLimit("register-resend", maximum: 3, window: .hours(1))
  static let newLinks = RateLimit("register-new-link", maximum: 10, window: .hours(1))

  let database: Database
  let registrations: RegistrationStore
  let people: PersonStore
  let couples: CoupleStore
  let guests: GuestStore
  let members: MembershipStore
  let identities: ProviderIdentityStore
  let passkeys: PasskeyStore
  let mails: AccountMailer
  let limits: RateLimitStore

  /// Stores a registration and queues its mails, in one transaction. Whether an address has an
  /// account changes only the mail.
  func begin(_ registration: PendingRegistration, now: Instant) throws {
    try database.write { writer in
      try registrations.add(registration, now: now, in: writer)
      for side in registration.sides {
        try sendLink(registration, side: side, now: now, in: writer)
      }
    }
  }

  /// Begins a registration whose first address a provider has verified, and completes that side;
  /// the other one gets its mail. Nil as for `complete`.
  func begin(
    _ registration: PendingRegistration, completing completion: Completion, now: Instant
  ) throws -> Completed? {
    try database.write { writer in
      guard let first = registration.sides.first, try isFree(first.email, completion, in: writer)
      else { return nil }
      try registrations.add(registration, now: now, in: writer)
      let made = try complete(registration, first, completion, now: now, in: writer)
      for side in registration.sides.dropFirst() {
        try sendLink(registration, side: side, now: now, in: writer)
      }
      return made
    }
  }

  /// Sends the mails again, for one side or for all that have not completed; 3 an hour for each
  /// registration.
  func resend(
    _ registration: PendingRegistration, only number: Int? = nil, now: Instant
  ) throws {
    try database.write { writer in
      if let wait = try limits.add(
        Self.resends, registration.id.description, now: now, in: writer)
      {
        throw Problem.tooMany(retryAfter: wait)
      }
      for side in registration.sides
      where side.person == nil && (number == nil || side.number == number) {
        try sendLink(registration, side: side, now: now, in: writer)
      }
    }
  }

  func resendsLeft(_ registration: PendingRegistration, now: Instant) throws -> Int {
    try limits.left(Self.resends, registration.id.description, now: now)
  }

  /// Sends a new link to an address for which a registration waits, within the limits of mails to
  /// it. Otherwise does nothing, so that the response tells nothing about the address. Throws 429
  /// for a browser that asks too often.
  func sendNewLink(to email: String, from address: String, now: Instant) throws {
    try limits.count(Self.newLinks, address, now: now)
    try database.write { writer in
      guard let found = try registrations.waiting(for: email, now: now, in: writer),
        let side = found.registration.side(found.side)
      else { return }
      try sendLink(found.registration, side: side, now: now, in: writer)
    }
  }

  /// Changes the partner's address, at the request of the partner who has completed.
  func correct(
    _ registration: PendingRegistration, side: Int, email: String, now: Instant
  ) throws {
    try database.write { writer in
      if let wait = try limits.add(
        Self.resends, registration.id.description, now: now, in: writer)
      {
        throw Problem.tooMany(retryAfter: wait)
      }
      try registrations.correct(email, of: registration.id, side: side, now: now, in: writer)
      guard let corrected = try registrations.load(registration.id, in: writer),
        let side = corrected.side(side)
      else { return }
      try sendLink(corrected, side: side, now: now, in: writer)
    }
  }

  private func sendLink(
    _ registration: PendingRegistration, side: PendingRegistration.Side, now: Instant,
    in writer: WriteTransaction
  ) throws {
    let wait = try RecipientLimits(limits).add(
      .registration, to: side.email, now: now, in: writer)
    guard wait == nil else { return }
    let status = try people.status(emailHash: people.hash(side.email), in: writer)
    let hasLink =
      status == .free || (status == .memberAlone && registration.kind == .couple)
    let link =
      hasLink
      ? try registrations.makeLink(registration.id, side: side.number, now: now, in: writer) : nil
    try mails.register(
      registration, side: side, status: status, link: link, now: now, in: writer)
  }

  // MARK: Completing

  /// The choices of a user who followed their link.
  struct Completion {
    let displayName: String
    /// Nil for a member who signs in with a provider or a passkey.
    let passwordHash: String?
    /// The account with a provider that is linked to the member.
    var identity: ProviderSubject? = nil
    var passkey: NewPasskey? = nil
    let language: Language
    let timeZone: String?
    /// Whether the guest who registered completes it, so that the guest's data is kept. Otherwise
    /// another person may have entered the address: the data stays with the guest, and the member
    /// starts empty.
    var isByGuest = false
    /// The version of the terms accepted just now; nil keeps that of the registration.
    var termsVersion: String? = nil
  }

  /// A proof that an address belongs to the user.
  enum Proof {
    /// The token of the mailed link.
    case link(Token)
    /// The token that an app received for that link.
    case completion(Token)
  }

  /// The registration and side of a valid proof.
  func find(
    _ proof: Proof, now: Instant, in reader: ReadTransaction
  ) throws -> (registration: PendingRegistration, side: Int)? {
    switch proof {
    case .link(let token): try registrations.find(token, now: now, in: reader)
    case .completion(let token): try registrations.find(completion: token, now: now, in: reader)
    }
  }

  typealias Completed = (person: ID<Person>, isWaiting: Bool)

  /// Creates the member of one side, and activates the couple if it was the second; nil if the link
  /// has been used, the address has an account by now, or the provider's account or the passkey
  /// belongs to another member.
  func complete(_ proof: Proof, _ completion: Completion, now: Instant) throws -> Completed? {
    try database.write { writer in
      guard let (registration, number) = try find(proof, now: now, in: writer),
        let side = registration.side(number), side.person == nil,
        try isFree(side.email, completion, in: writer)
      else { return nil }
      return try complete(registration, side, completion, now: now, in: writer)
    }
  }

  /// Whether neither the address, nor the provider's account, nor the passkey belongs to a member.
  func isFree(
    _ email: String, _ completion: Completion, in reader: ReadTransaction
  ) throws -> Bool {
    if let identity = completion.identity, try identities.member(identity, in: reader) != nil {
      return false
    }
    if let passkey = completion.passkey,
      try passkeys.find(credential: passkey.record.id, in: reader) != nil
    {
      return false
    }
    return try people.status(emailHash: people.hash(email), in: reader) == .free
  }

  private func complete(
    _ registration: PendingRegistration, _ side: PendingRegistration.Side,
    _ completion: Completion, now: Instant, in writer: WriteTransaction
  ) throws -> Completed {
    let number = side.number
    if completion.isByGuest,
      let guest = try promoted(registration, completion, email: side.email, in: writer)
    {
      try registrations.complete(
        registration.id, side: number, by: guest, now: now, in: writer)
      return (guest, false)
    }
    let person = registrations.person(registration.id, side: number)
    let couple = try coupleToJoin(registration, now: now, in: writer)
    let member = NewMember(
      id: person, displayName: completion.displayName, email: side.email,
      passwordHash: completion.passwordHash, identity: completion.identity,
      passkey: completion.passkey,
      language: completion.language, timeZone: completion.timeZone,
      termsVersion: completion.termsVersion ?? registration.termsVersion,
      couple: couple.map { ($0, number) })
    try people.add(member, now: now, in: writer)
    try registrations.complete(
      registration.id, side: number, by: person, now: now, in: writer)
    guard let couple else { return (person, false) }
    try couples.join(couple, person: person, now: now, in: writer)
    return (
      person,
      try isWaiting(person, in: couple, registration, side: number, now: now, in: writer)
    )
  }

  /// The guest who registered, promoted to a member; nil if no guest did, or the guest is gone.
  private func promoted(
    _ registration: PendingRegistration, _ completion: Completion, email: String,
    in writer: WriteTransaction
  ) throws -> ID<Person>? {
    guard let guest = registration.guest else { return nil }
    let member = NewMember(
      id: guest, displayName: completion.displayName, email: email,
      passwordHash: completion.passwordHash, language: completion.language,
      timeZone: completion.timeZone,
      termsVersion: completion.termsVersion ?? registration.termsVersion, couple: nil)
    return try people.promote(guest, to: member, through: guests, in: writer) ? guest : nil
  }

  /// Adds a member without a couple to a registered couple that names their address; returns
  /// whether the other side has not completed yet.
  func admit(
    _ person: ID<Person>, to registration: PendingRegistration, side number: Int, now: Instant,
    in writer: WriteTransaction
  ) throws -> Bool {
    guard let couple = try coupleToJoin(registration, now: now, in: writer),
      try members.enter(couple, side: number, person: person, now: now, in: writer)
    else { throw Problem.internalError }
    try registrations.complete(
      registration.id, side: number, by: person, now: now, in: writer)
    return try isWaiting(person, in: couple, registration, side: number, now: now, in: writer)
  }

  /// Activates the couple if this was its second side; otherwise the first one waits.
  private func isWaiting(
    _ person: ID<Person>, in couple: ID<Couple>, _ registration: PendingRegistration,
    side number: Int, now: Instant, in writer: WriteTransaction
  ) throws -> Bool {
    let other = registration.sides.first { $0.number != number }
    guard let partner = other?.person else { return true }
    try couples.activate(couple, in: writer)
    try notifyBoth(registration, [person, partner], now: now, in: writer)
    return false
  }

  /// The couple of a registration, created when the first side completes.
  private func coupleToJoin(
    _ registration: PendingRegistration, now: Instant, in writer: WriteTransaction
  ) throws -> ID<Couple>? {
    guard registration.kind == .couple else { return nil }
    if let couple = registration.couple { return couple }
    let couple = registration.futureCouple
    try couples.add(
      couple, name: registration.coupleName, anniversary: registration.anniversary,
      status: .pending, now: now, in: writer)
    try registrations.setCouple(couple, of: registration.id, in: writer)
    return couple
  }

  private func notifyBoth(
    _ registration: PendingRegistration, _ members: [ID<Person>], now: Instant,
    in writer: WriteTransaction
  ) throws {
    for member in members {
      let recipient = try people.recipient(member, language: registration.language, in: writer)
      guard let recipient else { continue }
      try mails.coupleIsActive(registration.coupleName, to: recipient, now: now, in: writer)
    }
  }
}
