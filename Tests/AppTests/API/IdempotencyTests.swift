import Core
import Database
import Foundation
import HTTPTypes
import Synchronization
import Testing
import Web

@testable import App

@Suite("A call with an Idempotency-Key is done once")
struct IdempotencyTests {
  private struct Fixture {
    let instance: TestInstance
    let fixture: APIFixture
    let sam: TestClient

    init() throws {
      instance = try TestInstance()
      try instance.alone("sam")
      fixture = try APIFixture(instance)
      sam = TestClient(try fixture.application(instance))
      sam.signIn("sam@example.test", TestInstance.password)
    }

    func make(_ name: String, key: String?, by browser: TestClient? = nil) -> TestResponse {
      var headers: HTTPFields = [:]
      headers[.idempotencyKey] = key
      return (browser ?? sam).call(.post, "/things", "{\"name\":\"\(name)\"}", headers: headers)
    }
  }

  @Test("A repeat gets the first answer, byte for byte; without a key everything is done again")
  func again() throws {
    let setup = try Fixture()
    let first = setup.make("lamp", key: "k1")
    #expect(first.status == 201 && first.headers[.contentType] == "application/json")
    setup.instance.clock.advance(seconds: 23 * 3600)
    let second = setup.make("lamp", key: "k1")
    #expect(second.status == 201 && second.text == first.text && setup.fixture.count == 1)
    #expect(second.headers[.contentType] == "application/json")
    #expect(setup.make("lamp", key: "k2").text != first.text)
    #expect(setup.make("lamp", key: nil).status == 201 && setup.fixture.count == 3)
  }

  @Test("The same key with another body, or at another address, is 409")
  func otherBody() throws {
    let setup = try Fixture()
    #expect(setup.make("lamp", key: "k").status == 201)
    let other = setup.make("chair", key: "k")
    #expect(other.status == 409 && other.code == "conflict" && setup.fixture.count == 1)
    let upload = setup.sam.send(
      .post, "/api/v1/uploads",
      headers: [
        .idempotencyKey: "k", .csrfToken: setup.sam.freshToken(),
        .contentType: "multipart/form-data; boundary=x",
      ],
      body: Array(
        "--x\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nA\r\n--x--\r\n".utf8))
    #expect(upload.code == "conflict")
  }

  @Test("Keys are each person's own")
  func people() throws {
    let setup = try Fixture()
    try setup.instance.alone("dan")
    let dan = TestClient(try setup.fixture.application(setup.instance))
    dan.signIn("dan@example.test", TestInstance.password)
    let first = setup.make("lamp", key: "k")
    let second = setup.make("lamp", key: "k", by: dan)
    #expect(second.status == 201 && second.text != first.text && setup.fixture.count == 2)
  }

  @Test("After a day a key is new again, and the purge leaves nothing")
  func nextDay() throws {
    let setup = try Fixture()
    let first = setup.make("lamp", key: "k")
    setup.instance.clock.advance(seconds: 86_401)
    #expect(setup.make("chair", key: "k").status == 201 && first.status == 201)
    setup.instance.clock.advance(seconds: 86_401)
    try setup.instance.work()
    let left = try setup.instance.database.read {
      try $0.count("SELECT count(*) FROM idempotency_keys")
    }
    #expect(left == 0 && setup.fixture.count == 2)
  }

  @Test("A call that was refused, or failed before it changed anything, frees its key")
  func failures() throws {
    let setup = try Fixture()
    setup.fixture.mood.withLock { $0 = .refusesBefore }
    #expect(setup.make("lamp", key: "k").status == 422)
    setup.fixture.mood.withLock { $0 = .failsBefore }
    #expect(setup.make("chair", key: "k").status == 500)
    setup.fixture.mood.withLock { $0 = .well }
    #expect(setup.make("table", key: "k").status == 201 && setup.fixture.count == 1)
  }

  @Test("A call that failed after it had changed something is not done a second time")
  func failureAfter() throws {
    let setup = try Fixture()
    setup.fixture.mood.withLock { $0 = .failsAfter }
    #expect(setup.make("lamp", key: "k").status == 500)
    setup.fixture.mood.withLock { $0 = .well }
    setup.instance.clock.advance(seconds: 600)
    let again = setup.make("lamp", key: "k")
    #expect(again.status == 409 && again.code == "conflict" && setup.fixture.count == 1)
  }

