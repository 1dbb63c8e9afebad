import Basics
import Database
import Mail
import Secrets
import Templates

/// The mails of this module.
struct AccountMails {
  private let queue: MailQueue
  private let baseURL: String
  private let verifyPartnerA: Letter<AccountLetter>
  private let verifyPartnerB: Letter<AccountLetter>
  private let verifyAlone: Letter<AccountLetter>
  private let pairInvitation: Letter<AccountLetter>
  private let alreadyInCouple: Letter<AccountLetter>
  private let alreadyRegistered: Letter<AccountLetter>
  private let coupleActive: Letter<AccountLetter>
  private let passwordReset: Letter<AccountLetter>
  private let passwordChanged: Letter<AccountLetter>

  init(templates: TemplateSet, queue: MailQueue, baseURL: String) throws {
    self.queue = queue
    self.baseURL = baseURL
    func letter(_ name: String) throws -> Letter<AccountLetter> {
      try Letter(name, templates: templates)
    }
    verifyPartnerA = try letter("verify-partner-a")
    verifyPartnerB = try letter("verify-partner-b")
    verifyAlone = try letter("verify-alone")
    pairInvitation = try letter("pair-invitation-existing")
    alreadyInCouple = try letter("already-in-couple")
    alreadyRegistered = try letter("already-registered")
    coupleActive = try letter("couple-active")
    passwordReset = try letter("password-reset")
    passwordChanged = try letter("password-changed")
  }

  /// The mail for one side of a registration, by what stands behind the address; whoever
  /// registered never learns which it was.
  func register(
    _ registration: PendingRegistration, side: PendingRegistration.Side,
    standing: AddressStanding, link: Token?, now: Instant, in writer: Writer
  ) throws {
    let letter: Letter<AccountLetter>
    switch (standing, registration.kind) {
    case (.free, .couple): letter = side.number == 1 ? verifyPartnerA : verifyPartnerB
    case (.free, .alone): letter = verifyAlone
    case (_, .alone): letter = alreadyRegistered
    case (.memberAlone, .couple): letter = pairInvitation
    case (.memberInCouple, .couple): letter = alreadyInCouple
    }
    let path = link.map {
      standing == .free ? AccountLinks.verify($0.text) : AccountLinks.acceptPair($0.text)
    }
    try send(
      letter, to: side.email, language: registration.language, path: path ?? AccountLinks.signIn,
      coupleName: registration.coupleName, name: registration.displayName, hours: 24,
      isOfGuest: registration.guest != nil, now: now, in: writer)
  }

  func coupleIsActive(
    _ coupleName: String, to member: Recipient, now: Instant, in writer: Writer
  ) throws {
    try send(
      coupleActive, to: member.address, language: member.language, path: "/",
      coupleName: coupleName, name: member.name, now: now, in: writer)
  }

  func reset(
    _ token: Token, to member: Recipient, now: Instant, in writer: Writer
  ) throws {
    try send(
      passwordReset, to: member.address, language: member.language,
      path: AccountLinks.confirmReset(token.text), name: member.name, hours: 1, now: now,
      in: writer)
  }

  func passwordWasChanged(to member: Recipient, now: Instant, in writer: Writer) throws {
    try send(
      passwordChanged, to: member.address, language: member.language, path: AccountLinks.reset,
      name: member.name, now: now, in: writer)
  }

  private func send(
    _ letter: Letter<AccountLetter>, to address: String, language: Language, path: String,
    coupleName: String = "", name: String = "", hours: Int = 0, isOfGuest: Bool = false,
    now: Instant, in writer: Writer
  ) throws {
    let view = AccountLetter(
      link: baseURL + path, baseURL: baseURL, coupleName: coupleName, name: name, hours: hours,
      isOfGuest: isOfGuest)
    try queue.add(letter.written(view, in: language), to: address, now: now, in: writer)
  }
}

/// A member as a letter addresses them.
struct Recipient {
  let address: String
  let name: String
  let language: Language
}

/// What stands in the mails of this module.
struct AccountLetter: View {
  let link: String
  let baseURL: String
  let coupleName: String
  let name: String
  let hours: Int
  /// Whether a guest entered the address.
  var isOfGuest = false

  static let fields: [String: Field<AccountLetter>] = [
    "link": .text { $0.link },
    "base_url": .text { $0.baseURL },
    "couple_name": .name { $0.coupleName },
    "name": .name { $0.name },
    "hours": .integer { $0.hours },
    "of_guest": .flag { $0.isOfGuest },
  ]
}
