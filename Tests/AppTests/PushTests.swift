import Basics
import Dispatch
import Foundation
import HTTPTypes
import Synchronization
import Testing
import WebPush

@testable import App

/// A push service that takes what comes and says nothing.
final class StuckService: Sendable {
  let host: String
  private let gate = DispatchSemaphore(value: 0)
  private let count = Mutex(0)

  init(host: String) { self.host = host }

  /// How many wait for its answer.
  var waiting: Int { count.withLock { $0 } }

  func take() {
    count.withLock { $0 += 1 }
    gate.wait()
    gate.signal()
  }

  func letGo() { gate.signal() }
}

@Suite("Being told while nobody looks")
struct PushTests {
  private func two() throws -> (TestHouse, ann: Browser, ben: Browser) {
    let house = try TestHouse()
    try house.couple()
    return (house, try house.signedIn("ann"), try house.signedIn("ben"))
  }

  @Test("A browser that has subscribed is told, in words that name nothing")
  func told() throws {
    let (house, ann, ben) = try two()
    #expect(!ann.get("/notifications").shows("data-on"))
    #expect(ann.subscribe().status == 204)
    #expect(ann.get("/notifications").shows("data-on"))
    let post = try ben.write("A secret place")
    let sent = try house.pushed()
    #expect(sent.map(\.body) == ["Your partner has posted something."])
    #expect(sent.first?.url == post)
    #expect(sent.first?.endpoint.address == Browser.pushEndpoint + "one")
    // A tag is a hash, in which such a name may stand by chance.
    let words = String(decoding: try #require(sent.first).content, as: UTF8.self)
      .replacing(/"tag":"[^"]*"/, with: "")
    for name in ["Ann", "Ben", "secret"] { #expect(!words.contains(name)) }
    #expect(try house.pushed().isEmpty)
  }

  @Test("What was turned off for devices isn't pushed, what was turned off for the list is")
  func wishes() throws {
    let (house, ann, ben) = try two()
    ann.subscribe()
    ann.post("/settings/notifications", ["by_push": "partner_posted"])
    try ben.write("Words")
    #expect(try house.pushed().count == 1 && ann.notices() == [])
    ann.post("/settings/notifications", ["on_page": "partner_posted"])
    try ben.write("More")
    #expect(try house.pushed().isEmpty && ann.notices().count == 1)
  }

  @Test("Signing out, ending a session elsewhere and turning off end it; other devices stay")
  func ends() throws {
    let (house, ann, ben) = try two()
    let (phone, tablet) = (try house.signedIn("ann"), try house.signedIn("ann"))
    for (browser, name) in [(ann, "a"), (phone, "b"), (tablet, "c")] { browser.subscribe(name) }
    func told() throws -> [String] {
      try ben.write("Words \(UUID())")
      return try house.pushed().map { String($0.endpoint.address.suffix(1)) }.sorted()
    }
    #expect(try told() == ["a", "b", "c"])
    phone.post("/sign-out")
    #expect(try told() == ["a", "c"])
    ann.post(
      "/settings/sessions", ["others": "1", "current_password": TestHouse.password])
    #expect(try told() == ["a"])
    let other = "{\"endpoint\":\"\(Browser.pushEndpoint)a\"}"
    #expect(ben.call(.delete, "/push/subscriptions", other).status == 204)
    #expect(try told() == ["a"])
    #expect(ann.call(.delete, "/push/subscriptions", other).status == 204)
    #expect(try told() == [])
  }

  @Test("A browser that changes hands tells its new owner alone, and one sign-in has one")
  func handedOn() throws {
    let (house, ann, ben) = try two()
    ann.subscribe("same")
    ben.subscribe("same")
    try ben.write("Words")
    #expect(try house.pushed().isEmpty)
    ben.subscribe("new")
    #expect(try house.count("SELECT count(*) FROM push_subscriptions") == 1)
  }

  @Test("A new password keeps this browser's subscription and ends the others'")
  func renewed() throws {
    let (house, ann, ben) = try two()
    let phone = try house.signedIn("ann")
    ann.subscribe("a")
    phone.subscribe("b")
    let changed = ann.post(
      "/settings/password",
      ["current_password": TestHouse.password, "password": "another sentence"])
    #expect(changed.status == 303)
    try ben.write("Words")
    #expect(try house.pushed().map { $0.endpoint.address.suffix(1) } == ["a"])
  }

  @Test("A heart that goes on and off makes one notice and one push; another's makes another")
  func onAndOff() throws {
    let house = try TestHouse()
    try house.couple()
    for name in ["sam", "sue"] { try house.alone(name) }
    let (ann, sam, sue) = (
      try house.signedIn("ann"), try house.signedIn("sam"), try house.signedIn("sue")
    )
    ann.subscribe()
    let (post, other) = (try ann.write("Words"), try ann.write("More"))
    var sent = 0
    for _ in 0..<3 {
      for way in ["like", "unlike", "like"] {
        sam.post("\(post)/\(way)")
        sent += try house.pushed().count
        house.clock.advance(seconds: 1)
      }
      #expect(ann.notices().count == 1 && ann.unread() == "1")
    }
    #expect(sent == 1)
    sue.post("\(post)/like")
    sam.post("\(other)/like")
    #expect(try house.pushed().count == 2)
    // After so long it is news again.
    sam.post("\(post)/unlike")
    house.clock.advance(seconds: 91 * 86_400)
    try house.work()
    #expect(try house.count("SELECT count(*) FROM push_memory") == 0)
  }

  @Test("What is deleted is pushed no more")
  func deleted() throws {
    let (house, ann, ben) = try two()
    ann.subscribe()
    let post = try ben.write("Words")
    ben.post("\(post)/delete")
    #expect(try house.pushed().isEmpty)
  }

  @Test("A service that never answers keeps nobody else's waiting, and no page")
  func stuck() throws {
    let (house, ann, ben) = try two()
    let phone = try house.signedIn("ann")
    let stuck = StuckService(host: "fcm.googleapis.com")
    house.pushes.stand(in: stuck)
    defer { stuck.letGo() }
    ann.subscribe()
    phone.call(
      .post, "/push/subscriptions", Browser.subscription("https://web.push.apple.com/x"))
    let pump = house.house.features.notices.pump
    pump.start()
    defer { pump.stop() }
    // More of them than there are threads, and than are looked at once.
    for number in 1...60 { try ben.write("Post \(number)") }
    #expect(ann.get("/notifications").status == 200)
    let start = ContinuousClock.now
    while house.pushes.count(to: "web.push.apple.com") < 60 {
      try #require(ContinuousClock.now - start < .seconds(30))
      Thread.sleep(forTimeInterval: 0.05)
    }
    #expect((1...3).contains(stuck.waiting))
  }

  @Test("A browser that has unsubscribed at its service is asked no more")
  func gone() throws {
    let (house, ann, ben) = try two()
    ann.subscribe()
    house.pushes.answer(.gone)
    try ben.write("Words")
    #expect(try house.pushed().count == 1)
    #expect(try house.count("SELECT count(*) FROM push_subscriptions") == 0)
  }

  @Test("A service that can't now is asked again, as late as it says, and not for ever")
  func later() throws {
    let (house, ann, ben) = try two()
    ann.subscribe()
    house.pushes.answer(.later(after: 600, because: "it answers 429"))
    try ben.write("Words")
    #expect(try house.pushed().count == 1)
    house.clock.advance(seconds: 599)
    #expect(try house.pushed().isEmpty)
    house.clock.advance(seconds: 2)
    #expect(try house.pushed().count == 1)
    house.pushes.answer(.later(after: nil, because: "no answer"))
    for _ in 1...20 {
      house.clock.advance(seconds: 4 * 3600)
      _ = try house.pushed()
    }
    #expect(try house.count("SELECT count(*) FROM push_outbox") == 0)
    #expect(try house.count("SELECT count(*) FROM push_subscriptions") == 1)
  }

  @Test("Pushes of the same are one while they wait; a call for help stands alone and wakes")
  func topics() throws {
    let house = try TestHouse()
    let (lea, fay, group) = try house.walk()
    lea.subscribe()
    _ = try house.pushed()
    for kind in ["on_my_way", "need_help", "on_my_way"] {
      fay.post("\(group.page)/commands", ["kind": kind])
    }
    let sent = try house.pushed()
    #expect(sent.count == 2 && Set(sent.map(\.topic)).count == 2)
    #expect(sent.allSatisfy { $0.urgency == .high && $0.topic.utf8.count <= 32 })
    // A phone may be out of reach for long; who needs help still does.
    #expect(sent.map(\.life).sorted() == [3600, 12 * 3600])
  }

  @Test("A notice that goes takes its waiting push along, and nobody else's about the same")
  func withdrawn() throws {
    let house = try TestHouse()
    let (lea, fay, group) = try house.walk()
    fay.subscribe()
    _ = try house.pushed()
    // One call waits, and then another one that goes.
    lea.post("\(group.page)/commands", ["kind": "gather"])
    lea.post("\(group.page)/commands", ["kind": "rest"])
    #expect(try house.count("SELECT count(*) FROM push_outbox") == 2)
    try house.database.write {
      try $0.execute("DELETE FROM notifications WHERE event = 'rest'")
    }
    #expect(try house.count("SELECT count(*) FROM push_outbox") == 2)
    try house.database.write {
      try $0.execute("DELETE FROM notifications WHERE event = 'gather'")
    }
    #expect(try house.count("SELECT count(*) FROM push_outbox") == 0)
  }

  @Test("An app is told where it is signed in, and no more when it signs out")
  func apps() throws {
    let (house, _, ben) = try two()
    let app = house.client()
    app.login("ann")
    let body: [String: Any] = [
      "endpoint": Browser.pushEndpoint + "app",
      "keys": [
        "p256dh":
          "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "auth": "BTBZMqHH6r4Tts7J_aSIgg",
      ],
    ]
    #expect(app.post("/push/subscriptions", body).status == 204)
    try ben.write("Words")
    #expect(try house.pushed().count == 1)
    app.call(.post, "/auth/logout")
    try ben.write("More")
    #expect(try house.pushed().isEmpty)
  }

  @Test("A guest whose browser is told is reminded to check in, until they have")
  func guests() throws {
    let house = try TestHouse()
    let guest = house.browser()
    guest.get("/checkin")
    guest.begin("Gia", contact: "kai@example.test")
    #expect(guest.subscribe().status == 204)
    for _ in 0..<3 {
      house.clock.advance(seconds: 86_400)
      try house.house.features.checkIn.beat(now: house.clock.now())
      try house.work()
    }
    #expect(try house.pushed().contains { $0.body == "Please check in." })
    #expect(!guest.notices().isEmpty)
    guest.get("/checkin")
    guest.tap()
    #expect(guest.notices().isEmpty)
  }
}

/// Every way of notices and pushes, for the plans of statements.
enum NoticeTour {
  static func walk(_ house: TestHouse) throws {
    house.clock.advance(seconds: 61)
    defer { house.clock.advance(seconds: 61) }
    try house.couple("Nia & Ned", "nia", "ned")
    let (nia, ned) = (try house.signedIn("nia"), try house.signedIn("ned"))
    nia.subscribe("nia")
    let post = try nia.write("Words")
    for way in ["like", "like", "unlike", "like"] { ned.post("\(post)/\(way)") }
    try ned.write("More")
    _ = try house.pushed()
    house.pushes.answer(.later(after: nil, because: "no"))
    try ned.write("Again")
    _ = try house.pushed()
    house.pushes.answer(.sent)
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
    nia.call(.delete, "/push/subscriptions", "{\"endpoint\":\"\(Browser.pushEndpoint)nia\"}")
    nia.post("\(post)/delete")
  }
}
