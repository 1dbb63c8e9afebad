import Core
import Database
import Foundation
import HTTPTypes
import Testing
import Web

@testable import App

@Suite("Calls that make something are done once under their Idempotency-Key")
struct RepeatedCallsTests {
  @Test("An invitation to a couple is mailed once, and its link keeps working")
  func invitation() throws {
    let instance = try TestInstance()
    for name in ["ida", "ivo"] { try instance.alone(name) }
    let (ida, ivo) = (try instance.signedIn("ida"), try instance.signedIn("ivo"))
    func invite(_ key: String, _ email: String = "ivo@example.test") -> TestResponse {
      // Mails are distinguished by their time.
      instance.clock.advance(seconds: 1)
      return ida.call(
        .post, "/couples/pair", #"{"email":"\#(email)"}"#, headers: [.idempotencyKey: key])
    }
    for _ in 0..<5 {
      let answer = invite("one")
      #expect(answer.status == 202 && answer.text.isEmpty)
    }
    #expect(try instance.mails(to: "ivo@example.test").count == 1)
    #expect(invite("one", "other@example.test").code == "conflict")
    let link = try instance.invitation(to: "ivo")
    let token = link.components(separatedBy: "token=").last ?? ""
    #expect(ivo.call(.post, "/couples/pair/accept", #"{"token":"\#(token)"}"#).status == 200)
  }

  @Test("Another key, or none, sends another invitation")
  func anotherKey() throws {
    let instance = try TestInstance()
    for name in ["ida", "ivo"] { try instance.alone(name) }
    let ida = try instance.signedIn("ida")
    for headers: HTTPFields in [[.idempotencyKey: "one"], [.idempotencyKey: "two"], [:]] {
      instance.clock.advance(seconds: 1)
      let body = #"{"email":"ivo@example.test"}"#
      #expect(ida.call(.post, "/couples/pair", body, headers: headers).status == 202)
    }
    #expect(try instance.mails(to: "ivo@example.test").count == 3)
  }

  @Test("A post with a picture that could not be stored leaves its key free")
  func failedPost() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    try instance.migrate(
      """
      CREATE TRIGGER no_posts BEFORE INSERT ON posts
      BEGIN SELECT RAISE(ABORT, 'no'); END
      """)
    func send() -> TestResponse {
      ann.send(
        "/posts", [("content", "Snow")], files: [("images[]", SmallPicture.png)], key: "one")
    }
    #expect(send().status == 500)
    try instance.database.write { _ = try $0.execute(.dropTrigger("no_posts")) }
    #expect(send().status == 201)
    #expect(try instance.count("SELECT count(*) FROM posts") == 1)
  }

  @Test("An export is packed once, also when the first is ready by the time of the repeat")
  func export() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    func begin(_ key: String) -> String? {
      let answer = sam.call(.post, "/account/export", headers: [.idempotencyKey: key])
      #expect(answer.status == 202)
      return answer.json["id"] as? String
    }
    let first = try #require(begin("one"))
    try instance.work()
    #expect(begin("one") == first)
    #expect(try instance.count("SELECT count(*) FROM exports") == 1)
    let second = begin("two")
    #expect(second != nil && second != first)
  }
}