  @Test("A database that fails frees the key only while nothing was changed")
  func databaseFailures() throws {
    let setup = try Fixture()
    setup.fixture.mood.withLock { $0 = .isFullBefore }
    #expect(setup.make("chair", key: "k").status == 503)
    setup.fixture.mood.withLock { $0 = .isFullAfter }
    #expect(setup.make("lamp", key: "k").status == 503 && setup.fixture.count == 1)
    setup.fixture.mood.withLock { $0 = .well }
    setup.instance.clock.advance(seconds: 600)
    let again = setup.make("lamp", key: "k")
    #expect(again.status == 409 && again.code == "conflict" && setup.fixture.count == 1)
  }

  /// The same call from another thread, like a concurrent request.
  private func twin(_ setup: Fixture) throws -> @Sendable () -> (status: Int, retryAfter: String?) {
    let (application, cookies) = (try setup.fixture.application(setup.instance), setup.sam.cookies)
    let token = setup.sam.freshToken()
    return {
      let results = Mutex<(status: Int, retryAfter: String?)>((0, nil))
      APIFixture.elsewhere {
        let browser = TestClient(application)
        for (name, value) in cookies { browser.setPlain(cookie: name, value) }
        let answer = browser.call(
          .post, "/things", "{\"name\":\"lamp\"}",
          headers: [.idempotencyKey: "k", .csrfToken: token])
        results.withLock { $0 = (answer.status, answer.headers[.retryAfter]) }
      }
      return results.withLock { $0 }
    }
  }

  @Test("While the first call runs, a repeat is 409 with Retry-After")
  func running() throws {
    let setup = try Fixture()
    let fixture = setup.fixture
    let twin = try twin(setup)
    let results = Mutex<(status: Int, retryAfter: String?)>((0, nil))
    fixture.mood.withLock {
      $0 = .callsBack {
        fixture.mood.withLock { $0 = .well }
        let answer = twin()
        results.withLock { $0 = answer }
      }
    }
    #expect(setup.make("lamp", key: "k").status == 201)
    let answer = results.withLock { $0 }
    #expect(answer.status == 409 && answer.retryAfter == "1" && fixture.count == 1)
  }

  @Test("A call that exceeds its lease is taken over, and its later changes are undone")
  func takenOver() throws {
    let setup = try Fixture()
    let (fixture, clock) = (setup.fixture, setup.instance.clock)
    let twin = try twin(setup)
    let results = Mutex<(status: Int, retryAfter: String?)>((0, nil))
    // The first attempt is so slow that the second one completes before it changes anything.
    fixture.mood.withLock {
      $0 = .callsBack {
        fixture.mood.withLock { $0 = .well }
        clock.advance(seconds: 361)
        let answer = twin()
        results.withLock { $0 = answer }
      }
    }
    let slow = setup.make("lamp", key: "k")
    let answer = results.withLock { $0 }
    #expect(answer.status == 201 && slow.status == 409 && fixture.count == 1)
    #expect(setup.make("lamp", key: "k").status == 201 && fixture.count == 1)
  }

  @Test("Uploads are compared by their content, not by their encoding")
  func uploads() throws {
    let setup = try Fixture()
    func upload(_ content: String, boundary: String) -> TestResponse {
      let body =
        "--\(boundary)\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nA\r\n"
        + "--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n"
        + "Content-Type: image/png\r\n\r\n\(content)\r\n--\(boundary)--\r\n"
      return setup.sam.send(
        .post, "/api/v1/uploads",
        headers: [
          .idempotencyKey: "k", .csrfToken: setup.sam.freshToken(),
          .contentType: "multipart/form-data; boundary=\(boundary)",
        ], body: Array(body.utf8))
    }
    let first = upload("picture", boundary: "one")
    #expect(first.status == 201 && first.json["name"] as? String == "A 7")
    #expect(upload("picture", boundary: "two").text == first.text)
    #expect(upload("pictures", boundary: "one").status == 409 && setup.fixture.count == 1)
  }

  @Test("A key is 1 to 255 visible characters")
  func keys() throws {
    let setup = try Fixture()
    for key in ["a b", "ä", String(repeating: "k", count: 256)] {
      let answer = setup.make("lamp", key: key)
      #expect(answer.status == 422 && answer.fieldErrors["Idempotency-Key"] != nil)
    }
    #expect(setup.make("lamp", key: String(repeating: "k", count: 255)).status == 201)
  }

