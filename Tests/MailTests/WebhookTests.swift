import Core
import Foundation
import Secrets
import Testing

@testable import Mail

@Suite("Webhooks")
struct WebhookTests {
  private static let now = Instant(milliseconds: 1_614_265_330_000)
  private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
  private static let id = "msg_p5jXN8AQM9LWM0D4loKWxJek"
  private static let body = Array("{\"test\": 2432232314}".utf8)
  /// The example from the documentation of Svix.
  private static let good = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

  private func isGood(
    secret: String = secret, id: String? = id, timestamp: String? = "1614265330",
    signatures: String? = good, body: [UInt8] = body, now: Instant = now
  ) throws -> Bool {
    try #require(WebhookSignature(secret: secret)).isGood(
      id: id, timestamp: timestamp, signatures: signatures, body: body, now: now)
  }

  @Test("The example of the documentation is good, alone and among others")
  func good() throws {
    #expect(try isGood())
    #expect(try isGood(signatures: "v1,bm9uZQ== v1a,\(Self.good.dropFirst(3)) \(Self.good)"))
  }

  @Test("Anything altered is not")
  func altered() throws {
    #expect(try !isGood(body: Self.body + [0x20]))
    #expect(try !isGood(body: []))
    #expect(try !isGood(id: "msg_other"))
    #expect(try !isGood(timestamp: "1614265331"))
    #expect(try !isGood(secret: "whsec_" + Data("another secret!!".utf8).base64EncodedString()))
    for signatures in [
      nil, "", "v1,", "v1", "v2,\(Self.good.dropFirst(3))", String(Self.good.dropFirst(3)),
      "v1, \(Self.good.dropFirst(3))", "v1,!!!", String(repeating: "v1,bm9uZQ== ", count: 100_000),
      String(repeating: "v1,bm9uZQ== ", count: 10) + Self.good,
    ] {
      #expect(try !isGood(signatures: signatures))
    }
    for id in [nil, ""] { #expect(try !isGood(id: id)) }
    for timestamp in [
      nil, "", "x", "+1614265330", "01614265330", "1614265330.0", " 1614265330",
      "9223372036854775807", "-9223372036854775808", "99999999999999999999",
    ] {
      #expect(try !isGood(timestamp: timestamp))
    }
  }

  @Test("Five minutes of difference between clocks are fine, more are not")
  func old() throws {
    for seconds in [-300, 300] as [Int64] {
      #expect(try isGood(now: Self.now.adding(seconds: seconds)))
    }
    for seconds in [-301, 301, .days(1)] as [Int64] {
      #expect(try !isGood(now: Self.now.adding(seconds: seconds)))
    }
  }

  @Test(
    "A secret in another form is none",
    arguments: ["", "whsec_", "whsec_short", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_!!!!"])
  func secrets(text: String) {
    #expect(WebhookSignature(secret: text) == nil)
  }

  // MARK: Events

  private func event(_ text: String) -> ResendEvent? { ResendEvent(Array(text.utf8)) }

  @Test("A permanent bounce and a complaint name the mail by its tag")
  func events() {
    let mail = ID<QueuedMail>.random()
    for tags in ["{\"mail\":\"\(mail)\"}", "[{\"name\":\"mail\",\"value\":\"\(mail)\"}]"] {
      #expect(
        event(
          """
          {"type":"email.bounced","created_at":"2026-01-13T01:05:09.000Z","data":{"email_id":"5",\
          "from":"PairSpot <home@pairspot.example>","to":["lin@dest.example"],"subject":"x",\
          "bounce":{"message":"The recipient's\\n address is unknown","subType":"General",\
          "type":"Permanent"},"tags":\(tags)}}
          """) == .bounced(mail, reason: "General: The recipient's  address is unknown"))
      #expect(
        event("{\"type\":\"email.complained\",\"data\":{\"tags\":\(tags)}}")
          == .bounced(mail, reason: "reported as spam"))
      #expect(
        event("{\"type\":\"email.bounced\",\"data\":{\"tags\":\(tags)}}")
          == .bounced(mail, reason: "bounced"))
    }
  }

  @Test("All other events have no effect on mail")
  func others() {
    let mail = ID<QueuedMail>.random()
    let tags = "\"tags\":{\"mail\":\"\(mail)\"}"
    for data in [
      "\"email.delivered\",\"data\":{\(tags)}", "\"email.bounced\",\"data\":{}",
      "\"email.bounced\"", "\"email.bounced\",\"data\":{\"tags\":{\"mail\":\"x\"}}",
      "\"email.bounced\",\"data\":{\"tags\":[1]}", "\"email.bounced\",\"data\":{\"tags\":7}",
      "\"email.bounced\",\"data\":{\"bounce\":{\"type\":\"Transient\"},\(tags)}",
      "\"email.bounced\",\"data\":{\"bounce\":{\"type\":\"Undetermined\"},\(tags)}",
    ] {
      guard case .other = event("{\"type\":\(data)}") else {
        Issue.record("\(data)")
        continue
      }
    }
    for text in ["", "[]", "{}", "null", "{\"type\":1}", "{\"type\":\"x\",\"data\":[]}", "\u{0}"] {
      #expect(event(text) == nil)
    }
  }
}
