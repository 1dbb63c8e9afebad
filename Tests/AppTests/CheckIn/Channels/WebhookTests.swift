import Core
import Foundation
import Mail
import Secrets
import Testing

@testable import App
@testable import CheckIn

@Suite("Webhooks as channels")
struct WebhookTests {
  private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

  private func file(url: String, secret: String) -> Data {
    Data(
      """
      [{"name": "duty", "label": {"en": "Duty", "zh-Hant": "值班", "zh-Hans": "值班"},
        "url": "\(url)", "secret": "\(secret)", "to": "[0-9]{2,6}", "example": "112"}]
      """.utf8)
  }

  @Test("The signature is that of the example of Standard Webhooks")
  func signature() throws {
    // https://github.com/standard-webhooks/standard-webhooks, the test of its libraries.
    let key = try #require(ChannelWebhook.secret(Self.secret))
    let text = #"msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}"#
    let signature = Data(Digests.hmac(Array(text.utf8), key: key)).base64EncodedString()
    #expect(signature == "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  }

  @Test("A call has the recipient, the text and a signature over identifier, time and body")
  func call() throws {
    let offers = try ChannelOffers(json: file(url: "https://alarms.example/x", secret: Self.secret))
    let offer = try #require(offers.find("duty"))
    let now = Instant(milliseconds: 1_772_409_600_000)
    let id = ID<QueuedMail>(now: now)
    let message = try #require(
      offer.message(
        id, to: "112", body: "Code: ABCDEF.", path: "/c/x",
        TestInstance().instance.site.catalogues, in: .english))
    guard case .webhook(let webhook) = message.means else {
      Issue.record("not a webhook")
      return
    }
    let call = WebhookSender.call(message, webhook, now: now)
    #expect(call.method == "POST" && call.url == "https://alarms.example/x")
    let headers = Dictionary(uniqueKeysWithValues: call.headers.map { ($0.name, $0.value) })
    #expect(headers["webhook-id"] == id.description)
    #expect(headers["webhook-timestamp"] == "1772409600")
    let signed = Array("\(id).1772409600.".utf8) + call.body
    let signature = Data(Digests.hmac(signed, key: webhook.secret)).base64EncodedString()
    #expect(headers["webhook-signature"] == "v1,\(signature)")
    let json = try #require(
      try JSONSerialization.jsonObject(with: Data(call.body)) as? [String: Any])
    #expect(json["type"] as? String == "contact.message")
    #expect((json["data"] as? [String: String])?["to"] == "112")
    #expect((json["data"] as? [String: String])?["text"] == "Code: ABCDEF.")
  }

  @Test(
    "A file with an unsafe address or a weak secret is refused",
    arguments: [
      ("http://alarms.example/", secret), ("https://alarms.example/{to}", secret),
      ("alarms.example", secret), ("file:///etc/passwd", secret),
      ("https://alarms.example/", "whsec_c2hvcnQ="), ("https://alarms.example/", "MfKQ9r8GKYqr"),
    ])
  func refused(url: String, secret: String) {
    #expect(throws: ChannelOffers.InvalidFile.self) {
      try ChannelOffers(json: file(url: url, secret: secret))
    }
  }

  @Test("A webhook on this machine may be called by http")
  func local() throws {
    let offers = try ChannelOffers(json: file(url: "http://127.0.0.1:9/", secret: Self.secret))
    #expect(!offers.hasApprise)
  }
}

@Suite("Health of channels")
struct ChannelHealthTests {
  private static let file = """
    [{"name": "sms", "label": {"en": "SMS", "zh-Hant": "簡訊", "zh-Hans": "短信"},
      "url": "json://sms.example/{to}", "to": "[0-9]{8,15}", "example": "886912345678"}]
    """

  @Test("An Apprise that cannot be started is a problem within two hours")
  func apprise() throws {
    let sender = RecordingSender()
    let instance = try TestInstance(
      channels: (try ChannelOffers(json: Data(Self.file.utf8)), sender))
    let dispatcher = instance.instance.features.checkIn.channelDispatcher
    func isWell() throws -> Bool {
      let check = try #require(
        instance.instance.features.checkIn.healthChecks.first { $0.name == "channels" })
      return try check.problem(instance.clock.now()) == nil
    }
    #expect(try !isWell())
    try dispatcher.beat(now: instance.clock.now())
    #expect(try isWell())
    sender.setDown(true)
    instance.clock.advance(seconds: .hours(1))
    try dispatcher.beat(now: instance.clock.now())
    #expect(try isWell())
    instance.clock.advance(seconds: .hours(1))
    try dispatcher.beat(now: instance.clock.now())
    #expect(try !isWell())
    sender.setDown(false)
    try dispatcher.beat(now: instance.clock.now())
    #expect(try isWell())
    // A heartbeat of a clock that was set back since says nothing.
    instance.clock.advance(seconds: -.hours(2))
    #expect(try !isWell())
  }

  @Test("Without channels that need Apprise all is well")
  func none() throws {
    let instance = try TestInstance()
    let check = try #require(
      instance.instance.features.checkIn.healthChecks.first { $0.name == "channels" })
    #expect(try check.problem(instance.clock.now()) == nil)
  }

  @Test("Apprise is ready where the interpreter has it, and not elsewhere")
  func interpreter() {
    #expect(!AppriseSender(interpreter: "/bin/false").isReady())
    #expect(!AppriseSender(interpreter: "/nonexistent").isReady())
    #expect(AppriseSender(interpreter: "/bin/true").isReady())
  }
}
