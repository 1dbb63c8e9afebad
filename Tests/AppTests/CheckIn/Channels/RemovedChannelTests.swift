import Core
import Database
import Foundation
import Testing

@testable import App
@testable import CheckIn

@Suite("Removed channels of contacts")
struct RemovedChannelTests {
  private static let file = """
    [{"name": "sms", "label": {"en": "Text message", "zh-Hant": "簡訊", "zh-Hans": "短信"},
      "url": "json://sms.example/{to}", "to": "\\\\+[0-9]{8,15}", "example": "+886912345678"}]
    """

  /// Mei’s alert, whose message to Ming’s channel is due.
  private func due(_ sender: RecordingSender) throws -> (TestInstance, ContactChannel) {
    let offers = try ChannelOffers(json: Data(Self.file.utf8))
    let instance = try TestInstance(channels: (offers, sender))
    try instance.watched(by: ["ming"])
    try instance.work()
    let (ming, id) = (
      try instance.contact("ming"), ID<ContactChannel>(now: instance.clock.now())
    )
    let channel = try instance.database.write { writer in
      try instance.checkIn.channels.add(
        id, to: ming, offer: "sms", recipient: "+886912345678", in: writer)
      try writer.execute("UPDATE contact_channels SET proven_at = \(instance.clock.now())")
      return try #require(try instance.checkIn.channels.find(id, in: writer))
    }
    try instance.goQuiet()
    try pass(.minutes(30), instance)
    return (instance, channel)
  }

  private func pass(_ seconds: Int64, _ instance: TestInstance) throws {
    instance.clock.advance(seconds: seconds)
    try CheckInScan(services: instance.checkIn).run(now: instance.clock.now())
    try instance.work()
  }

  private func send(_ instance: TestInstance) throws {
    try instance.instance.features.checkIn.channelDispatcher.sendDue()
  }

  private func remove(_ channel: ContactChannel, _ instance: TestInstance) throws {
    try instance.database.write {
      try ChannelService(services: instance.checkIn).remove(
        channel, now: instance.clock.now(), in: $0)
    }
  }

  /// Removes the channel while the next message is being sent; then the user checks in, if they do.
  private func removeWhileSending(
    _ channel: ContactChannel, _ instance: TestInstance, _ sender: RecordingSender,
    tapping person: ID<Person>? = nil
  ) {
    // Used by this thread alone.
    nonisolated(unsafe) let other = instance
    sender.whileSending {
      try? other.database.write {
        try other.checkIn.channels.remove(channel.id, now: other.clock.now(), in: $0)
      }
      if let person { try? other.tap(person) }
    }
  }

  /// Mail to Ming bounces from now on.
  private func bounce(_ instance: TestInstance) throws {
    let ming = try instance.contact("ming").id
    try instance.database.write { try instance.checkIn.contacts.bounces(ming, in: $0) }
  }

  private func tap(_ instance: TestInstance) throws {
    instance.clock.advance(seconds: 60)
    try instance.tap(try instance.person("Mei"))
    try send(instance)
  }

  private func isAllClear(_ message: OutgoingMessage) -> Bool {
    message.body.hasPrefix("All clear: Mei is well.")
  }

  private func purge(_ instance: TestInstance) throws {
    instance.clock.advance(seconds: .hours(2))
    try ContactService(services: instance.checkIn).purge(now: instance.clock.now())
  }

  private static let count: Query = "SELECT count(*) FROM contact_channels"

  @Test("Pages still say that an alert went by one, and not by mail")
  func label() throws {
    let sender = RecordingSender()
    let (instance, channel) = try due(sender)
    try send(instance)
    #expect(sender.sent.count == 1)
    let mei = try instance.signedIn("mei")
    for isRemoved in [false, true] {
      if isRemoved { try remove(channel, instance) }
      #expect(mei.get("/checkin/contacts").shows("<li>Alert · Text message · sent ·"))
      #expect(mei.get("/checkin").shows("<b>Ming</b> · alerted by Text message on"))
      #expect(mei.get("/checkin/record").shows("Sent to Ming by Text message: Alert."))
    }
  }

