import Core
import Database
import Mail
import Secrets
import Templates

/// Queues the mails of registration, invitation, a new couple and password changes.
struct AccountMailer {
  private let queue: MailQueue
  private let baseURL: String
  private let verifyPartnerA: MailTemplate<AccountMail>
  private let verifyPartnerB: MailTemplate<AccountMail>
  private let verifyAlone: MailTemplate<AccountMail>
  private let pairInvitation: MailTemplate<AccountMail>
  private let alreadyInCouple: MailTemplate<AccountMail>
  private let alreadyRegistered: MailTemplate<AccountMail>
  private let coupleActive: MailTemplate<AccountMail>
  private let passwordReset: MailTemplate<AccountMail>
  private let passwordChanged: MailTemplate<AccountMail>

  init(templates: TemplateSet, queue: MailQueue, baseURL: String) throws {
    self.queue = queue
    self.baseURL = baseURL
    func template(_ name: String) throws -> MailTemplate<AccountMail> {
      try MailTemplate(name, templates: templates)
    }
    verifyPartnerA = try template("registration/verify-partner-a")
    verifyPartnerB = try template("registration/verify-partner-b")
    verifyAlone = try template("registration/verify-alone")
    pairInvitation = try template("registration/pair-invitation-existing")
    alreadyInCouple = try template("registration/already-in-couple")
    alreadyRegistered = try template("registration/already-registered")
    coupleActive = try template("registration/couple-active")
    passwordReset = try template("accounts/password-reset")
    passwordChanged = try template("accounts/password-changed")
  }

  /// Queues the mail for one side of a registration. The template depends on whether the address
  /// has an account; the registering user never learns which mail was sent.
  func register(
    _ registration: PendingRegistration, side: PendingRegistration.Side,
    status: EmailAvailability, link: Token?, now: Instant, in writer: WriteTransaction
  ) throws {
    let template: MailTemplate<AccountMail>
    switch (status, registration.kind) {
    case (.free, .couple): template = side.number == 1 ? verifyPartnerA : verifyPartnerB
    case (.free, .alone): template = verifyAlone
    case (_, .alone): template = alreadyRegistered
    case (.memberAlone, .couple): template = pairInvitation
    case (.memberInCouple, .couple): template = alreadyInCouple
    }
    let path = link.map {
      status == .free ? AccountLinks.verify($0.text) : AccountLinks.acceptPair($0.text)
    }
    try send(
      template, to: side.email, language: registration.language, path: path ?? AccountLinks.signIn,
      coupleName: registration.coupleName, name: registration.displayName, hours: 24,
      isOfGuest: registration.guest != nil, now: now, in: writer)
  }

  func coupleIsActive(
    _ coupleName: String, to member: Recipient, now: Instant, in writer: WriteTransaction
  ) throws {
    try send(
      coupleActive, to: member.address, language: member.language, path: "/",
      coupleName: coupleName, name: member.name, now: now, in: writer)
  }

  func reset(
    _ token: Token, to member: Recipient, now: Instant, in writer: WriteTransaction
  ) throws {
    try send(
      passwordReset, to: member.address, language: member.language,
      path: AccountLinks.confirmReset(token.text), name: member.name, hours: 1, now: now,
      in: writer)
  }

  func passwordWasChanged(to member: Recipient, now: Instant, in writer: WriteTransaction) throws {
    try send(
      passwordChanged, to: member.address, language: member.language, path: AccountLinks.reset,
      name: member.name, now: now, in: writer)
  }

  private func send(
    _ template: MailTemplate<AccountMail>, to address: String, language: Language, path: String,
    coupleName: String = "", name: String = "", hours: Int = 0, isOfGuest: Bool = false,
    now: Instant, in writer: WriteTransaction
  ) throws {
    let view = AccountMail(
      link: baseURL + path, baseURL: baseURL, coupleName: coupleName, name: name, hours: hours,
      isOfGuest: isOfGuest)
    try queue.add(template.written(view, in: language), to: address, now: now, in: writer)
  }
}

/// A member as the recipient of a mail.
struct Recipient {
  let address: String
  let name: String
  let language: Language
}

/// Template values of the mails of this module.
struct AccountMail: View {
  let link: String
  let baseURL: String
  let coupleName: String
  let name: String
  let hours: Int
  /// Whether a guest entered the address.
  var isOfGuest = false

  static let fields: [String: Field<AccountMail>] = [
    "link": .text { $0.link },
    "base_url": .text { $0.baseURL },
    "couple_name": .name { $0.coupleName },
    "name": .name { $0.name },
    "hours": .integer { $0.hours },
    "of_guest": .flag { $0.isOfGuest },
  ]
}
