import Core
import Database
import Foundation
import Testing

@testable import App
@testable import CheckIn

@Suite("Removed channels of contacts, with a watchman")
struct WatchmanChannelTests {
  /// Mei, whose alert is due three days and an hour later, with Ming as contact, who has a channel
  /// that was proven by a code. The server is off when it is due.
  private func pair() throws -> (WatchmanPair, ContactChannel) {
    let pair = try WatchmanPair()
    try pair.server.watched(by: ["ming"])
    let (ming, now) = (try pair.server.contact("ming"), pair.server.clock.now())
    let id = ID<ContactChannel>(now: now)
    let channel = try pair.server.database.write { writer in
      let channels = pair.server.checkIn.channels
      try channels.add(id, to: ming, offer: "sms", recipient: "+886912345678", in: writer)
      let channel = try #require(try channels.find(id, in: writer))
      try channels.queue(.code, by: channel, now: now, in: writer)
      try writer.execute("UPDATE contact_channels SET proven_at = \(now)")
      return channel
    }
    try pair.pass(.days(2))
    pair.stopServer()
    return (pair, channel)
  }

  /// Lets time pass until the watchman has mailed the alert.
  private func waitForAlert(_ pair: WatchmanPair) throws {
    for _ in 0..<100 where pair.mail.count(to: "ming") == 0 { try pair.pass(.minutes(30)) }
    try #require(pair.mail.count(to: "ming") == 1)
  }

  private func remove(_ channel: ContactChannel, _ pair: WatchmanPair) throws {
    try pair.server.database.write {
      try ChannelService(services: pair.server.checkIn).remove(
        channel, now: pair.server.clock.now(), in: $0)
    }
  }

  private func alerts(_ pair: WatchmanPair) -> Int {
    pair.channels.sent.count { $0.body.contains("Mei hasn’t checked in since") }
  }

  @Test(
    "The record and the pages name a channel that was removed before the watchman’s report, or after it",
    arguments: [true, false])
  func label(isRemovedFirst: Bool) throws {
    let (pair, channel) = try pair()
    try waitForAlert(pair)
    #expect(alerts(pair) == 1)
    if isRemovedFirst { try remove(channel, pair) }
    pair.startServer()
    try pair.pass(.minutes(30))
    if !isRemovedFirst { try remove(channel, pair) }
    let sent: Query =
      """
      SELECT count(*) FROM contact_mails
      WHERE by_watchman = 1 AND state = 'sent' AND offer = 'sms'
      """
    #expect(try pair.server.number(sent) == 1)
    let mei = try pair.server.signedIn("mei")
    #expect(mei.get("/checkin/contacts").shows("<li>Alert · SMS · sent ·"))
    #expect(
      mei.get(CheckInLinks.record)
        .shows("The watchman on a second computer sent the alert to Ming by SMS,"))
    #expect(
      try pair.server.number(
        "SELECT count(*) FROM checkin_record WHERE detail = 'alert watchman sms'") == 1)
  }

  @Test("What waits at the watchman for a channel that was removed is not sent")
  func waiting() throws {
    let (pair, channel) = try pair()
    pair.channels.setDown(true)
    try waitForAlert(pair)
    pair.startServer()
    try pair.pass(.minutes(30))
    let waiting: Query =
      """
      SELECT count(*) FROM contact_mails
      WHERE by_watchman = 1 AND state = 'waiting' AND channel_id IS NOT NULL
      """
    #expect(try pair.server.number(waiting) == 1)
    try remove(channel, pair)
    pair.channels.setDown(false)
    try pair.pass(.hours(2))
    #expect(alerts(pair) == 0)
    #expect(try pair.server.number(waiting) == 0)
  }
}
