import Core
import Database
import Foundation
import Mail
import Synchronization
import Testing

@testable import App
@testable import CheckIn

/// A service that takes messages, or refuses those to some recipients.
final class RecordingSender: ChannelSender {
  private let state = Mutex((sent: [OutgoingMessage](), hangsAt: "nothing", isDown: false))
  private let meanwhile = Mutex<(@Sendable () -> Void)?>(nil)

  var sent: [OutgoingMessage] { state.withLock { $0.sent } }

  /// Ends each call at the first message to such an address, as after a time limit.
  func hang(at part: String) { state.withLock { $0.hangsAt = part } }

  func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

  /// Does something once, while the next messages are being sent.
  func whileSending(_ body: @escaping @Sendable () -> Void) { meanwhile.withLock { $0 = body } }

  func isReady() -> Bool { state.withLock { !$0.isDown } }

  func send(_ messages: [OutgoingMessage]) throws -> [ID<QueuedMail>: Bool] {
    let body = meanwhile.withLock { body in
      defer { body = nil }
      return body
    }
    body?()
    return try state.withLock { state in
      if state.isDown { throw AppriseSender.Failed(status: 1) }
      var results: [ID<QueuedMail>: Bool] = [:]
      for message in messages {
        if message.url.contains(state.hangsAt) { break }
        results[message.id] = true
        state.sent.append(message)
      }
      return results
    }
  }
}

/// Something that happens once.
private final class Once: Sendable {
  let isDone = Atomic(false)
}

extension OutgoingMessage {
  /// The address that is called.
  var url: String {
    switch means {
    case .apprise(let url): url
    case .webhook(let webhook): webhook.url
    case .push(let target): target.endpoint
    }
  }
}

@Suite("Channels of contacts")
struct ChannelTests {
  private static let file = """
    [{"name": "sms", "label": {"en": "SMS", "zh-Hant": "簡訊", "zh-Hans": "短信"},
      "url": "json://sms.example/{to}", "to": "\\\\+[0-9]{8,15}", "example": "+886912345678",
      "cost": {"en": "Free of charge"}},
     {"name": "ntfy", "label": {"en": "ntfy", "zh-Hant": "ntfy", "zh-Hans": "ntfy"},
      "url": "json://ntfy.example/{to}", "to": "[a-z]{4,20}", "example": "topic"}]
    """

  private func instance(_ sender: RecordingSender, limits: Bool = false) throws -> TestInstance {
    try TestInstance(
      limits: limits, channels: (try ChannelOffers(json: Data(Self.file.utf8)), sender))
  }

  private func page(_ contact: String, _ instance: TestInstance) throws -> String {
    CheckInLinks.channels(try instance.contact(contact).id)
  }

  private func send(_ instance: TestInstance) throws {
    try instance.instance.features.checkIn.channelDispatcher.sendDue()
  }

  private func code(in sender: RecordingSender) throws -> String {
    let body = try #require(sender.sent.last).body
    let match = try #require(body.firstMatch(of: /Code: ([A-Z]{6})\./))
    return String(match.output.1)
  }

  private func channels(_ instance: TestInstance) throws -> [ContactChannel] {
    let people = try instance.database.read {
      try $0.values("SELECT DISTINCT user_id FROM contact_channels", as: ID<Person>.self)
    }
    return try people.flatMap { person in
      try instance.database.read { try instance.checkIn.channels.all(of: person, in: $0) }
    }
  }

  /// Mei, with Ming and a proven SMS channel.
  private func proven(_ instance: TestInstance, _ sender: RecordingSender) throws -> TestClient {
    try instance.watched(by: ["ming"])
    try instance.work()
    let mei = try instance.signedIn("mei")
    let page = try page("ming", instance)
    mei.get(page)
    mei.post(page, ["button": "add", "offer": "sms", "recipient": "+886912345678"])
    try send(instance)
    let id = try #require(try channels(instance).first).id
    mei.post(
      page,
      ["button": "prove", "channel": id.description, "code": try code(in: sender).lowercased()])
    return mei
  }

  private func pass(_ seconds: Int64, _ instance: TestInstance) throws {
    instance.clock.advance(seconds: seconds)
    try CheckInScan(services: instance.checkIn).run(now: instance.clock.now())
    try instance.work()
    try send(instance)
  }

  // MARK: Proof

