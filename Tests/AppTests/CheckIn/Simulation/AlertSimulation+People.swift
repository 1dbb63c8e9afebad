import Core
import Database
import Foundation
import Secrets
import Testing

@testable import App
@testable import CheckIn

/// The people of a world.
extension AlertSimulation {
  private static let pauses: [Int?] = [nil, nil, 15, 60]
  private static let zone = TimeZone(identifier: "Asia/Taipei") ?? .gmt

  /// Adds a member with contacts by mail, some with a channel. One in four may give signs of
  /// life by calling an address.
  func add(_ number: Int) throws {
    let contacts = (0...Int(draws.below(3))).map { "kin\(number)x\($0)" }
    let id = try instance.watched("guest\(number)", by: contacts)
    let pause = Self.pauses[Int(draws.below(4))]
    let alertMinute = Int(draws.below(96)) * 15
    let thresholds = CheckInSettings.hourThresholds
    let hours = number % 3 == 2 ? draws.one(of: thresholds) : nil
    try set(pause: pause, alertMinute: alertMinute, hours: hours, of: id)
    for contact in try instance.contacts(of: id) where draws.happens(50) {
      let recipient = "+8869\(10_000_000 + number * 10 + Int(draws.below(9)))"
      try addChannel("sms", recipient, to: contact)
    }
    let taps = Self.taps(alertMinute, from: begin, &draws)
    let ping = try number % 4 == 3 ? newPing(of: id) : nil
    people.append(Member(id: id, taps: taps, lastTap: begin, hours: hours, ping: ping))
  }

  /// Adds a member whose partner is a contact: the first gives signs of life by calling an address,
  /// the second uses timers, the third does both and has a contact with pushes on their page, too.
  func addCouple(_ number: Int) throws {
    let name = Self.people + number
    let couple = try instance.couple("Pair \(name)", "guest\(name)", "mate\(name)")
    let (id, mate) = (couple[0].id, couple[1].id)
    let card = try instance.card(id)
    let contact = try instance.database.write {
      try ContactService(services: instance.checkIn).add(
        to: card, name: "Mate\(name)", email: "mate\(name)@example.test", account: mate,
        now: begin, in: $0)
    }
    if number == 2 { try instance.add(["aid\(name)"], to: id) }
    try instance.tap(id)
    for aid in try instance.contacts(of: id) where aid.account == nil {
      try addChannel(ChannelOffer.pushName, Self.target("aid\(name)").text, to: aid)
    }
    let answer = try instance.signedIn("mate\(name)").subscribe("mate\(name)")
    try #require(answer.status == 204, "\(answer.text)")
    let pause = Self.pauses[Int(others.below(4))]
    let alertMinute = Int(others.below(96)) * 15
    try set(pause: pause, alertMinute: alertMinute, hours: nil, of: id)
    let taps =
      others.happens(30)
      ? [Self.nearAlert(alertMinute, from: begin, &others)]
      : Self.taps(alertMinute, from: begin, &others)
    let ping = try number != 1 ? newPing(of: id) : nil
    people.append(
      Member(
        id: id, taps: taps, lastTap: begin, hours: nil, ping: ping,
        partner: Partner(
          id: mate, contact: contact, endpoint: Self.target("mate\(name)").endpoint),
        plannedTimers: number != 0 ? Self.timers(from: begin, &others) : []))
  }

  // MARK: Parts

  private func set(pause: Int?, alertMinute: Int, hours: Int?, of id: ID<Person>) throws {
    try instance.database.write { writer in
      var settings = try instance.checkIn.monitors.settings(of: id, in: writer)
      settings?.contactPause = pause
      settings?.alertMinute = alertMinute
      settings?.thresholdHours = hours
      if let settings { try instance.checkIn.monitors.save(settings, of: id, in: writer) }
    }
  }

  private func addChannel(_ offer: String, _ recipient: String, to contact: Contact) throws {
    try instance.database.write { writer in
      let id = ID<ContactChannel>(now: begin)
      try instance.checkIn.channels.add(
        id, to: contact, offer: offer, recipient: recipient, in: writer)
      try writer.execute("UPDATE contact_channels SET proven_at = \(begin) WHERE id = \(id)")
    }
  }

  /// A new address of a user for calls; returns its path.
  private func newPing(of id: ID<Person>) throws -> String {
    let token = Token.random()
    try instance.database.write { try instance.checkIn.signs.setPing(token, of: id, in: $0) }
    return CheckInLinks.ping(token.text)
  }

  /// A browser that shows pushes.
  private static func target(_ name: String) -> PushTarget {
    PushTarget(
      endpoint: TestClient.pushEndpoint + name,
      p256dh:
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
      auth: "BTBZMqHH6r4Tts7J_aSIgg")
  }

  // MARK: Schedules

  private static func taps(
    _ alertMinute: Int, from begin: Instant, _ draws: inout ScheduleDraws
  ) -> [Instant] {
    func at(_ seconds: Int64) -> Instant { begin.adding(seconds: seconds) }
    switch draws.below(100) {
    case ..<40: return []
    case ..<60: return (1...7).map { at(.days(Int64($0)) - draws.below(.hours(8))) }
    case ..<85: return [at(.hours(60) + draws.below(.hours(70)))]
    default: return [nearAlert(alertMinute, from: begin, &draws)]
    }
  }

  /// A moment within minutes of the first alert.
  private static func nearAlert(
    _ alertMinute: Int, from begin: Instant, _ draws: inout ScheduleDraws
  ) -> Instant {
    let alert = LocalDay(begin, in: zone).adding(days: 3).instant(minute: alertMinute, in: zone)
    return alert.adding(seconds: draws.below(.minutes(40)) - .minutes(20))
  }

  /// A timer, and another one after some days unless the first is never ended.
  private static func timers(
    from begin: Instant, _ draws: inout ScheduleDraws
  ) -> [PlannedTimer] {
    var timers: [PlannedTimer] = []
    for days in [Int64(0), 3] where timers.allSatisfy({ $0.endAfter != nil }) {
      // Up to a day.
      let minutes = CheckInTimer.lengths[Int(draws.below(12))]
      let grace = CheckInTimer.graces[Int(draws.below(5))]
      let length = Int64(minutes + grace) * 60
      let endAfter: Int64?
      switch draws.below(100) {
      case ..<30: endAfter = draws.below(Int64(minutes) * 60)
      // Within minutes of the alert.
      case ..<50: endAfter = length - .minutes(20) + draws.below(.minutes(40))
      case ..<70: endAfter = length + draws.below(.hours(12))
      default: endAfter = nil
      }
      let start = begin.adding(seconds: .days(days) + .hours(2) + draws.below(.hours(30)))
      timers.append(
        PlannedTimer(start: start, minutes: minutes, grace: grace, endAfter: endAfter))
    }
    return timers
  }
}