  @Test("The stored answer is encrypted")
  func sealed() throws {
    let setup = try Fixture()
    #expect(setup.make("unmistakable", key: "unmistakable-key").status == 201)
    let kept = try setup.instance.database.read {
      try $0.rows("SELECT body_sealed, key_hash FROM idempotency_keys") {
        try $0.next([UInt8].self) + $0.next([UInt8].self)
      }
    }
    #expect(kept.count == 1)
    #expect(!String(decoding: kept[0], as: UTF8.self).contains("unmistakable"))
  }

  @Test("A process that dies before its answer is kept costs no answer, and doubles nothing")
  func diedBeforeItsAnswer() throws {
    let instance = try TestInstance()
    let viewer = try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let code = try #require(try instance.codes(1, by: instance.admin()).first)
    try instance.grant(100, to: viewer.id)
    let post = try sam.apiPost("Before")
    sam.begin("Sam", contact: "kai@example.test", "save")
    let group = try sam.makeGroup()
    func text(_ object: [String: Any]) throws -> String {
      String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }
    let one = try text(instance.session(3600))
    let batch = try text(["sessions": [instance.session(9_000)]])
    let calls: [(path: String, body: String, table: Query)] = [
      ("/checkin", "{}", "check_ins"),
      ("/checkin/contacts", #"{"email":"lee@example.test","name":"Lee"}"#, "emergency_contacts"),
      ("/groups", #"{"name":"Hills"}"#, "groups"),
      (
        "\(group.call)/waypoints", #"{"name":"Tea","latitude":25,"longitude":121}"#,
        "waypoints"
      ),
      ("\(group.call)/commands", #"{"kind":"rest"}"#, "group_events"),
      ("/sessions", one, "workouts"),
      ("/sessions/batch_upload", batch, "workouts"),
      ("/account/export", "", "exports"),
      ("/wallet/redeem", #"{"code":"\#(code)"}"#, "coin_transactions"),
      ("\(post)/promote", #"{"days":3,"coins":30}"#, "coin_transactions"),
      ("/couples/pair", #"{"email":"ben@example.test"}"#, "pair_invitations"),
    ]
    // The change is committed, then the process dies before it can store its answer.
    try instance.migrate(
      """
      CREATE TRIGGER dies BEFORE UPDATE ON idempotency_keys WHEN NEW.state = 2
      BEGIN SELECT RAISE(ABORT, 'died'); END
      """)
    for (number, call) in calls.enumerated() {
      func send() -> TestResponse {
        sam.call(
          .post, call.path, call.body.isEmpty ? nil : call.body,
          headers: [.idempotencyKey: "key-\(number)"])
      }
      let first = send()
      try #require((200..<300).contains(first.status), "\(call.path) \(first.text)")
      let made = try instance.count("SELECT count(*) FROM \(call.table)")
      let mails = try instance.count("SELECT count(*) FROM jobs")
      #expect(send().status == 409)
      instance.clock.advance(seconds: 361)
      let again = send()
      #expect(again.status == first.status, "\(call.path)")
      #expect(again.text == first.text, "\(call.path)")
      #expect(try instance.count("SELECT count(*) FROM \(call.table)") == made, "\(call.path)")
      #expect(try instance.count("SELECT count(*) FROM jobs") == mails, "\(call.path)")
    }
    // Posts and pictures are sent as forms.
    for path in ["/posts", "/photos"] {
      func send() -> TestResponse {
        sam.send(
          path, path == "/posts" ? [("content", "Words")] : [],
          files: path == "/posts" ? [] : [("file", SmallPicture.png)], key: "form-\(path)")
      }
      let first = send()
      try #require(first.status == 201, "\(path) \(first.text)")
      instance.clock.advance(seconds: 361)
      let again = send()
      #expect(again.status == 201 && again.json["id"] as? String == first.json["id"] as? String)
    }
    #expect(try instance.count("SELECT count(*) FROM posts") == 2)
    #expect(try instance.count("SELECT count(*) FROM photos") == 1)
    #expect(try instance.problems() == [])
  }

  @Test("Every call with a key is for signed-in users")
  func doors() throws {
    let setup = try Fixture()
    let routes = try setup.fixture.application(setup.instance).router.routes
    let taking = routes.filter { $0.options.contains(.idempotent) }
    #expect(taking.count >= 2)
    for route in taking {
      guard case .atLeast(let role) = route.access else {
        Issue.record("\(route.name)")
        continue
      }
      #expect(role >= .guest && !route.options.contains(.withoutViewer))
    }
  }
}
