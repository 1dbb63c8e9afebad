import Accounts
import Core
import Database
import Foundation
import Jobs
import Mail
import Web

/// Adds, introduces and removes contacts, and performs their requests.
struct ContactService {
  /// The kind of the introduction jobs.
  static let introduction = "checkin.introduce"
  /// The number of contacts that a user may add per day, since each receives mail.
  static let added = RateLimit("contacts", maximum: 20, window: .days(1))
  /// The interval of the weekly mail, in s.
  static let week: Int64 = .days(7)

  /// Why an address cannot be a contact.
  enum Rejection: Error {
    case tooMany
    case already
    /// A user who is their own contact would be notified of their own silence.
    case own
  }

  /// The maximum length of a contact's name, in characters.
  static let nameLimits = FieldLimits(characters: 50)
  /// For how long mails are shown, in s.
  static let shownMailAge: Int64 = .days(365)

  let services: CheckInEnvironment

  // MARK: Reading

  /// A user's contacts in their order, each with the state of their mails, newest first.
  func all(
    of person: ID<Person>, now: Instant, in reader: ReadTransaction
  ) throws -> [(contact: Contact, mails: [ContactMail])] {
    let mails = try services.alerts.mails(
      of: person, since: now.adding(seconds: -Self.shownMailAge), in: reader)
    return try services.contacts.all(of: person, in: reader).map { ($0, mails[$0.id] ?? []) }
  }

  // MARK: Actions of the user

  /// A name in one line; optional, "" is no name.
  static func name(_ entered: String, _ errors: inout [String: FieldError]) -> String {
    let name = entered.asOneLine
    if !nameLimits.allow(name) { errors["name"] = FieldError("error.contact_name_long") }
    return name
  }

  /// Adds a contact after the others and queues the introduction. Throws `Rejection`.
  @discardableResult
  func add(
    to card: UserSummary, name: String, email: String, account: ID<Person>? = nil, now: Instant,
    in writer: WriteTransaction
  ) throws -> ID<Contact> {
    guard email != card.address else { throw Rejection.own }
    let others = try services.contacts.all(of: card.id, in: writer)
    guard !others.contains(where: { $0.email == email }) else { throw Rejection.already }
    guard others.count < Contact.maximumCount else { throw Rejection.tooMany }
    if let wait = try services.limits.add(
      Self.added, card.id.description, now: now, in: writer)
    {
      throw Problem.tooMany(retryAfter: wait)
    }
    try services.monitors.begin(card.id, language: services.language(of: card), in: writer)
    let id = ID<Contact>(now: now)
    try services.contacts.add(
      id, of: card.id, name: name, email: email, account: account, now: now, in: writer)
    if try !services.contacts.hasRefused(email, in: writer) {
      try introduce(id, now: now, in: writer)
      if let account {
        try services.observer.chosen(
          account, by: card.id, path: CheckInLinks.asContact(id), now: now, in: writer)
      }
      try countFromToday(card, now: now, in: writer)
    }
    try somethingChanged(card.id, now: now, in: writer)
    return id
  }

  /// Changes a contact's name or address; returns the ID, which is new for a new address. Throws
  /// `Rejection`.
  @discardableResult
  func change(
    _ contact: Contact, of card: UserSummary, name: String, email: String, now: Instant,
    in writer: WriteTransaction
  ) throws -> ID<Contact> {
    guard email != card.address else { throw Rejection.own }
    guard email != contact.email else {
      // A partner's address must not become their name.
      let own = try contact.account.flatMap {
        try services.people.card($0, in: writer)?.name
      }
      try services.contacts.rename(contact.id, to: name.isEmpty ? own ?? "" : name, in: writer)
      return contact.id
    }
    let before = try services.contacts.all(of: card.id, in: writer).map(\.id)
    guard
      try !services.contacts.all(of: card.id, in: writer).contains(where: {
        $0.email == email
      })
    else { throw Rejection.already }
    // Another address is another contact: introduced again, with new links.
    try takeOut(contact, now: now, in: writer)
    let id = try add(to: card, name: name, email: email, now: now, in: writer)
    try services.contacts.order(
      before.map { $0 == contact.id ? id : $0 }, of: card.id, in: writer)
    return id
  }

  /// Keeps a former partner as a contact, who sees the note again.
  func confirm(_ contact: Contact, in writer: WriteTransaction) throws {
    try services.contacts.setAccount(
      contact.account, confirmationRequestedAt: nil, of: contact.id, in: writer)
  }

  /// Retries an address whose mail bounced.
  func introduceAgain(_ contact: Contact, now: Instant, in writer: WriteTransaction) throws {
    guard contact.state == .bouncing else { return }
    try services.contacts.setState(.pending, of: contact.id, in: writer)
    try introduce(contact.id, now: now, in: writer)
    try somethingChanged(contact.person, now: now, in: writer)
  }

  // MARK: Actions of a contact

  /// Refuses mail for this address from all users of the instance.
  func stop(_ contact: Contact, now: Instant, in writer: WriteTransaction) throws {
    for hash in services.site.keys.lookupHashes(contact.email) {
      try services.queue.cancel(
        try services.alerts.recall(emailHash: hash, in: writer), in: writer)
    }
    for person in try services.contacts.refuse(contact.email, now: now, in: writer) {
      try somethingChanged(person, now: now, in: writer)
    }
  }

