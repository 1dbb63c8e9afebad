import CheckIn
import Core
import Database
import Moderation
import Notices

/// Turns moderators' decisions into notices.
struct ModerationNotifier: ModerationObserver {
  let board: NoticeService

  func notify(
    _ person: ID<Person>, _ notice: DecisionNotice, now: Instant, in writer: WriteTransaction
  ) throws {
    try board.notify(
      person,
      NewNotice(
        .decision, subject: notice.subject, event: notice.kind.rawValue,
        detail: NewNotice.excerpt(notice.text), note: "\(notice.target) \(notice.reason)",
        path: notice.path),
      now: now, in: writer)
  }

  func retract(_ subject: [UInt8], in writer: WriteTransaction) throws {
    try board.forget([.decision], subject: subject, in: writer)
  }
}

/// Turns check-in reminders and warnings into notices, until the user has checked in, and warnings of
/// a timer until it ends.
struct CheckInNotifier: CheckInObserver {
  let board: NoticeService

  func reminded(
    _ person: ID<Person>, _ word: CheckInNoticeKind, now: Instant, in writer: WriteTransaction
  ) throws {
    try board.notify(
      person,
      NewNotice(
        .checkIn, subject: person.bytes, event: word.rawValue,
        path: word == .timer ? CheckInLinks.timerPage : CheckInLinks.page),
      now: now, in: writer)
  }

  func tapped(_ person: ID<Person>, in writer: WriteTransaction) throws {
    try board.forget(
      [.checkIn], subject: person.bytes, path: CheckInLinks.page, of: person, in: writer)
  }

  func timerEnded(_ person: ID<Person>, in writer: WriteTransaction) throws {
    try board.forget(
      [.checkIn], subject: person.bytes, path: CheckInLinks.timerPage, of: person, in: writer)
  }

  func chosen(
    _ contact: ID<Person>, by person: ID<Person>, path: String, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try board.notify(
      contact,
      NewNotice(.contactChosen, subject: person.bytes, actor: person, path: path),
      now: now, in: writer)
  }

  func unchosen(
    _ contact: ID<Person>, by person: ID<Person>, in writer: WriteTransaction
  ) throws {
    try board.forget([.contactChosen], subject: person.bytes, of: contact, in: writer)
  }

  func alerted(
    _ contact: ID<Person>, about person: ID<Person>, path: String, now: Instant,
    in writer: WriteTransaction
  ) throws {
    // A repeated alert replaces the notice.
    try board.forget([.partnerSilent], subject: person.bytes, of: contact, in: writer)
    try board.notify(
      contact,
      NewNotice(.partnerSilent, subject: person.bytes, actor: person, path: path),
      now: now, in: writer)
  }

  func alertsEnded(_ person: ID<Person>, in writer: WriteTransaction) throws {
    try board.forget([.partnerSilent], subject: person.bytes, in: writer)
  }

  func reaches(_ person: ID<Person>, in reader: ReadTransaction) throws -> Bool {
    try board.reaches(person, with: .checkIn, in: reader)
  }
}
