import Core
import Foundation
import HTTPTypes
import Mail
import Secrets
import Testing

@testable import App

@Suite("Webhook events of Resend")
struct ResendWebhookTests {
  private static let key = Array("a secret of Resend's".utf8)
  private static let secret = "whsec_" + Data(key).base64EncodedString()

  private let instance: TestInstance
  private let mail: ID<QueuedMail>

  init() throws {
    let instance = try TestInstance(variables: ["RESEND_WEBHOOK_SECRET": Self.secret])
    self.instance = instance
    mail = try instance.database.write {
      try instance.instance.mailQueue.add(
        instance.instance.testMail.written(TestMail(baseURL: "http://x"), in: .english),
        to: "lin@example.test", now: instance.clock.now(), in: $0)
    }
    try instance.work()
  }

  private var event: String {
    """
    {"type":"email.bounced","data":{"bounce":{"type":"Permanent","message":"no such box"},\
    "tags":{"mail":"\(mail)"}}}
    """
  }

  /// A call like Resend's, with the given parts changed.
  private func call(
    _ body: String, signed: String? = nil, key: [UInt8] = key, age: Int64 = 0,
    in instance: TestInstance? = nil
  ) -> TestResponse {
    let instance = instance ?? self.instance
    let time = instance.clock.now().milliseconds / 1000 - age
    let mac = Digests.hmac(Array("msg_1.\(time).\(signed ?? body)".utf8), key: key)
    var headers: HTTPFields = [.contentType: "application/json"]
    for (name, value) in [
      ("svix-id", "msg_1"), ("svix-timestamp", "\(time)"),
      ("svix-signature", "v1,\(Data(mac).base64EncodedString())"),
    ] {
      headers[HTTPField.Name(name)!] = value
    }
    return instance.browser().send(
      .post, ResendWebhook.path, headers: headers, body: Array(body.utf8))
  }

  private func bounces() throws -> Int {
    try instance.count("SELECT count(*) FROM mail_queue WHERE bounced_at IS NOT NULL")
  }

  @Test("A signed call marks the mail, as often as it comes, without a token or a session")
  func marks() throws {
    #expect(try bounces() == 0)
    for _ in 0..<2 { #expect(call(event).status == 204) }
    #expect(try bounces() == 1)
    #expect(try instance.count("SELECT count FROM mail_results WHERE result = 'bounced'") == 1)
  }

  @Test("A call that is altered, old, signed by others or not at all changes nothing")
  func refused() throws {
    #expect(call(event, signed: event + " ").status == 401)
    #expect(call(event, key: Array("another secret of theirs".utf8)).status == 401)
    for age in [301, -301, 86_400] as [Int64] { #expect(call(event, age: age).status == 401) }
    let bare = instance.browser().send(.post, ResendWebhook.path, body: Array(event.utf8))
    #expect(bare.status == 401)
    #expect(try bounces() == 0)
  }

  @Test("Other events, unknown mails and nonsense are taken calmly")
  func others() throws {
    for body in [
      "{\"type\":\"email.delivered\",\"data\":{\"tags\":{\"mail\":\"\(mail)\"}}}",
      "{\"type\":\"email.bounced\",\"data\":{\"tags\":{\"mail\":\"\(ID<QueuedMail>.random())\"}}}",
      "{\"type\":\"email.bounced\",\"data\":{\"tags\":{\"mail\":\"' OR 1=1 --\"}}}",
    ] {
      #expect(call(body).status == 204)
    }
    #expect(call("[]").status == 400)
    #expect(call(String(repeating: "x", count: ResendWebhook.bodyLimit + 1)).status == 413)
    #expect(try bounces() == 0)
  }

  @Test("Without a secret there is no such address")
  func absent() throws {
    #expect(call(event, in: try TestInstance()).status == 404)
  }
}