  /// Withdraws the refusal of mail.
  func again(_ contact: Contact, now: Instant, in writer: WriteTransaction) throws {
    let accepted = try services.contacts.accept(contact.email, in: writer)
    for one in accepted where one.state == .pending {
      try introduce(one.contact, now: now, in: writer)
    }
    for person in Set(accepted.map(\.person)) {
      let hasContact = try services.contacts.all(of: person, in: writer).contains(where: \.counts)
      if hasContact, let card = try services.people.card(person, in: writer) {
        try countFromToday(card, now: now, in: writer)
      }
      try somethingChanged(person, now: now, in: writer)
    }
  }

  func setWeekly(_ isOn: Bool, for contact: Contact, now: Instant, in writer: WriteTransaction)
    throws
  {
    try services.contacts.setWeekly(
      isOn ? contact.weeklyAt ?? now.adding(seconds: Self.week) : nil, of: contact.id, in: writer)
  }

  // MARK: Jobs

  /// Introduces a contact; tomorrow if the address has reached its daily limit of mails.
  func introduce(_ job: Job, now: Instant) throws -> JobOutcome {
    guard let id = ID<Contact>(job.payload) else { return .done }
    return try services.site.database.write { writer in
      guard let contact = try services.contacts.find(id, in: writer),
        contact.state == .pending,
        try !services.contacts.isRemoved(id, in: writer),
        let card = try services.people.card(contact.person, in: writer),
        let monitor = try services.monitor(over: card, now: now, in: writer)
      else { return .done }
      if let wait = try RecipientLimits(services.limits).add(
        .introduction, to: contact.email, now: now, in: writer)
      {
        return .again(at: now.adding(seconds: Int64(wait)))
      }
      // In the same transaction as the queued mail: a worker that dies afterwards leaves no job
      // that queues another one.
      guard try JobStore.end(job, in: writer) else { return .done }
      let content = services.mailer.introduction(
        services.model(card, monitor, to: contact, now: now),
        in: try contactLanguage(of: card, in: writer))
      let mail = try services.queue.add(content, to: contact.email, now: now, in: writer)
      try services.alerts.note(
        mail, .introduction, to: id, of: card.id, now: now, in: writer)
      return .done
    }
  }

  /// Sends the weekly mails that are due, but none about a silence that has an alert.
  func sendWeekly(limit: Int, now: Instant) throws -> Int {
    try services.site.database.write { writer in
      let due = try services.contacts.dueWeekly(now: now, limit: limit, in: writer)
      for contact in due {
        try services.contacts.setWeekly(
          now.adding(seconds: Self.week), of: contact.id, in: writer)
        guard contact.receivesMail,
          let card = try services.people.card(contact.person, in: writer),
          let monitor = try services.monitor(over: card, now: now, in: writer),
          monitor.lastDay != nil,
          monitor.isBelowThreshold(now)
        else { continue }
        try writeWeekly(to: contact, card, monitor, now: now, in: writer)
      }
      return due.count
    }
  }

  // MARK: Parts

  private func writeWeekly(
    to contact: Contact, _ card: UserSummary, _ monitor: CheckInMonitor, now: Instant,
    in writer: WriteTransaction
  ) throws {
    let today = monitor.today(now)
    var model = services.model(card, monitor, to: contact, now: now)
    model.daysOfWeek = try services.checkIns.all(
      of: card.id, from: today.adding(days: -6), to: today, in: writer
    ).count
    let content = services.mailer.weekly(
      model, in: try contactLanguage(of: card, in: writer))
    let mail = try services.queue.add(content, to: contact.email, now: now, in: writer)
    try services.alerts.note(mail, .weekly, to: contact.id, of: card.id, now: now, in: writer)
  }

  private func introduce(_ id: ID<Contact>, now: Instant, in writer: WriteTransaction) throws {
    try Self.introduce(id, now: now, in: writer)
  }

  /// Queues the introduction of a contact; the job checks whether it is still needed.
  static func introduce(_ id: ID<Contact>, now: Instant, in writer: WriteTransaction) throws {
    try JobStore.add(
      introduction, payload: id.description, uniqueKey: "introduce:\(id)", runAt: now,
      now: now, in: writer)
  }

  /// Excludes the days before the first reachable contact from the count.
  func countFromToday(_ card: UserSummary, now: Instant, in writer: WriteTransaction) throws {
    guard try !services.monitors.hasCountedFrom(card.id, in: writer) else { return }
    try services.monitors.countFrom(
      LocalDay(now, in: services.zone(of: card)), of: card.id, in: writer)
  }

  func somethingChanged(
    _ person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    try EscalationService(services: services).advance(person, now: now, in: writer)
    try MonitorService(services: services).reschedule(person, now: now, in: writer)
  }

  private func contactLanguage(of card: UserSummary, in reader: ReadTransaction) throws -> Language
  {
    try services.monitors.settings(of: card.id, in: reader)?.contactLanguage
      ?? services.language(of: card)
  }
}
