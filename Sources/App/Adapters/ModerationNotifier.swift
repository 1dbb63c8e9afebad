import CheckIn
import Core
import Database
import Moderation
import Notices

/// Turns moderators' decisions into notices.
struct ModerationNotifier: ModerationObserver {
  let board: NoticeService

  func notify(
    _ person: ID<Person>, _ kind: ModerationNotice.Kind, now: Instant, in writer: WriteTransaction
  ) throws {
    try board.notify(
      person, NewNotice(.decision, event: kind.rawValue, path: kind.path), now: now, in: writer)
  }
}

/// Turns check-in reminders and warnings into notices, until the user has checked in.
struct CheckInNotifier: CheckInObserver {
  let board: NoticeService

  func reminded(
    _ person: ID<Person>, _ word: CheckInNoticeKind, now: Instant, in writer: WriteTransaction
  ) throws {
    try board.notify(
      person,
      NewNotice(
        .checkIn, subject: person.bytes, event: word.rawValue, path: CheckInLinks.page),
      now: now, in: writer)
  }

  func tapped(_ person: ID<Person>, in writer: WriteTransaction) throws {
    try board.forget([.checkIn], subject: person.bytes, of: person, in: writer)
  }

  func alerted(
    _ contact: ID<Person>, about person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    // A repeated alert replaces the notice.
    try board.forget([.partnerSilent], subject: person.bytes, of: contact, in: writer)
    try board.notify(
      contact,
      NewNotice(
        .partnerSilent, subject: person.bytes, actor: person, path: CheckInLinks.page),
      now: now, in: writer)
  }

  func alertsEnded(_ person: ID<Person>, in writer: WriteTransaction) throws {
    try board.forget([.partnerSilent], subject: person.bytes, in: writer)
  }

  func reaches(_ person: ID<Person>, in reader: ReadTransaction) throws -> Bool {
    try board.reaches(person, with: .checkIn, in: reader)
  }
}