  @Test("A channel is added with a code, which proves it, and shown at a glance")
  func proof() throws {
    let sender = RecordingSender()
    let instance = try instance(sender)
    try instance.watched(by: ["ming"])
    let mei = try instance.signedIn("mei")
    let page = try page("ming", instance)
    let empty = mei.get(page)
    #expect(empty.shows("Ming can be alerted by email only.") && empty.shows("Free of charge"))
    let added = mei.post(page, ["button": "add", "offer": "sms", "recipient": "+886912345678"])
    #expect(added.location == page)
    try send(instance)
    #expect(sender.sent.map(\.url) == ["json://sms.example/%2B886912345678"])
    #expect(mei.get(page).shows("Not confirmed yet, so not used"))
    let channel = try #require(try channels(instance).first)
    #expect(channel.provenAt == nil)
    let wrong = mei.post(
      page, ["button": "prove", "channel": channel.id.description, "code": "WRONGX"])
    #expect(wrong.status == 422 && wrong.shows("This code is wrong or too old."))
    #expect(wrong.shows("value=\"WRONGX\""))
    let right = [
      "button": "prove", "channel": channel.id.description, "code": try code(in: sender),
    ]
    #expect(mei.post(page, all: right.map { ($0, $1) }).status == 303)
    #expect(mei.get(page).shows("Works, confirmed on"))
    #expect(mei.get("/checkin/contacts").shows("SMS: Works, confirmed on"))
    // A code is used once.
    #expect(mei.post(page, all: right.map { ($0, $1) }).status == 422)
  }

