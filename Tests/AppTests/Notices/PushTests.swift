import Core
import Dispatch
import Foundation
import HTTPTypes
import Synchronization
import Testing
import WebPush

@testable import App

/// A push service that accepts connections and never answers.
final class StuckService: Sendable {
  let host: String
  private let gate = DispatchSemaphore(value: 0)
  private let count = Mutex(0)

  init(host: String) { self.host = host }

  /// Number of threads that wait for its answer.
  var waiting: Int { count.withLock { $0 } }

  func take() {
    count.withLock { $0 += 1 }
    gate.wait()
    gate.signal()
  }

  func unblock() { gate.signal() }
}

@Suite("Push notifications")
struct PushTests {
  private func two() throws -> (TestInstance, ann: TestClient, ben: TestClient) {
    let instance = try TestInstance()
    try instance.couple()
    return (instance, try instance.signedIn("ann"), try instance.signedIn("ben"))
  }

  @Test("A subscribed browser gets pushes with texts that name nothing")
  func told() throws {
    let (instance, ann, ben) = try two()
    #expect(!ann.get("/notifications").shows("data-on"))
    #expect(ann.subscribe().status == 204)
    #expect(ann.get("/notifications").shows("data-on"))
    let post = try ben.write("A secret place")
    let sent = try instance.pushed()
    #expect(sent.map(\.body) == ["Your partner posted something."])
    #expect(sent.first?.url == post && sent.first?.action == "" && sent.first?.user == "")
    #expect(sent.first?.endpoint.address == TestClient.pushEndpoint + "one")
    // A tag is a hash, which may contain such a name by chance.
    let words = String(decoding: try #require(sent.first).content, as: UTF8.self)
      .replacing(/"tag":"[^"]*"/, with: "")
    for name in ["Ann", "Ben", "secret"] { #expect(!words.contains(name)) }
    #expect(try instance.pushed().isEmpty)
  }

  @Test("A kind disabled for push isn't pushed, one disabled for the list is")
  func preferences() throws {
    let (instance, ann, ben) = try two()
    ann.subscribe()
    ann.post("/settings/notifications", ["by_push": "partner_posted"])
    try ben.write("Words")
    #expect(try instance.pushed().count == 1 && ann.notices() == [])
    ann.post("/settings/notifications", ["on_page": "partner_posted"])
    try ben.write("More")
    #expect(try instance.pushed().isEmpty && ann.notices().count == 1)
  }

  @Test("Signing out, ending a session elsewhere and turning off end it; other devices stay")
  func ends() throws {
    let (instance, ann, ben) = try two()
    let (phone, tablet) = (try instance.signedIn("ann"), try instance.signedIn("ann"))
    for (browser, name) in [(ann, "a"), (phone, "b"), (tablet, "c")] { browser.subscribe(name) }
    func told() throws -> [String] {
      try ben.write("Words \(UUID())")
      return try instance.pushed().map { String($0.endpoint.address.suffix(1)) }.sorted()
    }
    #expect(try told() == ["a", "b", "c"])
    phone.post("/sign-out")
    #expect(try told() == ["a", "c"])
    ann.post(
      "/settings/sessions", ["others": "1", "current_password": TestInstance.password])
    #expect(try told() == ["a"])
    let other = "{\"endpoint\":\"\(TestClient.pushEndpoint)a\"}"
    #expect(ben.call(.delete, "/push/subscriptions", other).status == 204)
    #expect(try told() == ["a"])
    #expect(ann.call(.delete, "/push/subscriptions", other).status == 204)
    #expect(try told() == [])
  }

  @Test("A browser with a new user notifies that user only, and one sign-in has one")
  func handedOn() throws {
    let (instance, ann, ben) = try two()
    ann.subscribe("same")
    ben.subscribe("same")
    try ben.write("Words")
    #expect(try instance.pushed().isEmpty)
    ben.subscribe("new")
    #expect(try instance.count("SELECT count(*) FROM push_subscriptions") == 1)
  }

  @Test("A subscription that the browser replaces stays with the sign-in that had it")
  func renewal() throws {
    let (instance, ann, ben) = try two()
    func renew(_ browser: TestClient, _ name: String) -> Int {
      let body = TestClient.subscription(TestClient.pushEndpoint + name)
        .replacing("{\"endpoint\"", with: "{\"renewal\":true,\"endpoint\"")
      return browser.call(.post, "/push/subscriptions", body).status
    }
    ann.subscribe("old")
    #expect(renew(ann, "new") == 204)
    try ben.write("Words")
    let sent = try instance.pushed()
    #expect(sent.map(\.endpoint.address) == [TestClient.pushEndpoint + "new"])
    // Ben is signed in by now in the browser that Ann has left.
    #expect(renew(ben, "new") == 409)
    #expect(try instance.count("SELECT count(*) FROM push_subscriptions") == 1)
  }

  @Test("A new password keeps this browser's subscription and ends the others'")
  func renewed() throws {
    let (instance, ann, ben) = try two()
    let phone = try instance.signedIn("ann")
    ann.subscribe("a")
    phone.subscribe("b")
    let changed = ann.post(
      "/settings/password",
      ["current_password": TestInstance.password, "password": "another sentence"])
    #expect(changed.status == 303)
    try ben.write("Words")
    #expect(try instance.pushed().map { $0.endpoint.address.suffix(1) } == ["a"])
  }

  @Test("Repeated likes and unlikes make one notice and one push; another user's makes another")
  func onAndOff() throws {
    let instance = try TestInstance()
    try instance.couple()
    for name in ["sam", "sue"] { try instance.alone(name) }
    let (ann, sam, sue) = (
      try instance.signedIn("ann"), try instance.signedIn("sam"), try instance.signedIn("sue")
    )
    ann.subscribe()
    let (post, other) = (try ann.write("Words"), try ann.write("More"))
    var sent = 0
    for _ in 0..<3 {
      for way in ["like", "unlike", "like"] {
        sam.post("\(post)/\(way)")
        sent += try instance.pushed().count
        instance.clock.advance(seconds: 1)
      }
      #expect(ann.notices().count == 1 && ann.unread() == "1")
    }
    #expect(sent == 1)
    sue.post("\(post)/like")
    sam.post("\(other)/like")
    #expect(try instance.pushed().count == 2)
    // After this time it is pushed again.
    sam.post("\(post)/unlike")
    instance.clock.advance(seconds: 91 * 86_400)
    try instance.work()
    #expect(try instance.count("SELECT count(*) FROM push_memory") == 0)
  }

  @Test("Deleted posts are not pushed")
  func deleted() throws {
    let (instance, ann, ben) = try two()
    ann.subscribe()
    let post = try ben.write("Words")
    ben.post("\(post)/delete")
    #expect(try instance.pushed().isEmpty)
  }

  @Test("A service that never answers blocks no other service's pushes, and no page")
  func stuck() throws {
    let (instance, ann, ben) = try two()
    let phone = try instance.signedIn("ann")
    let stuck = StuckService(host: "fcm.googleapis.com")
    instance.pushes.stand(in: stuck)
    defer { stuck.unblock() }
    ann.subscribe()
    phone.call(
      .post, "/push/subscriptions", TestClient.subscription("https://web.push.apple.com/x"))
    let dispatcher = instance.instance.features.notices.dispatcher
    dispatcher.start()
    defer { dispatcher.stop() }
    // More than there are threads, and than are tried at once.
    for number in 1...60 { try ben.write("Post \(number)") }
    #expect(ann.get("/notifications").status == 200)
    let start = ContinuousClock.now
    while instance.pushes.count(to: "web.push.apple.com") < 60 {
      try #require(ContinuousClock.now - start < .seconds(30))
      Thread.sleep(forTimeInterval: 0.05)
    }
    #expect((1...3).contains(stuck.waiting))
  }

  @Test("A browser that has unsubscribed at its service is asked no more")
  func gone() throws {
    let (instance, ann, ben) = try two()
    ann.subscribe()
    instance.pushes.answer(.gone)
    try ben.write("Words")
    #expect(try instance.pushed().count == 1)
    #expect(try instance.count("SELECT count(*) FROM push_subscriptions") == 0)
  }

  @Test("A service that can't now is asked again, as late as it says, and not for ever")
  func later() throws {
    let (instance, ann, ben) = try two()
    ann.subscribe()
    instance.pushes.answer(.later(after: 600, because: "it answers 429"))
    try ben.write("Words")
    #expect(try instance.pushed().count == 1)
    instance.clock.advance(seconds: 599)
    #expect(try instance.pushed().isEmpty)
    instance.clock.advance(seconds: 2)
    #expect(try instance.pushed().count == 1)
    instance.pushes.answer(.later(after: nil, because: "no answer"))
    for _ in 1...20 {
      instance.clock.advance(seconds: 4 * 3600)
      _ = try instance.pushed()
    }
    #expect(try instance.count("SELECT count(*) FROM push_outbox") == 0)
    #expect(try instance.count("SELECT count(*) FROM push_subscriptions") == 1)
  }

  @Test("Waiting pushes of the same kind are merged; a call for help is separate and urgent")
  func topics() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    lea.subscribe()
    _ = try instance.pushed()
    for kind in ["on_my_way", "need_help", "on_my_way"] {
      fay.post("\(group.page)/commands", ["kind": kind])
    }
    let sent = try instance.pushed()
    #expect(sent.count == 2 && Set(sent.map(\.topic)).count == 2)
    #expect(sent.allSatisfy { $0.urgency == .high && $0.topic.utf8.count <= 32 })
    // A phone may be offline for long; an emergency lasts longer.
    #expect(sent.map(\.life).sorted() == [3600, 12 * 3600])
  }

  @Test("A deleted notice deletes its waiting push, and no other user's about the same")
  func withdrawn() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    fay.subscribe()
    _ = try instance.pushed()
    // One call waits, then a second one that is sent.
    lea.post("\(group.page)/commands", ["kind": "gather"])
    lea.post("\(group.page)/commands", ["kind": "rest"])
    #expect(try instance.count("SELECT count(*) FROM push_outbox") == 2)
    try instance.database.write {
      try $0.execute("DELETE FROM notifications WHERE event = 'rest'")
    }
    #expect(try instance.count("SELECT count(*) FROM push_outbox") == 2)
    try instance.database.write {
      try $0.execute("DELETE FROM notifications WHERE event = 'gather'")
    }
    #expect(try instance.count("SELECT count(*) FROM push_outbox") == 0)
  }

