import Accounts
import Core
import Database
import Foundation
import Jobs
import Mail
import Web

/// Adds, introduces and takes away contacts, and does what they ask for.
struct ContactService {
  /// The kind of the jobs that introduce.
  static let introduction = "checkin.introduce"
  /// Contacts that one person adds, since each is written to.
  static let added = RateLimit("contacts", most: 20, window: .days(1))
  /// Seconds from one weekly line to the next.
  static let week: Int64 = .days(7)

  /// Why somebody can't be a contact.
  enum Rejection: Error {
    case tooMany
    case already
    /// A person who is their own contact would be told that they went quiet.
    case own
  }

  /// Characters of a contact's name.
  static let longestName = FieldLimits(characters: 50)
  /// How far back mails are shown, in s.
  static let mailsShown: Int64 = .days(365)

  let services: CheckInEnvironment

  // MARK: What a person sees

  /// Somebody's contacts in their order, each with what became of their mails, newest first.
  func all(
    of person: ID<Person>, now: Instant, in reader: ReadTransaction
  ) throws -> [(contact: Contact, mails: [ContactMail])] {
    let mails = try services.alerts.mails(
      of: person, since: now.adding(seconds: -Self.mailsShown), in: reader)
    return try services.contacts.all(of: person, in: reader).map { ($0, mails[$0.id] ?? []) }
  }

  // MARK: What a person does

  /// One line, optional, so that "" is nobody's name.
  static func name(_ typed: String, _ errors: inout [String: FieldError]) -> String {
    let name = typed.asOneLine
    if !longestName.allow(name) { errors["name"] = FieldError("error.contact_name_long") }
    return name
  }

  /// Adds a contact behind the others and sets about introducing them. Throws `Rejection`.
  @discardableResult
  func add(
    to card: UserSummary, name: String, email: String, account: ID<Person>? = nil, now: Instant,
    in writer: WriteTransaction
  ) throws -> ID<Contact> {
    guard email != card.address else { throw Rejection.own }
    let others = try services.contacts.all(of: card.id, in: writer.reader)
    guard !others.contains(where: { $0.email == email }) else { throw Rejection.already }
    guard others.count < Contact.most else { throw Rejection.tooMany }
    if let wait = try services.limits.add(
      Self.added, card.id.description, now: now, in: writer)
    {
      throw Problem.tooMany(retryAfter: wait)
    }
    try services.monitors.begin(card.id, language: services.language(of: card), in: writer)
    let id = ID<Contact>(now: now)
    try services.contacts.add(
      id, of: card.id, name: name, email: email, account: account, now: now, in: writer)
    if try !services.contacts.hasRefused(email, in: writer.reader) {
      try introduce(id, now: now, in: writer)
      try countFromToday(card, now: now, in: writer)
    }
    try somethingChanged(card.id, now: now, in: writer)
    return id
  }

  /// Another address for a contact, or another name alone; answers who they are then. Throws
  /// `Rejection`.
  @discardableResult
  func change(
    _ contact: Contact, of card: UserSummary, name: String, email: String, now: Instant,
    in writer: WriteTransaction
  ) throws -> ID<Contact> {
    guard email != card.address else { throw Rejection.own }
    guard email != contact.email else {
      // A partner's address doesn't stand in for their name.
      let own = try contact.account.flatMap {
        try services.people.card($0, in: writer.reader)?.name
      }
      try services.contacts.rename(contact.id, to: name.isEmpty ? own ?? "" : name, in: writer)
      return contact.id
    }
    let before = try services.contacts.all(of: card.id, in: writer.reader).map(\.id)
    guard
      try !services.contacts.all(of: card.id, in: writer.reader).contains(where: {
        $0.email == email
      })
    else { throw Rejection.already }
    // Whoever has another address is somebody else: introduced anew, with links of their own.
    try services.contacts.remove(contact.id, now: now, in: writer)
    let id = try add(to: card, name: name, email: email, now: now, in: writer)
    try services.contacts.order(
      before.map { $0 == contact.id ? id : $0 }, of: card.id, in: writer)
    return id
  }

  /// A former partner stays a contact and sees the note again.
  func confirm(_ contact: Contact, in writer: WriteTransaction) throws {
    try services.contacts.setAccount(
      contact.account, askedSince: nil, of: contact.id, in: writer)
  }

  func remove(_ contact: Contact, now: Instant, in writer: WriteTransaction) throws {
    try services.contacts.remove(contact.id, now: now, in: writer)
    try somethingChanged(contact.person, now: now, in: writer)
  }

  /// Tries an address again whose mail came back.
  func introduceAgain(_ contact: Contact, now: Instant, in writer: WriteTransaction) throws {
    guard contact.state == .bouncing else { return }
    try services.contacts.setState(.pending, of: contact.id, in: writer)
    try introduce(contact.id, now: now, in: writer)
    try somethingChanged(contact.person, now: now, in: writer)
  }

