import Core
import Foundation
import Testing
import WebPush

@testable import App
@testable import CheckIn

@Suite("Notifications in a contact's browser")
struct ContactPushTests {
  private static let point =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"

  private func turnOn(
    _ browser: TestClient, _ page: String, endpoint: String = "\(TestClient.pushEndpoint)one",
    point: String = ContactPushTests.point, auth: String = "BTBZMqHH6r4Tts7J_aSIgg"
  ) -> TestResponse {
    browser.get(page)
    return browser.post(
      page, ["button": "push", "endpoint": endpoint, "p256dh": point, "auth": auth])
  }

  private func sent(_ instance: TestInstance) throws -> [PushMessage] {
    try instance.instance.features.checkIn.channelDispatcher.sendDue()
    return instance.pushes.take()
  }

  private func channels(_ instance: TestInstance) throws -> [ContactChannel] {
    let person = try instance.person("Mei")
    return try instance.database.read { try instance.checkIn.channels.all(of: person, in: $0) }
  }

  /// Ming, a contact of Mei, with notifications that are proven.
  private func proven(_ instance: TestInstance) throws -> (browser: TestClient, page: String) {
    try instance.watched(by: ["ming"])
    try instance.work()
    let (ming, page) = (instance.browser(), try instance.contactPage())
    try #require(turnOn(ming, page).status == 303)
    let push = try #require(try sent(instance).first)
    let code = try #require(push.body?.firstMatch(of: /Code: ([A-Z]{6})\./)).output.1
    let id = try #require(try channels(instance).first).id.description
    ming.post(page, ["button": "prove", "channel": id, "code": String(code)])
    return (ming, page)
  }

  @Test("A code is pushed, opens the contact's page, and proves the browser")
  func code() throws {
    let instance = try TestInstance()
    let (ming, page) = try proven(instance)
    #expect(ming.cookie("toast") == "toast.channel_works")
    #expect(try channels(instance).first?.provenAt != nil)
    let mei = try instance.signedIn("mei")
    let contacts = mei.get("/checkin/contacts")
    #expect(contacts.shows("Notifications in their browser: Works"))
    // The user does not learn the address of the browser.
    let list = mei.get(CheckInLinks.channels(try instance.contact("ming").id))
    #expect(list.shows("Notifications in their browser") && !list.shows("fcm.googleapis.com"))
    _ = page
  }

  @Test("An alert that is not answered is pushed after half an hour, and so is the all-clear")
  func alert() throws {
    let instance = try TestInstance()
    let (_, page) = try proven(instance)
    try instance.goQuiet()
    try CheckInScan(services: instance.checkIn).run(now: instance.clock.now())
    try instance.work()
    #expect(try sent(instance).isEmpty)
    instance.clock.advance(seconds: .minutes(31))
    try CheckInScan(services: instance.checkIn).run(now: instance.clock.now())
    let push = try #require(try sent(instance).first)
    #expect(push.url == page && push.urgency == .high)
    #expect(push.body?.hasPrefix("Mei hasn’t checked in since") == true)
    try instance.tap(try instance.person("Mei"))
    #expect(try sent(instance).first?.body?.contains("is well") == true)
  }

  @Test("A browser that has unsubscribed counts as failing")
  func gone() throws {
    let instance = try TestInstance()
    _ = try proven(instance)
    let mei = try instance.signedIn("mei")
    let page = CheckInLinks.channels(try instance.contact("ming").id)
    mei.get(page)
    let id = try #require(try channels(instance).first).id.description
    mei.post(page, ["button": "send", "channel": id])
    instance.pushes.answer(.gone)
    for _ in 0..<4 {
      _ = try sent(instance)
      instance.clock.advance(seconds: .minutes(31))
    }
    #expect(try channels(instance).first?.failedAt != nil)
    #expect(mei.get("/checkin").shows("Notifications in their browser"))
  }

  @Test(
    "What is no subscription of a push service is refused",
    arguments: [
      ("https://evil.example/x", point, "BTBZMqHH6r4Tts7J_aSIgg"),
      ("http://127.0.0.1/x", point, "BTBZMqHH6r4Tts7J_aSIgg"),
      ("https://inside.notify.windows.com/x", point, "BTBZMqHH6r4Tts7J_aSIgg"),
      ("https://fcm.googleapis.com/fcm/send/x y", point, "BTBZMqHH6r4Tts7J_aSIgg"),
      ("https://fcm.googleapis.com/fcm/send/x", "BCVx", "BTBZMqHH6r4Tts7J_aSIgg"),
      ("https://fcm.googleapis.com/fcm/send/x", point, "AA"), ("", "", ""),
    ])
  func refused(endpoint: String, point: String, auth: String) throws {
    let instance = try TestInstance()
    try instance.watched(by: ["ming"])
    let answer = turnOn(
      instance.browser(), try instance.contactPage(), endpoint: endpoint, point: point, auth: auth)
    #expect(answer.status == 400)
    #expect(try channels(instance).isEmpty)
  }

  @Test("The same browser is kept once, three at most, ten times a day")
  func limits() throws {
    let instance = try TestInstance(limits: true)
    try instance.watched(by: ["ming"])
    let (ming, page) = (instance.browser(), try instance.contactPage())
    func add(_ name: String) -> TestResponse {
      turnOn(ming, page, endpoint: TestClient.pushEndpoint + name)
    }
    for name in ["a", "a", "b", "c"] { #expect(add(name).status == 303) }
    #expect(try channels(instance).count == 3)
    #expect(add("d").status == 303 && ming.cookie("toast") == "toast.channels_full")
    #expect(try channels(instance).count == 3)
    for _ in 0..<5 { #expect(add("a").status == 303) }
    #expect(add("a").status == 429)
  }

  @Test("A contact who has refused mail, and a link that is wrong, add nothing")
  func notAllowed() throws {
    let instance = try TestInstance()
    try instance.watched(by: ["ming"])
    let page = try instance.contactPage()
    try instance.database.write {
      try $0.execute("UPDATE emergency_contacts SET state = 'refused'")
    }
    let ming = instance.browser()
    #expect(!ming.get(page).shows("data-contact-push"))
    #expect(turnOn(ming, page).status == 303)
    #expect(try channels(instance).isEmpty)
    #expect(turnOn(instance.browser(), "/c/nothing").status == 404)
  }

  @Test("A user cannot add a browser, and an operator's channel cannot have its name")
  func reserved() throws {
    let instance = try TestInstance()
    try instance.watched(by: ["ming"])
    let mei = try instance.signedIn("mei")
    let path = "/checkin/contacts/\(try instance.contact("ming").id)/channels"
    let text = "\(TestClient.pushEndpoint)x \(Self.point) BTBZMqHH6r4Tts7J_aSIgg"
    #expect(mei.call(.post, path, #"{"offer":"push","recipient":"\#(text)"}"#).status == 422)
    let file = """
      [{"name": "push", "label": {"en": "a", "zh-Hant": "a", "zh-Hans": "a"},
        "url": "json://sms.example/{to}", "to": "[0-9]+", "example": "1"}]
      """
    #expect(throws: ChannelOffers.InvalidFile.self) { try ChannelOffers(json: Data(file.utf8)) }
  }
}