  @Test("An app gets pushes while it is signed in, and none after it signs out")
  func apps() throws {
    let (instance, _, ben) = try two()
    let app = instance.client()
    app.login("ann")
    let body: [String: Any] = [
      "endpoint": TestClient.pushEndpoint + "app",
      "keys": [
        "p256dh":
          "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "auth": "BTBZMqHH6r4Tts7J_aSIgg",
      ],
    ]
    #expect(app.post("/push/subscriptions", body).status == 204)
    try ben.write("Words")
    #expect(try instance.pushed().count == 1)
    app.call(.post, "/auth/logout")
    try ben.write("More")
    #expect(try instance.pushed().isEmpty)
  }

  @Test("A guest with a push subscription is reminded to check in, until it is done")
  func guests() throws {
    let instance = try TestInstance()
    let guest = instance.browser()
    guest.get("/checkin")
    guest.begin("Gia", contact: "kai@example.test")
    #expect(guest.subscribe().status == 204)
    for _ in 0..<3 {
      instance.clock.advance(seconds: 86_400)
      try instance.instance.features.checkIn.beat(now: instance.clock.now())
      try instance.work()
    }
    let asked = try instance.pushed().filter { $0.body == "Please check in." }
    #expect(!asked.isEmpty && asked.allSatisfy { $0.action == "I’m OK" && $0.url == "/checkin" })
    // The service worker compares it with the user of the session.
    let user = try #require(asked.first?.user)
    #expect(!user.isEmpty && guest.get("/csrf").text.contains("\"user\":\"\(user)\""))
    #expect(!guest.notices().isEmpty)
    guest.get("/checkin")
    guest.tap()
    #expect(guest.notices().isEmpty)
  }
}

