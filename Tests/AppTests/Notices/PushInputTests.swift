import Core
import Foundation
import Testing

@testable import App

@Suite("Input of a push subscription")
struct PushInputTests {
  private static let keys =
    #"{"p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4","auth":"BTBZMqHH6r4Tts7J_aSIgg"}"#

  private func ann() throws -> (TestInstance, TestClient) {
    let instance = try TestInstance()
    try instance.alone("ann")
    return (instance, try instance.signedIn("ann"))
  }

  private static let unknown = "This must be the address of a known push service."
  private static let plain = "This must be an https address on the standard port."
  private static let strange = "This must be the address from the push service."

  @Test(
    "An address that is none of a push service is refused, with the reason",
    arguments: [
      (
        "https://fcm.googleapis.com/" + String(repeating: "a", count: 3_000),
        "This address is too long."
      ),
      ("http://fcm.googleapis.com/x", plain), ("https://fcm.googleapis.com:22/x", plain),
      ("https://fcm.googleapis.com:8443/x", plain), ("ftp://fcm.googleapis.com/x", plain),
      ("javascript:alert(1)", strange), ("", strange), ("/push", strange), ("x", strange),
      ("https://fcm.googleapis.com/a b", strange), ("https://ann@fcm.googleapis.com/x", strange),
      ("https://fcm%2Egoogleapis.com/x", strange), ("https://fcm.googleapis.com", strange),
      ("https://fcm.googleapis.com/x#y", strange),
      ("https://127.0.0.1/x", unknown), ("https://127.1/x", unknown),
      ("https://2130706433/x", unknown), ("https://localhost/x", unknown),
      ("https://localhost./x", unknown), ("https://[::1]/x", unknown),
      ("https://[::ffff:127.0.0.1]/x", unknown), ("https://[::ffff:7f00:1]/x", unknown),
      ("https://10.0.0.1/x", unknown), ("https://169.254.169.254/x", unknown),
      ("https://evil.example/x", unknown), ("https://fcm.googleapis.com.evil.example/x", unknown),
      ("https://fcm.googleapis.com./x", unknown), ("https://FCM.googleapis.com.evil/x", unknown),
    ])
  func endpoints(address: String, reason: String) throws {
    let (instance, ann) = try ann()
    let answer = ann.call(
      .post, "/push/subscriptions", #"{"endpoint":"\#(address)","keys":\#(Self.keys)}"#)
    #expect(answer.status == 422, "\(address.prefix(60))")
    #expect(answer.fieldErrors == ["endpoint": reason], "\(address.prefix(60))")
    #expect(try instance.count("SELECT count(*) FROM push_subscriptions") == 0)
  }

  @Test(
    "Keys that nothing can be sealed for are refused, each by its name",
    arguments: [
      // Not on the curve, too short, too long, the point at infinity, compressed, no base64url.
      ("p256dh", "B" + String(repeating: "A", count: 86)), ("p256dh", "BCVx"), ("p256dh", ""),
      ("p256dh", String(repeating: "A", count: 100_000)), ("p256dh", "AA"),
      ("p256dh", "A" + String(repeating: "B", count: 43)), ("p256dh", "*\u{e9}"),
      ("auth", ""), ("auth", "BTBZMqHH6r4Tts7J_aSI"), ("auth", "BTBZMqHH6r4Tts7J_aSIggAA"),
      ("auth", "BTBZMqHH6r4Tts7J/aSIgg"), ("auth", String(repeating: "=", count: 100_000)),
    ])
  func wrongKeys(name: String, value: String) throws {
    let (instance, ann) = try ann()
    var keys = try #require(
      try JSONSerialization.jsonObject(with: Data(Self.keys.utf8)) as? [String: String])
    keys[name] = value
    let body = try JSONSerialization.data(withJSONObject: [
      "endpoint": TestClient.pushEndpoint + "x", "keys": keys,
    ])
    let answer = ann.call(.post, "/push/subscriptions", String(decoding: body, as: UTF8.self))
    #expect(answer.status == 422 && Array(answer.fieldErrors.keys) == ["keys.\(name)"])
    #expect(try instance.count("SELECT count(*) FROM push_subscriptions") == 0)
  }

  @Test(
    "An invalid subscription names the wrong fields",
    arguments: [
      ("{}", 422, ["endpoint", "keys"]), ("[]", 422, []), ("null", 422, []), ("\"x\"", 422, []),
      ("", 400, []), ("{", 400, []),
      (#"{"endpoint":1,"keys":2}"#, 422, ["endpoint", "keys"]),
      (
        #"{"endpoint":"https://fcm.googleapis.com/x","keys":{}}"#, 422,
        ["keys.auth", "keys.p256dh"]
      ),
      (#"{"endpoint":["https://fcm.googleapis.com/x"],"keys":[]}"#, 422, ["endpoint", "keys"]),
      (
        #"{"endpoint":null,"keys":{"p256dh":true,"auth":{}}}"#, 422,
        ["endpoint", "keys.auth", "keys.p256dh"]
      ),
    ])
  func shapes(body: String, status: Int, fields: [String]) throws {
    let (_, ann) = try ann()
    let answer = ann.call(.post, "/push/subscriptions", body)
    #expect(answer.status == status, "\(body)")
    #expect(answer.fieldErrors.keys.sorted() == fields, "\(body)")
  }

  @Test("A name of a known service that leads inside is refused, and so is one that starts to")
  func inside() throws {
    let instance = try TestInstance()
    try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    let inside = "https://inside.push.apple.com/x"
    let answer = ann.call(.post, "/push/subscriptions", TestClient.subscription(inside))
    #expect(answer.status == 422)
    #expect(answer.fieldErrors == ["endpoint": "This address points to a private network."])
    // Keys with padding, and unknown fields, are accepted.
    let padded = TestClient.subscription(TestClient.pushEndpoint + "x").replacing(
      "gg\"", with: "gg==\"")
    #expect(ann.call(.post, "/push/subscriptions", padded).status == 204)
    try ben.write("Words")
    #expect(try instance.pushed().count == 1)
  }
}
