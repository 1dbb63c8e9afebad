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
    // Used by this thread alone.
    nonisolated(unsafe) let other = instance
    sender.whileSending {
      try? other.database.write { try other.checkIn.channels.remove(channel.id, in: $0) }
    }
    try send(instance)
    #expect(
      try instance.number(
        "SELECT count(*) FROM contact_mails WHERE offer = 'sms' AND state = 'sent'") == 1)
    #expect(
      try instance.number("SELECT count(*) FROM checkin_record WHERE detail = 'alert sms'") == 1)
  }
}