  // MARK: What a contact does

  /// "Don't write to me": holds for everybody here.
  func stop(_ contact: Contact, now: Instant, in writer: WriteTransaction) throws {
    for hash in services.site.keys.lookupHashes(contact.email) {
      try services.queue.cancel(
        try services.alerts.recall(emailHash: hash, in: writer), in: writer)
    }
    for person in try services.contacts.refuse(contact.email, now: now, in: writer) {
      try somethingChanged(person, now: now, in: writer)
    }
  }

  /// "Write to me again".
  func again(_ contact: Contact, now: Instant, in writer: WriteTransaction) throws {
    let accepted = try services.contacts.accept(contact.email, in: writer)
    for one in accepted where one.state == .pending {
      try introduce(one.contact, now: now, in: writer)
    }
    for person in Set(accepted.map(\.person)) {
      if let card = try services.people.card(person, in: writer.reader) {
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

  // MARK: What the worker does

  /// Introduces a contact, tomorrow if their address has had enough of it for today.
  func introduce(_ job: Job, now: Instant) throws -> JobOutcome {
    guard let id = ID<Contact>(job.payload) else { return .done }
    return try services.site.database.write { writer in
      guard let contact = try services.contacts.find(id, in: writer.reader),
        contact.state == .pending,
        try !services.contacts.isRemoved(id, in: writer.reader),
        let card = try services.people.card(contact.person, in: writer.reader),
        let monitor = try services.monitor(over: card, now: now, in: writer.reader)
      else { return .done }
      if let wait = try RecipientLimits(services.limits).add(
        .introduction, to: contact.email, now: now, in: writer)
      {
        return .again(at: now.adding(seconds: Int64(wait)))
      }
      // With the mail that it queues: a worker that dies afterwards leaves no job to queue another.
      guard try JobStore.end(job, in: writer) else { return .done }
      let content = services.mailer.introduction(
        services.facts(card, monitor, to: contact, now: now),
        in: try contactLanguage(of: card, in: writer.reader))
      let mail = try services.queue.add(content, to: contact.email, now: now, in: writer)
      try services.alerts.note(
        mail, .introduction, to: id, of: card.id, now: now, in: writer)
      return .done
    }
  }

  /// Writes the weekly lines that are due; nothing of a silence that an alert is for.
  func sendWeekly(limit: Int, now: Instant) throws -> Int {
    try services.site.database.write { writer in
      let due = try services.contacts.dueWeekly(now: now, limit: limit, in: writer.reader)
      for contact in due {
        try services.contacts.setWeekly(
          now.adding(seconds: Self.week), of: contact.id, in: writer)
        guard contact.counts,
          let card = try services.people.card(contact.person, in: writer.reader),
          let monitor = try services.monitor(over: card, now: now, in: writer.reader),
          monitor.lastDay != nil,
          monitor.missedDays(now) < monitor.threshold
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
    var facts = services.facts(card, monitor, to: contact, now: now)
    facts.daysOfWeek = try services.checkIns.all(
      of: card.id, from: today.adding(days: -6), to: today, in: writer.reader
    ).count
    let content = services.mailer.weekly(
      facts, in: try contactLanguage(of: card, in: writer.reader))
    let mail = try services.queue.add(content, to: contact.email, now: now, in: writer)
    try services.alerts.note(mail, .weekly, to: contact.id, of: card.id, now: now, in: writer)
  }

  private func introduce(_ id: ID<Contact>, now: Instant, in writer: WriteTransaction) throws {
    try Self.introduce(id, now: now, in: writer)
  }

  /// Sets about introducing somebody; whether they are to be is looked at then.
  static func introduce(_ id: ID<Contact>, now: Instant, in writer: WriteTransaction) throws {
    try JobStore.add(
      introduction, payload: id.description, uniqueKey: "introduce:\(id)", runAt: now,
      now: now, in: writer)
  }

  /// Days before there first was somebody to tell are not counted.
  private func countFromToday(_ card: UserSummary, now: Instant, in writer: WriteTransaction) throws
  {
    guard try !services.monitors.hasCountedFrom(card.id, in: writer.reader) else { return }
    try services.monitors.countFrom(
      LocalDay(now, in: services.zone(of: card)), of: card.id, in: writer)
  }

  private func somethingChanged(
    _ person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    try AlertService(services: services).notifyNewContacts(person, now: now, in: writer)
    try MonitorService(services: services).reschedule(person, now: now, in: writer)
  }

  private func contactLanguage(of card: UserSummary, in reader: ReadTransaction) throws -> Language
  {
    try services.monitors.settings(of: card.id, in: reader)?.contactLanguage
      ?? services.language(of: card)
  }
}