  @Test("A code ends after five tries, after an hour, and with the next code")
  func codeEnds() throws {
    let sender = RecordingSender()
    let instance = try instance(sender)
    try instance.watched(by: ["ming"])
    let mei = try instance.signedIn("mei")
    let page = try page("ming", instance)
    mei.get(page)
    mei.post(page, ["button": "add", "offer": "sms", "recipient": "+886912345678"])
    try send(instance)
    let id = try #require(try channels(instance).first).id.description
    func enter(_ code: String) -> Int {
      mei.post(page, ["button": "prove", "channel": id, "code": code]).status
    }
    let first = try code(in: sender)
    for _ in 0..<5 { #expect(enter("AAAAAA") == 422) }
    #expect(enter(first) == 422)
    mei.post(page, ["button": "send", "channel": id])
    try send(instance)
    let second = try code(in: sender)
    #expect(enter(first) == 422)
    instance.clock.advance(seconds: 3601)
    #expect(enter(second) == 422)
    mei.post(page, ["button": "send", "channel": id])
    try send(instance)
    #expect(enter(try code(in: sender)) == 303)
  }

  @Test("The contact can enter the code on their own page")
  func proofByContact() throws {
    let sender = RecordingSender()
    let instance = try instance(sender)
    try instance.watched(by: ["ming"])
    let mei = try instance.signedIn("mei")
    let page = try page("ming", instance)
    mei.get(page)
    mei.post(page, ["button": "add", "offer": "ntfy", "recipient": "topic"])
    try send(instance)
    let id = try #require(try channels(instance).first).id.description
    let (ming, own) = (instance.browser(), try instance.contactPage("ming"))
    #expect(ming.get(own).shows("We sent a code here"))
    ming.post(own, ["button": "prove", "channel": id, "code": "nothing"])
    #expect(ming.cookie("toast") == "toast.channel_code_wrong")
    ming.post(own, ["button": "prove", "channel": id, "code": try code(in: sender)])
    #expect(ming.cookie("toast") == "toast.channel_works")
    #expect(!ming.get(own).shows("We sent a code here"))
    #expect(try channels(instance).first?.provenAt != nil)
  }

  @Test(
    "What cannot be a recipient is refused, and what was typed stays",
    arguments: [
      ("sms", "0912345678"), ("sms", "+886912345678/../x"), ("sms", ""), ("fax", "+886912345678"),
      ("ntfy", "https://evil.example/"), ("ntfy", String(repeating: "a", count: 5000)),
    ])
  func wrongRecipient(offer: String, recipient: String) throws {
    let instance = try instance(RecordingSender())
    try instance.watched(by: ["ming"])
    let mei = try instance.signedIn("mei")
    let page = try page("ming", instance)
    mei.get(page)
    let answer = mei.post(page, ["button": "add", "offer": offer, "recipient": recipient])
    #expect(answer.status == 422)
    if recipient.count < 100 { #expect(answer.text.contains("value=\"\(recipient)\"")) }
    #expect(try channels(instance).isEmpty)
  }

  @Test("At most three for each contact, none twice, and ten codes a day")
  func limits() throws {
    let instance = try instance(RecordingSender(), limits: true)
    try instance.watched(by: ["ming", "lin", "wei", "bo"])
    let mei = try instance.signedIn("mei")
    func add(_ contact: String, _ recipient: String) throws -> Int {
      let page = try page(contact, instance)
      mei.get(page)
      return mei.post(page, ["button": "add", "offer": "ntfy", "recipient": recipient]).status
    }
    #expect(try add("ming", "aaaa") == 303)
    #expect(try add("ming", "aaaa") == 422)
    #expect(try add("ming", "bbbb") == 303)
    #expect(try add("ming", "cccc") == 303)
    #expect(try add("ming", "dddd") == 422)
    for contact in ["lin", "wei"] {
      for recipient in ["aaaa", "bbbb", "cccc"] { #expect(try add(contact, recipient) == 303) }
    }
    #expect(try add("bo", "aaaa") == 303)
    #expect(try add("bo", "bbbb") == 429)
  }

  @Test("Removing one asks first")
  func asking() throws {
    let sender = RecordingSender()
    let instance = try instance(sender)
    _ = try proven(instance, sender)
    let page = try page("ming", instance)
    let id = try #require(try channels(instance).first).id.description
    let mei = try instance.signedIn("mei")
    #expect(mei.get(page).shows("href=\"\(page)?ask=\(id)\""))
    let question = mei.get("\(page)?ask=\(id)")
    #expect(question.status == 200 && question.shows("data-dialog-content"))
    #expect(question.value(of: "channel") == id && question.value(of: "button") == "remove")
    #expect(mei.get("\(page)?ask=\(ID<Contact>(now: instance.clock.now()))").status == 404)
    #expect(mei.post(page, ["button": "remove", "channel": id]).status == 303)
    #expect(try channels(instance).isEmpty)
  }

  @Test("Those of other people cannot be seen or changed")
  func others() throws {
    let sender = RecordingSender()
    let instance = try instance(sender)
    _ = try proven(instance, sender)
    let page = try page("ming", instance)
    let id = try #require(try channels(instance).first).id.description
    try instance.watched("jun", by: ["lin"])
    let jun = try instance.signedIn("jun")
    jun.get("/checkin/contacts")
    #expect(jun.get(page).status == 404 && jun.get("\(page)?ask=\(id)").status == 404)
    for button in ["add", "send", "prove", "remove"] {
      #expect(jun.post(page, ["button": button, "channel": id]).status == 404)
    }
    let own = CheckInLinks.channels(try instance.contact("lin").id)
    for button in ["send", "prove", "remove"] {
      #expect(jun.post(own, ["button": button, "channel": id]).status == 404)
    }
    let lin = instance.browser()
    lin.get(try instance.contactPage("lin"))
    lin.post(
      try instance.contactPage("lin"), ["button": "prove", "channel": id, "code": "ABCDEF"])
    #expect(lin.cookie("toast") == "toast.channel_code_old")
    #expect(try channels(instance).count == 1)
  }

  // MARK: Alerts

  @Test(
    "Half an hour after a mail without an answer, the channel is used; all-clear goes there too")
  func alert() throws {
    let sender = RecordingSender()
    let instance = try instance(sender)
    let mei = try proven(instance, sender)
    try instance.goQuiet()
    try send(instance)
    #expect(sender.sent.count == 1)
    try pass(.minutes(28), instance)
    #expect(sender.sent.count == 1)
    try pass(60, instance)
    #expect(sender.sent.count == 2)
    let message = try #require(sender.sent.last)
    #expect(message.title == "PairSpot")
    #expect(message.body.hasPrefix("Mei hasn’t checked in since"))
    #expect(message.body.contains(try instance.contactPage("ming")))
    #expect(mei.get("/checkin").shows("<b>Ming</b> · alerted by SMS on"))
    mei.post("/checkin", ["button": "check-in"])
    try send(instance)
    #expect(sender.sent.last?.body.hasPrefix("All clear: Mei is well.") == true)
    #expect(sender.sent.count == 3)
  }

  @Test("A contact who has answered in time gets no message")
  func answered() throws {
    let sender = RecordingSender()
    let instance = try instance(sender)
    _ = try proven(instance, sender)
    try instance.goQuiet()
    let (ming, own) = (instance.browser(), try instance.contactPage("ming"))
    ming.get(own)
    ming.post(own, ["button": "opened"])
    try pass(.hours(1), instance)
    #expect(sender.sent.count == 1)
  }

  @Test("A contact whose mail bounces is alerted by the channel at once")
  func bouncing() throws {
    let sender = RecordingSender()
    let instance = try instance(sender)
    let mei = try proven(instance, sender)
    let ming = try instance.contact("ming")
    try instance.database.write { try instance.checkIn.contacts.bounces(ming.id, in: $0) }
    #expect(!mei.get("/checkin").shows("No one would be alerted"))
    try instance.goQuiet()
    try send(instance)
    #expect(sender.sent.count == 2)
  }

  @Test("A contact who refuses mail gets nothing by channels either")
  func refused() throws {
    let sender = RecordingSender()
    let instance = try instance(sender)
    let mei = try proven(instance, sender)
    let stop = "\(try instance.contactPage("ming"))/stop"
    instance.browser().plainPost(stop, [("List-Unsubscribe", "One-Click")])
    try instance.goQuiet()
    try pass(.hours(2), instance)
    #expect(sender.sent.count == 1)
    let page = try page("ming", instance)
    mei.post(page, ["button": "add", "offer": "ntfy", "recipient": "topic"])
    #expect(mei.cookie("toast") == "toast.channel_refused")
    #expect(try channels(instance).count == 1)
  }

  @Test("What the service does not take is tried again, then the channel counts as failing")
  func failing() throws {
    let sender = RecordingSender()
    let instance = try instance(sender)
    let mei = try proven(instance, sender)
    sender.setDown(true)
    try instance.goQuiet()
    try pass(.minutes(30), instance)
    for seconds in ChannelDispatcher.delays {
      #expect(!mei.get("/checkin").shows("doesn’t reach Ming any more"))
      try pass(seconds, instance)
    }
    #expect(mei.get("/checkin").shows("SMS doesn’t reach Ming any more"))
    #expect(mei.get(try page("ming", instance)).shows("Fails since"))
    #expect(mei.get("/checkin/contacts").shows("failed") || sender.sent.count == 1)
    // The next message that is taken ends it.
    sender.setDown(false)
    try pass(.days(1), instance)
    try pass(.minutes(30), instance)
    #expect(sender.sent.count == 2)
    #expect(sender.sent.last?.body.hasPrefix("Still no check-in from Mei") == true)
    #expect(!mei.get("/checkin").shows("doesn’t reach Ming any more"))
  }

  @Test("A message that is no longer needed is not sent")
  func recalled() throws {
    let sender = RecordingSender()
    let instance = try instance(sender)
    let mei = try proven(instance, sender)
    sender.setDown(true)
    try instance.goQuiet()
    try pass(.minutes(30), instance)
    mei.get("/checkin")
    mei.post("/checkin", ["button": "check-in"])
    sender.setDown(false)
    try pass(.minutes(2), instance)
    #expect(sender.sent.count == 1)
  }

  @Test("A check-in while a message is being sent is followed by the all-clear by the same channel")
  func inFlight() throws {
    let sender = RecordingSender()
    let instance = try instance(sender)
    let mei = try proven(instance, sender)
    try instance.goQuiet()
    instance.clock.advance(seconds: .minutes(30))
    try CheckInScan(services: instance.checkIn).run(now: instance.clock.now())
    mei.get("/checkin")
    // Used by this thread alone.
    nonisolated(unsafe) let browser = mei
    sender.whileSending { browser.post("/checkin", ["button": "check-in"]) }
    try send(instance)
    #expect(sender.sent.count == 3)
    #expect(sender.sent.last?.body.hasPrefix("All clear: Mei is well.") == true)
  }

  /// Mei’s alert, whose message to Ming’s channel is due.
  private func due(_ instance: TestInstance, _ sender: RecordingSender) throws -> TestClient {
    let mei = try proven(instance, sender)
    try instance.goQuiet()
    instance.clock.advance(seconds: .minutes(30))
    try CheckInScan(services: instance.checkIn).run(now: instance.clock.now())
    return mei
  }

  private func isAllClear(_ message: OutgoingMessage) -> Bool {
    message.body.hasPrefix("All clear: Mei is well.")
  }

  @Test("The page shows which way reached a contact while another one waits or fails")
  func reachedBy() throws {
    let sender = RecordingSender()
    let instance = try instance(sender)
    let mei = try due(instance, sender)
    #expect(mei.get("/checkin").shows("<b>Ming</b> · emailed on"))
    sender.setDown(true)
    for seconds in [0] + ChannelDispatcher.delays {
      instance.clock.advance(seconds: seconds)
      try send(instance)
    }
    #expect(
      try instance.number(
        "SELECT count(*) FROM contact_mails WHERE kind = 'alert' AND state = 'given-up'") == 1)
    #expect(mei.get("/checkin").shows("<b>Ming</b> · emailed on"))
  }

  @Test("A message whose result meets a locked database is recorded, and not sent again")
  func lockedDatabase() throws {
    let sender = RecordingSender()
    let instance = try instance(sender)
    _ = try due(instance, sender)
    let once = Once()
    let hook = TransactionHook { writer, _ in
      let isNoted = try writer.exists(
        """
        SELECT 1 FROM contact_mails
        WHERE channel_id IS NOT NULL AND kind = 'alert' AND state = 'sent'
        """)
      if isNoted, !once.isDone.exchange(true, ordering: .relaxed) { throw StorageError.busy }
    }
    try TransactionHook.$step.withValue(hook) { try send(instance) }
    let wasDone = once.isDone.load(ordering: .relaxed) && sender.sent.count == 2
    #expect(wasDone)
    instance.clock.advance(seconds: ChannelDispatcher.lease)
    try send(instance)
    #expect(sender.sent.count == 2)
    #expect(
      try instance.number("SELECT count(*) FROM checkin_record WHERE detail = 'alert sms'") == 1)
  }

  @Test("A message whose result cannot be recorded is not sent again, and the all-clear follows it")
  func unrecorded() throws {
    let sender = RecordingSender()
    let instance = try instance(sender)
    let mei = try due(instance, sender)
    try instance.migrate(
      """
      CREATE TRIGGER disk_full BEFORE INSERT ON checkin_record
      BEGIN SELECT RAISE(ABORT, 'full'); END
      """)
    #expect(throws: (any Error).self) { try send(instance) }
    try instance.migrate("DROP TRIGGER disk_full")
    instance.clock.advance(seconds: ChannelDispatcher.lease)
    try send(instance)
    #expect(sender.sent.count == 2)
    mei.get("/checkin")
    mei.post("/checkin", ["button": "check-in"])
    try send(instance)
    #expect(sender.sent.map(isAllClear) == [false, false, true])
  }

  @Test("A message that two workers send is followed by no all-clear while the alert is open")
  func sentTwice() throws {
    let sender = RecordingSender()
    let instance = try instance(sender)
    _ = try due(instance, sender)
    // Used by this thread alone.
    nonisolated(unsafe) let other = instance
    sender.whileSending {
      other.clock.advance(seconds: ChannelDispatcher.lease)
      try? other.instance.features.checkIn.channelDispatcher.sendDue()
    }
    try send(instance)
    #expect(sender.sent.map(isAllClear) == [false, false, false])
  }

  @Test("A message that is recalled while it is being sent, and the alert open, counts as sent")
  func recalledInFlight() throws {
    let sender = RecordingSender()
    let instance = try instance(sender)
    let mei = try due(instance, sender)
    let database = instance.database
    sender.whileSending {
      _ = try? database.write {
        try $0.execute("UPDATE contact_mails SET state = 'recalled' WHERE channel_id IS NOT NULL")
      }
    }
    try send(instance)
    #expect(sender.sent.map(isAllClear) == [false, false])
    mei.get("/checkin")
    mei.post("/checkin", ["button": "check-in"])
    try send(instance)
    #expect(sender.sent.map(isAllClear) == [false, false, true])
  }

  @Test("Of two alerts that end at once, the all-clear goes by the channels of both")
  func twoAlerts() throws {
    let sender = RecordingSender()
    let instance = try instance(sender)
    let mei = try proven(instance, sender)
    try instance.goQuiet()
    // Ming has seen the first alert, so no message about it goes by the channel.
    let (ming, own) = (instance.browser(), try instance.contactPage("ming"))
    ming.get(own)
    ming.post(own, ["button": "opened"])
    mei.get("/checkin")
    mei.post("/checkin/help", ["note": "Fell"])
    try pass(.minutes(31), instance)
    #expect(sender.sent.count == 2)
    mei.get("/checkin")
    mei.post("/checkin", ["button": "check-in"])
    try send(instance)
    #expect(sender.sent.map(isAllClear) == [false, false, true])
    #expect(
      try instance.number(
        """
        SELECT count(*) FROM contact_mails WHERE kind = 'all-clear' AND channel_id IS NULL
        """) == 1)
  }

