import Accounts
import Core
import Database
import Foundation

/// Notifies users of an anniversary on the day before, in the morning of their time zone.
struct AnniversaryJob {
  /// Local hour from which on they are notified.
  static let hour = 9

  let services: NoticesEnvironment
  let board: NoticeService

  func run(now: Instant) throws {
    let database = services.site.database
    let today = LocalDay(now, in: .gmt)
    // Time zones span yesterday to tomorrow in UTC; notified is the day after.
    for ahead in 0...2 {
      let day = today.adding(days: ahead)
      let people = try database.read {
        try AnniversaryCouples.all(since: Anniversary.startDates(for: day), in: $0)
      }
      for person in people where isTime(for: person, day, now) {
        try database.write { try notify(person, day, now: now, in: $0) }
      }
    }
    try database.write { try AnniversaryStore.purge(before: today.adding(days: -7), in: $0) }
  }

  private func isTime(for person: AnniversaryCouples.Person, _ day: LocalDay, _ now: Instant)
    -> Bool
  {
    let zone = PersonTimeZone(
      kept: person.timeZone, site: services.site.defaultTimeZone
    ).zone
    guard LocalDay(now, in: zone).adding(days: 1) == day else { return false }
    let seconds = now.milliseconds / 1000 + Int64(zone.secondsFromGMT(for: now.date))
    return seconds % .days(1) >= .hours(Int64(Self.hour))
  }

  private func notify(
    _ person: AnniversaryCouples.Person, _ day: LocalDay, now: Instant, in writer: WriteTransaction
  ) throws {
    guard try AnniversaryStore.add(day, of: person.id, in: writer) else { return }
    for anniversary in Anniversary.on(day, since: person.since) {
      try board.notify(
        person.id,
        NewNotice(
          .anniversary, subject: person.couple.bytes, event: anniversary.kind.rawValue,
          detail: String(anniversary.number), path: AccountLinks.couple(person.couple)),
        now: now, in: writer)
    }
  }
}
