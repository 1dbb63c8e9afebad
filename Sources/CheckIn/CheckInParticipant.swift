import Accounts
import Core
import Database
import Foundation

/// This module's part of a user's account.
struct CheckInParticipant: AccountParticipant {
  let services: CheckInEnvironment

  let tables =
    [
      "checkin_record", "checkin_timers", "notification_logs", "contact_mails", "contact_channels",
      "alerts",
      "emergency_contacts",
      "checkin_pauses", "checkin_settings", "check_ins",
    ].map { PersonalTable($0) } + [PersonalTable("watchman_changes", purge: .custom)]

  func endsWithAccount(
    _ person: ID<Person>, in reader: ReadTransaction
  ) throws -> [EndingWithAccount] {
    let count = try services.contacts.all(of: person, in: reader).count { $0.counts }
    return count > 0 ? [EndingWithAccount("account_deletion.ends_alerts", count: count)] : []
  }

  // MARK: Export

  func export(_ person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedFile] {
    let checkIns = try services.checkIns.all(
      of: person, from: LocalDay(number: 0), to: LocalDay(number: 1_000_000), in: reader
    ).map {
      ExportedCheckIn(
        day: $0.day.description, tappedAt: $0.tappedAt.rfc3339, timeZone: $0.timeZone,
        offline: $0.isOffline)
    }
    let contacts = try services.contacts.all(of: person, in: reader).map {
      ExportedContact($0, removedAt: nil)
    }
    let removed = try services.contacts.removed(
      of: person, since: Instant(milliseconds: 0), limit: 1_000, in: reader
    ).map { ExportedContact($0.contact, removedAt: $0.removedAt) }
    let alerts = try services.alerts.all(of: person, in: reader).map {
      ExportedAlert(
        at: $0.claimedAt.rfc3339, missedDays: $0.missedDays, reachedAt: $0.reachedAt?.rfc3339)
    }
    var files = [
      try ExportedFile(name: "check-ins.json", encoding: checkIns),
      try ExportedFile(name: "contacts.json", encoding: contacts + removed),
      try ExportedFile(name: "alerts.json", encoding: alerts),
      ExportedFile.inPieces(name: "check-in-record.json") {
        [record = services.record] reader, write in
        try ExportedRecordLine.write(write) {
          try record.lines(
            of: person, after: $0, limit: ExportedRecordLine.pageSize, in: reader)
        }
      },
    ]
    if let settings = try services.monitors.settings(of: person, in: reader) {
      let timer = try services.timers.find(of: person, in: reader)
      let exported = ExportedSettings(
        thresholdDays: settings.threshold, thresholdHours: settings.thresholdHours,
        alertTime: QuarterHour.text(settings.alertMinute),
        reminderTime: settings.reminderMinute.map(QuarterHour.text),
        contactLanguage: settings.contactLanguage.rawValue,
        contactPauseMinutes: settings.contactPause, note: settings.note,
        sheet: settings.sheet,
        pausedUntil: settings.pausedUntil?.description,
        timerEndsAt: timer?.endsAt.rfc3339, timerNote: timer?.note)
      files.append(
        try ExportedFile(name: "check-in-settings.json", encoding: exported))
    }
    return files
  }

  func exportedMedia(of person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedMedia]
  { [] }

  // MARK: Partners

  private var partners: PartnerContacts { PartnerContacts(services: services) }

  func addressChanged(
    _ person: ID<Person>, to address: String, now: Instant, in writer: WriteTransaction
  ) throws {
    try partners.addressChanged(person, to: address, now: now, in: writer)
  }

  func contactPath(
    _ person: ID<Person>, partner: ID<Person>, in reader: ReadTransaction
  ) throws -> String? {
    try partners.contacts(of: person, partner: partner, in: reader).isEmpty
      ? nil : CheckInLinks.contacts
  }

  func parted(
    _ person: ID<Person>, from partner: ID<Person>, _ choice: PartnerContactChoice, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try partners.parted(person, from: partner, choice, now: now, in: writer)
  }

  func reunited(_ person: ID<Person>, with partner: ID<Person>, in writer: WriteTransaction) throws
  {
    try partners.reunited(person, with: partner, in: writer)
  }

  // MARK: Leaving

  func left(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    try partners.left(person, now: now, in: writer)
    try recallAll(of: person, in: writer)
    try services.monitors.scheduleNext(at: nil, person, in: writer)
  }

  func returned(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    try partners.returned(person, now: now, in: writer)
    guard let card = try services.people.card(person, in: writer) else { return }
    try services.monitors.countFrom(
      LocalDay(now, in: services.zone(of: card)), of: person, in: writer)
    try moved(person, now: now, in: writer)
  }

  func moved(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    try MonitorService(services: services).reschedule(person, now: now, in: writer)
  }

  func purge(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws -> [String] {
    try recallAll(of: person, in: writer)
    try partners.purge(person, now: now, in: writer)
    try tables.purge(person, in: writer)
    return []
  }

  private func recallAll(of person: ID<Person>, in writer: WriteTransaction) throws {
    try services.queue.cancel(
      try services.alerts.recall(of: person, all: true, in: writer), in: writer)
  }

  func merge(
    guest: ID<Person>, into member: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    try CheckInMerge(services: services).merge(guest: guest, into: member, now: now, in: writer)
  }

  func signOut(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // Monitoring continues: a user who signs out on one phone may tap on another.
  }
}

private struct ExportedCheckIn: Encodable {
  let day: String
  let tappedAt: String
  let timeZone: String
  let offline: Bool
}

private struct ExportedContact: Encodable {
  let name: String
  let email: String?
  let state: String
  let removedAt: String?

  init(_ contact: Contact, removedAt: Instant?) {
    name = contact.name
    email = contact.shownEmail
    state = contact.state.rawValue
    self.removedAt = removedAt?.rfc3339
  }
}

private struct ExportedAlert: Encodable {
  let at: String
  let missedDays: Int
  let reachedAt: String?
}

private struct ExportedSettings: Encodable {
  let thresholdDays: Int
  let thresholdHours: Int?
  let alertTime: String
  let reminderTime: String?
  let contactLanguage: String
  let contactPauseMinutes: Int?
  let note: String
  let sheet: String
  let pausedUntil: String?
  let timerEndsAt: String?
  let timerNote: String?
}