  @Test("A message that waits is recalled, and the next round goes by mail")
  func waiting() throws {
    let (instance, channel) = try due(RecordingSender())
    let waiting: Query =
      "SELECT count(*) FROM contact_mails WHERE kind = 'alert' AND state = 'waiting'"
    #expect(try instance.number(waiting) == 1)
    try remove(channel, instance)
    #expect(try instance.number(waiting) == 0)
    #expect(try !instance.problems().contains { $0.contains("of an alert is missing") })
    let before = try instance.mails(to: "ming@example.test").count
    try pass(.days(1), instance)
    #expect(try instance.mails(to: "ming@example.test").count == before + 1)
  }

  @Test("A message that was being sent counts as sent, and is in the record")
  func inFlight() throws {
    let sender = RecordingSender()
    let (instance, channel) = try due(sender)
    removeWhileSending(channel, instance, sender)
    try send(instance)
    #expect(
      try instance.number(
        "SELECT count(*) FROM contact_mails WHERE offer = 'sms' AND state = 'sent'") == 1)
    #expect(
      try instance.number("SELECT count(*) FROM checkin_record WHERE detail = 'alert sms'") == 1)
  }

  @Test(
    "The all-clear goes by one that was removed after the alert, or while it was being sent",
    arguments: [false, true])
  func allClear(isInFlight: Bool) throws {
    let sender = RecordingSender()
    let (instance, channel) = try due(sender)
    if isInFlight { removeWhileSending(channel, instance, sender) }
    try send(instance)
    if !isInFlight { try remove(channel, instance) }
    try bounce(instance)
    // It is used for nothing else.
    let ming = try instance.contact("ming")
    #expect(!ming.counts)
    let mei = try instance.signedIn("mei")
    #expect(mei.get(CheckInLinks.channels(ming.id)).shows("Ming can be alerted by email only."))
    try purge(instance)
    #expect(try instance.number(Self.count) == 1)
    try tap(instance)
    #expect(sender.sent.map(isAllClear) == [false, true])
    try purge(instance)
    #expect(try instance.number(Self.count) == 0)
    #expect(mei.get("/checkin/contacts").shows("<li>All-clear · Text message · sent ·"))
  }

  @Test("The all-clear follows an alert that ended, too, while it was being sent")
  func endedInFlight() throws {
    let sender = RecordingSender()
    let (instance, channel) = try due(sender)
    removeWhileSending(channel, instance, sender, tapping: try instance.person("Mei"))
    try send(instance)
    #expect(sender.sent.map(isAllClear) == [false, true])
  }

  @Test("An all-clear that waits is not recalled")
  func waitingAllClear() throws {
    let sender = RecordingSender()
    let (instance, channel) = try due(sender)
    try send(instance)
    instance.clock.advance(seconds: 60)
    try instance.tap(try instance.person("Mei"))
    try remove(channel, instance)
    try send(instance)
    #expect(sender.sent.map(isAllClear) == [false, true])
  }

  @Test("One by which no alert went is erased at once")
  func erased() throws {
    let (instance, channel) = try due(RecordingSender())
    try remove(channel, instance)
    #expect(try instance.number(Self.count) == 0)
  }

  @Test("One that is kept does not count as confirmed, and still takes the all-clear")
  func unproven() throws {
    let sender = RecordingSender()
    let (instance, channel) = try due(sender)
    try send(instance)
    try remove(channel, instance)
    #expect(try instance.number(Self.count) == 1)
    #expect(try instance.number("\(Self.count) WHERE proven_at IS NOT NULL") == 0)
    try tap(instance)
    #expect(sender.sent.map(isAllClear) == [false, true])
  }

  @Test("One by which a watchman may be sending is kept, also after its message was recalled")
  func atWatchman() throws {
    let (instance, channel) = try due(RecordingSender())
    try instance.database.write {
      try $0.execute(
        """
        UPDATE contact_mails SET by_watchman = 1, send_at = NULL WHERE channel_id IS NOT NULL
        """)
    }
    try tap(instance)
    #expect(
      try instance.number(
        "SELECT count(*) FROM contact_mails WHERE by_watchman = 1 AND state = 'recalled'") == 1)
    try remove(channel, instance)
    #expect(try instance.number(Self.count) == 1)
    try purge(instance)
    #expect(try instance.number(Self.count) == 0)
  }

  @Test(
    "For one that is no longer known, the all-clear is mailed unless it was, and there is another",
    arguments: [true, false])
  func mailedOnce(hasOther: Bool) throws {
    let sender = RecordingSender()
    let (instance, channel) = try due(sender)
    try tap(instance)
    if !hasOther { try remove(channel, instance) }
    let (ming, now) = (try instance.contact("ming").id, instance.clock.now())
    let card = try instance.card(try instance.person("Mei"))
    try instance.database.write { writer in
      let alert = try #require(try instance.checkIn.alerts.all(of: card.id, in: writer).first)
      let monitor = try #require(
        try instance.checkIn.monitor(over: card, now: now, in: writer))
      try AlertService(services: instance.checkIn).clear(
        ming, reachedBy: ID<ContactChannel>(now: now), of: alert, card, monitor, now: now,
        in: writer)
    }
    try send(instance)
    #expect(sender.sent.map(isAllClear) == (hasOther ? [true] : []))
    let mailed: Query =
      "SELECT count(*) FROM contact_mails WHERE kind = 'all-clear' AND channel_id IS NULL"
    #expect(try instance.number(mailed) == (hasOther ? 1 : 2))
  }

  @Test("In place of one that is no longer known, the all-clear goes by the others")
  func unknown() throws {
    let sender = RecordingSender()
    let (instance, channel) = try due(sender)
    try send(instance)
    let (ming, now) = (try instance.contact("ming"), instance.clock.now())
    try instance.database.write { writer in
      try writer.execute("DELETE FROM contact_channels WHERE id = \(channel.id)")
      try instance.checkIn.channels.add(
        ID<ContactChannel>(now: now), to: ming, offer: "sms", recipient: "+886900000002",
        in: writer)
      try writer.execute("UPDATE contact_channels SET proven_at = \(now)")
    }
    try bounce(instance)
    try tap(instance)
    #expect(sender.sent.map(isAllClear) == [false, true])
    #expect(sender.sent.last?.url == "json://sms.example/%2B886900000002")
  }

  @Test("Of two alerts that end at once, one that was removed and added again gets one all-clear")
  func addedAgain() throws {
    let sender = RecordingSender()
    let (instance, channel) = try due(sender)
    try send(instance)
    try remove(channel, instance)
    let (ming, now) = (try instance.contact("ming"), instance.clock.now())
    let id = ID<ContactChannel>(now: now)
    try instance.database.write { writer in
      let (channels, day) = (instance.checkIn.channels, LocalDay(number: 1))
      try channels.add(id, to: ming, offer: "sms", recipient: "+886912345678", in: writer)
      try writer.execute("UPDATE contact_channels SET proven_at = \(now) WHERE id = \(id)")
      let again = try #require(try channels.find(id, in: writer))
      let second = try #require(
        try instance.checkIn.alerts.claim(
          of: ming.person, silence: day, day: day, missedDays: 2, now: now, in: writer))
      try channels.queue(
        .alert, by: again, alert: second.id, round: second.round, now: now, in: writer)
    }
    try send(instance)
    try tap(instance)
    #expect(sender.sent.map(isAllClear) == [false, false, true])
  }

  // MARK: Alerts that are opened again

  /// Opens Mei’s alert again, which has ended. The next check-in is a day later.
  private func openAgain(_ instance: TestInstance) throws {
    let (mei, now) = (try instance.person("Mei"), instance.clock.now())
    try instance.database.write { writer in
      let alerts = instance.checkIn.alerts
      let alert = try #require(try alerts.all(of: mei, in: writer).first)
      let again = try alerts.claim(
        of: mei, silence: alert.silence, day: alert.silence, missedDays: 2, now: now, in: writer)
      #expect(again?.id == alert.id)
    }
    instance.clock.advance(seconds: .days(1))
  }

  @Test("The all-clear goes by no channel that was used before the alert was opened again")
  func usedBefore() throws {
    let sender = RecordingSender()
    let (instance, _) = try due(sender)
    try send(instance)
    try tap(instance)
    try openAgain(instance)
    try tap(instance)
    #expect(sender.sent.map(isAllClear) == [false, true])
  }

  @Test("A channel that was used before the alert was opened again is erased at once")
  func erasedAfterReopening() throws {
    let (instance, channel) = try due(RecordingSender())
    try send(instance)
    try tap(instance)
    try openAgain(instance)
    try remove(channel, instance)
    #expect(try instance.number(Self.count) == 0)
  }

  @Test("A removed channel that was used before the alert was opened again is erased by the job")
  func purgedAfterReopening() throws {
    let (instance, channel) = try due(RecordingSender())
    try send(instance)
    try remove(channel, instance)
    try tap(instance)
    try openAgain(instance)
    #expect(try instance.number(Self.count) == 1)
    try purge(instance)
    #expect(try instance.number(Self.count) == 0)
  }

  @Test("Messages of an alert that becomes one with another count for that, if it was opened again")
  func movedAlert() throws {
    let instance = try TestInstance()
    let mei = try instance.watched(by: ["ming"])
    let jun = try instance.watched("jun", by: ["lin"])
    try instance.goQuiet()
    let (lin, channel) = (
      try instance.contact("lin").id, ID<ContactChannel>(now: instance.clock.now())
    )
    try instance.database.write { writer in
      try writer.execute(
        """
        UPDATE contact_mails SET channel_id = \(channel)
        WHERE contact_id = \(lin) AND kind = 'alert'
        """)
      try writer.execute("UPDATE alerts SET round = 3, first_round = 3 WHERE user_id = \(mei)")
      let alerts = instance.checkIn.alerts
      try alerts.move(from: jun, to: mei, in: writer)
      let kept = try #require(try alerts.open(of: mei, in: writer).first)
      #expect(try instance.checkIn.channels.used(for: kept.id, lin, in: writer) == [channel])
    }
  }

  // MARK: Erased contacts

  @Test("A message that waits for a contact who is erased is recalled")
  func erasedContact() throws {
    let sender = RecordingSender()
    let (instance, _) = try due(sender)
    let ming = try instance.contact("ming").id
    try instance.database.write { try instance.checkIn.contacts.erase(ming, in: $0) }
    try send(instance)
    #expect(sender.sent.isEmpty)
    let recalled: Query =
      """
      SELECT count(*) FROM contact_mails
      WHERE channel_id IS NOT NULL AND state = 'recalled' AND send_at IS NULL
      """
    #expect(try instance.number(recalled) == 1)
  }

  @Test("A message whose channel is gone is not due")
  func notDue() throws {
    let (instance, _) = try due(RecordingSender())
    let now = instance.clock.now()
    func isDue() throws -> Bool {
      try instance.database.read {
        try instance.checkIn.channels.hasDue(withAlerts: true, now: now, in: $0)
      }
    }
    #expect(try isDue())
    try instance.database.write { try $0.execute("DELETE FROM contact_channels") }
    #expect(try !isDue())
  }

  @Test("A contact who was removed is erased after the all-clear that waits for them")
  func purgedContact() throws {
    let sender = RecordingSender()
    let (instance, _) = try due(sender)
    try send(instance)
    let ming = try instance.contact("ming")
    try instance.database.write {
      try ContactService(services: instance.checkIn).remove(
        ming, now: instance.clock.now(), in: $0)
    }
    instance.clock.advance(seconds: .days(31))
    try instance.tap(try instance.person("Mei"))
    let contacts: Query = "SELECT count(*) FROM emergency_contacts"
    try purge(instance)
    #expect(try instance.number(contacts) == 1)
    try send(instance)
    try instance.work()
    #expect(sender.sent.map(isAllClear) == [false, true])
    try purge(instance)
    #expect(try instance.number(contacts) == 0)
  }
}