  @Test("A service that hangs keeps neither another one waiting, nor its own other messages")
  func hanging() throws {
    let sender = RecordingSender()
    let instance = try instance(sender)
    try instance.watched(by: ["ming"])
    let ming = try instance.contact("ming")
    let recipients = [
      ("sms", "+886900000001"), ("sms", "+886900000002"), ("ntfy", "topic"),
      ("sms", "+886900000003"),
    ]
    try instance.database.write { writer in
      for (number, (offer, recipient)) in recipients.enumerated() {
        let now = instance.clock.now().adding(seconds: Int64(number) - 10)
        let id = ID<ContactChannel>(now: now)
        try instance.checkIn.channels.add(
          id, to: ming, offer: offer, recipient: recipient, in: writer)
        let channel = try #require(try instance.checkIn.channels.find(id, in: writer))
        try instance.checkIn.channels.queue(.allClear, by: channel, now: now, in: writer)
      }
    }
    sender.hang(at: "0001")
    try send(instance)
    #expect(
      sender.sent.map(\.url) == [
        "json://ntfy.example/topic", "json://sms.example/%2B886900000002",
        "json://sms.example/%2B886900000003",
      ])
    let tries = try instance.database.read {
      try $0.values(
        "SELECT attempts FROM contact_mails WHERE channel_id IS NOT NULL AND state = 'sent'",
        as: Int.self)
    }
    #expect(tries == [1, 1, 1])
    sender.hang(at: "nothing")
    instance.clock.advance(seconds: 60)
    try send(instance)
    #expect(sender.sent.last?.url == "json://sms.example/%2B886900000001")
  }

  @Test("Two workers send each message once, and what a killed one left is sent later")
  func twoWorkers() throws {
    let sender = RecordingSender()
    let instance = try instance(sender)
    _ = try proven(instance, sender)
    try instance.goQuiet()
    instance.clock.advance(seconds: .minutes(30))
    try CheckInScan(services: instance.checkIn).run(now: instance.clock.now())
    let now = instance.clock.now()
    let claimed = try instance.database.write {
      try instance.checkIn.channels.claim(
        until: now.adding(seconds: ChannelDispatcher.lease), limit: 10, now: now, in: $0)
    }
    #expect(claimed.map(\.kind) == [.alert])
    try send(instance)
    #expect(sender.sent.count == 1)
    instance.clock.advance(seconds: ChannelDispatcher.lease)
    try send(instance)
    try send(instance)
    #expect(sender.sent.count == 2)
  }

  @Test("After 90 days a channel is to be tested again, and still used")
  func old() throws {
    let sender = RecordingSender()
    let instance = try instance(sender)
    _ = try proven(instance, sender)
    instance.clock.advance(seconds: .days(91))
    let mei = try instance.signedIn("mei")
    #expect(mei.get("/checkin").shows("We haven’t checked for 90 days that SMS reaches Ming."))
  }

  // MARK: The operator's file

  @Test(
    "A file that cannot work is refused with its reason, without its secrets",
    arguments: [
      ("{}", "must be a JSON list"),
      ("[{}]", "name is missing"),
      (
        ChannelTests.file.replacing("/{to}\", \"to\": \"[a", with: "/\", \"to\": \"[a"),
        "ntfy: url needs {to}"
      ),
      (ChannelTests.file.replacing("ntfy.example/{to}", with: "{to}/x"), "ntfy: url needs {to}"),
      (
        ChannelTests.file.replacing("\"ntfy\", \"label\"", with: "\"sms\", \"label\""),
        "a name of its own"
      ),
      (ChannelTests.file.replacing("[a-z]{4,20}", with: "["), "ntfy: to is no regular expression"),
      (ChannelTests.file.replacing("\"topic\"", with: "\"9\""), "ntfy: example does not match"),
      (
        ChannelTests.file.replacing("\"zh-Hant\": \"ntfy\"", with: "\"fr\": \"ntfy\""),
        "ntfy: label needs"
      ),
    ])
  func wrongFile(json: String, problem: String) throws {
    let error = #expect(throws: ChannelOffers.InvalidFile.self) {
      try ChannelOffers(json: Data(json.utf8))
    }
    let text = try #require(error).description
    #expect(text.contains(problem), "\(text)")
    #expect(!text.contains("json://"))
  }

  @Test("The doctor names a channel that is in use and no longer offered")
  func doctor() throws {
    let sender = RecordingSender()
    let instance = try instance(sender)
    _ = try proven(instance, sender)
    #expect(try instance.problems() == [])
    try instance.database.write { try $0.execute("UPDATE contact_channels SET offer = 'fax'") }
    #expect(try instance.problems().contains { $0.contains("1 contacts use the channel “fax”") })
  }
}