/// Uses notices and pushes in every way once, to collect the query plans.
enum NoticeRequests {
  static func exercise(_ instance: TestInstance) throws {
    instance.clock.advance(seconds: 61)
    defer { instance.clock.advance(seconds: 61) }
    try instance.couple("Nia & Ned", "nia", "ned")
    let (nia, ned) = (try instance.signedIn("nia"), try instance.signedIn("ned"))
    nia.subscribe("nia")
    let post = try nia.write("Words")
    for way in ["like", "like", "unlike", "like"] { ned.post("\(post)/\(way)") }
    try ned.write("More")
    _ = try instance.pushed()
    instance.pushes.answer(.later(after: nil, because: "no"))
    try ned.write("Again")
    _ = try instance.pushed()
    instance.pushes.answer(.sent)
    let newest = nia.noticeIDs().first ?? ""
    for path in [
      "/notifications", "/notifications/\(newest)", "/settings/notifications",
      "/api/v1/notifications?limit=1", "/api/v1/push/key",
    ] {
      nia.get(path)
    }
    nia.post("/settings/calendar", ["button": "make"])
    let link =
      nia.get("/settings/calendar").text
      .firstMatch(of: /\/couples\/[^"]*token=[\w-]{43}/).map { String($0.output) } ?? ""
    #expect(ned.get(link).status == 200)
    nia.post("/settings/calendar", ["button": "remove"])
    nia.post("/settings/notifications", ["on_page": "post_liked", "by_push": "post_liked"])
    nia.post("/notifications/read", ["up_to": newest])
    nia.post("/notifications/remove", ["notice": newest])
    nia.call(.delete, "/push/subscriptions", "{\"endpoint\":\"\(TestClient.pushEndpoint)nia\"}")
    nia.post("\(post)/delete")
  }
}
