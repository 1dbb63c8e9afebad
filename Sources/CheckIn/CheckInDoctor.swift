import Core
import Database
import Mail
import Secrets
import Web

/// Invariants of this module's tables.
struct CheckInDoctor: Sendable {
  let services: CheckInEnvironment

  var checks: [DoctorCheck] {
    [
      Self.nobodyIsForgotten, Self.lastDaysAreRight, alertsAreOnTheirWay, channelsAreOffered,
      recordsAreWhole,
      everythingOpens,
    ]
  }

  // MARK: Scheduling

  /// A user with a check-in and a reachable contact that no scan would ever evaluate.
  private static let nobodyIsForgotten = DoctorCheck(
    "every user who checks in is scheduled",
    find: { try people(forgotten, $0).map { "user \($0) is not scheduled for the scan" } },
    repairInSteps: { database in
      let all = try database.read { try people(forgotten, $0) }
      try database.writeInBatches(all) { person, writer in
        // Unless the user was scheduled in the meantime.
        try writer.execute(
          "UPDATE checkin_settings SET next_at = 0 WHERE user_id = \(person) AND next_at IS NULL")
      }
    })

  private static let forgotten: Query =
    """
    SELECT s.user_id FROM checkin_settings s JOIN people_seen p ON p.id = s.user_id
    WHERE s.next_at IS NULL AND s.last_day IS NOT NULL
      AND EXISTS (SELECT 1 FROM emergency_contacts c WHERE c.user_id = s.user_id
        AND c.removed_at IS NULL AND (c.state IN ('pending', 'introduced')
          OR c.state = 'bouncing' AND EXISTS (SELECT 1 FROM contact_channels h
            WHERE h.contact_id = c.id AND h.proven_at IS NOT NULL AND h.removed_at IS NULL)))
      AND NOT EXISTS (SELECT 1 FROM alerts a
        WHERE a.user_id = s.user_id AND a.ended_at IS NULL AND a.timer_id IS NULL)
    """

  private static let lastDaysAreRight = DoctorCheck(
    "last check-ins are correct",
    find: { try people(wrongDays, $0).map { "user \($0)" } },
    repairInSteps: { database in
      let all = try database.read { try people(wrongDays, $0) }
      try database.writeInBatches(all) { person, writer in
        try writer.execute(
          """
          UPDATE checkin_settings SET next_at = 0, last_day = coalesce(
            (SELECT max(c.day) FROM check_ins c WHERE c.user_id = checkin_settings.user_id),
            last_day)
          WHERE user_id = \(person)
          """)
      }
    })

  private static let wrongDays: Query = """
    SELECT s.user_id FROM checkin_settings s
    WHERE coalesce(s.last_day, -1) <> coalesce(
      (SELECT max(c.day) FROM check_ins c WHERE c.user_id = s.user_id), s.last_day, -1)
    """

  private static func people(_ query: Query, _ reader: ReadTransaction) throws -> [ID<Person>] {
    try reader.values(query)
  }

  // MARK: Alerts

  /// An alert recorded as queued whose mail is not in the queue: its contact would never be
  /// notified.
  private var alertsAreOnTheirWay: DoctorCheck {
    DoctorCheck(
      "every queued alert has a mail",
      find: { try lost(in: $0).map { "the mail \($0) of an alert is missing" } },
      repair: { writer in
        let fate = CheckInDeliveryObserver(services: services)
        for mail in try lost(in: writer) {
          // Handled like a lost mail: it is sent again to contacts who still have to be notified.
          try fate.attempted(
            mail, .lost("the mail was gone"), now: services.site.clock.now(), in: writer)
        }
      })
  }

  private func lost(in reader: ReadTransaction) throws -> [ID<QueuedMail>] {
    try services.alerts.waiting(in: reader).filter { try !MailQueue.knows($0, in: reader) }
  }

  /// A channel that the operator has removed from the file: its contact would not be notified by it.
  private var channelsAreOffered: DoctorCheck {
    DoctorCheck(
      "every channel of a contact is offered",
      find: { reader in
        try services.channels.offers(in: reader)
          .filter { services.channelOffers.find($0.offer) == nil }
          .map { "\($0.count) contacts use the channel “\($0.offer)”" }
      }, repair: nil)
  }

  // MARK: The record

  /// The number of users read in one transaction.
  private static let batch = 500

  /// A line that was changed, removed or inserted breaks the chain of hashes. There is no repair.
  private var recordsAreWhole: DoctorCheck {
    DoctorCheck(
      "records of check-ins are whole",
      findIn: { database in
        var (broken, last): ([String], ID<Person>?) = ([], nil)
        while true {
          let (people, found) = try database.read { reader in
            let people = try services.record.people(after: last, limit: Self.batch, in: reader)
            return (people, try people.compactMap { try fault(in: $0, reader) })
          }
          broken += found
          guard people.count == Self.batch else { return broken }
          last = people.last
        }
      }, repairInSteps: nil)
  }

  /// The first fault in a user's record; nil if there is none.
  private func fault(in person: ID<Person>, _ reader: ReadTransaction) throws -> String? {
    var (previous, number): ([UInt8], Int) = ([], 0)
    var fault: String?
    try services.record.forEach(of: person, in: reader) { line in
      number += 1
      if fault == nil, line.number != number || !line.follows(previous) {
        fault = "user \(person): line \(line.number) of the record does not follow the one before"
      }
      previous = line.hash
    }
    return fault
  }

  // MARK: Keys

  private var everythingOpens: DoctorCheck {
    DoctorCheck("the keys decrypt check-in data") { reader in
      let keys = services.site.keys
      return keys.problems(
        "addresses of contacts", opening: try ContactStore.email.samples(in: reader))
        + keys.problems(
          "channels of contacts", opening: try ChannelStore.recipient.samples(in: reader))
        + keys.problems(
          "sheets for contacts", opening: try MonitorStore.sheet.samples(in: reader))
        + keys.problems("notes of timers", opening: try TimerStore.note.samples(in: reader))
        + keys.problems("notes to contacts", opening: try MonitorStore.note.samples(in: reader))
    }
  }
}
