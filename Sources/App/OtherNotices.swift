import Basics
import CheckIn
import Database
import Moderation
import Notices

/// What moderators decided, as notices.
struct DecisionNotices: ModerationNews {
  let board: NoticeBoard

  func told(
    _ person: ID<Person>, _ kind: ModerationNotice.Kind, now: Instant, in writer: Writer
  ) throws {
    try board.tell(
      person, NewNotice(.decision, event: kind.rawValue, path: kind.path), now: now, in: writer)
  }
}

/// Words about checking in, as notices: until somebody has checked in.
struct CheckInNotices: CheckInNews {
  let board: NoticeBoard

  func reminded(
    _ person: ID<Person>, _ word: CheckInWord, now: Instant, in writer: Writer
  ) throws {
    try board.tell(
      person,
      NewNotice(
        .checkIn, subject: person.bytes, event: word.rawValue, path: CheckInLinks.page),
      now: now, in: writer)
  }

  func tapped(_ person: ID<Person>, in writer: Writer) throws {
    try board.forget([.checkIn], subject: person.bytes, of: person, in: writer)
  }

  func reaches(_ person: ID<Person>, in reader: Reader) throws -> Bool {
    try board.reaches(person, with: .checkIn, in: reader)
  }
}
