import Core
import Foundation
import HTTPTypes
import Testing

@testable import App
@testable import Workouts

@Suite("Workouts that the partner sees, and cheers")
struct PartnerWorkoutTests {
  /// Ann with a ride that has a heart rate, and Ben, a couple.
  private final class Fixture {
    let instance: TestInstance
    let ann: TestClient
    let ben: TestClient
    let id: String

    var page: String { "/workouts/partner/\(id)" }

    init(limits: Bool = false) throws {
      instance = try TestInstance(limits: limits)
      try instance.couple()
      (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
      let detail: [String: Any] = [
        "avg_hr": 127, "samples": ["interval": 1, "heart_rate": [125, 129]],
      ]
      let made = try ann.sending(.post, "/sessions", instance.session(3600, ["detail": detail]))
      id = try #require(made.json["id"] as? String)
    }

    func share(_ isOn: Bool = true) -> TestResponse {
      ann.post("/workouts/sharing", isOn ? ["shared": "1"] : [:])
    }

    /// A browser's statuses of list, page, cheer, and calls.
    func seen(by browser: TestClient) -> [Int] {
      [
        browser.get("/workouts/partner").status, browser.get(page).status,
        browser.post("\(page)/cheer", ["cheer": "1"]).status,
        browser.call(.get, "/partner/sessions").status,
        browser.call(.get, "/partner/sessions/\(id)").status,
      ]
    }

    let hidden = [404, 404, 404, 404, 404]
    let shown = [200, 200, 303, 200, 200]
  }

  @Test("It is off at first, asked plainly, and ends when it is turned off")
  func toggled() throws {
    let fixture = try Fixture()
    #expect(fixture.seen(by: fixture.ben) == fixture.hidden)
    #expect(!fixture.ben.get("/workouts").shows("/workouts/partner"))
    #expect(fixture.ann.get("/workouts").shows("href=\"/workouts/sharing\""))
    let state = { (name: String) in "Share workouts with Ben <span class=\"quiet\">\(name)</span>" }
    #expect(fixture.ann.get("/workouts").shows(state("Off")))
    let form = fixture.ann.get("/workouts/sharing")
    #expect(form.shows("Ben sees my workouts") && form.shows("heart rates"))
    #expect(!form.shows("value=\"1\" checked"))
    #expect(fixture.share().location == "/workouts")
    #expect(fixture.ann.get("/workouts/sharing").shows("value=\"1\" checked"))
    #expect(fixture.ann.get("/workouts").shows(state("On")))
    #expect(fixture.seen(by: fixture.ben) == fixture.shown)
    #expect(fixture.ben.get("/workouts").shows("href=\"/workouts/partner\""))
    // It goes one way only.
    #expect(fixture.seen(by: fixture.ann) == fixture.hidden)
    #expect(fixture.share(false).status == 303)
    #expect(fixture.seen(by: fixture.ben) == fixture.hidden)
  }

  @Test("The partner sees list, charts and figures, and may change nothing")
  func readOnly() throws {
    let fixture = try Fixture()
    _ = fixture.share()
    let list = fixture.ben.get("/workouts/partner")
    #expect(list.shows("href=\"\(fixture.page)\""))
    #expect(list.shows("<h1 class=\"top-title\">Workouts</h1>") && list.shows("Ann’s workouts"))
    let page = fixture.ben.get(fixture.page)
    #expect(page.shows("chart-heart"))
    for part in ["/delete", "/edit", "/share", ".tcx", ".csv", "data-workout-detail"] {
      #expect(!page.shows(part), "\(part)")
    }
    for path in ["", "/edit", "/share", "/delete", "/picture", ".tcx"] {
      #expect(fixture.ben.get("/workouts/\(fixture.id)\(path)").status == 404, "\(path)")
    }
    #expect(fixture.ben.post("/workouts/\(fixture.id)/delete").status == 404)
    let sessions = fixture.ben.call(.get, "/partner/sessions").list("sessions")
    #expect(sessions.map { $0["id"] as? String } == [fixture.id])
    let one = fixture.ben.call(.get, "/partner/sessions/\(fixture.id)").json
    #expect(one["raw"] is NSNull)
    let detail = one["detail"] as? [String: Any]
    #expect(detail?["avg_hr"] as? Double == 127)
    #expect(fixture.ben.call(.delete, "/sessions/\(fixture.id)").status == 404)
  }

  @Test("A cheer is one notice, taken back by the second tap, gone with the workout")
  func cheers() throws {
    let fixture = try Fixture()
    _ = fixture.share()
    for _ in 1...2 {
      let answer = fixture.ben.post("\(fixture.page)/cheer", ["cheer": "1"])
      #expect(answer.location == fixture.page)
    }
    #expect(fixture.ben.get(fixture.page).shows("You cheered"))
    #expect(fixture.ann.get("/workouts/\(fixture.id)").shows("Ben cheers for this workout."))
    #expect(fixture.ann.notices() == ["Ben cheers for your workout"])
    fixture.ben.post("\(fixture.page)/cheer", ["cheer": "0"])
    #expect(fixture.ann.noticeIDs().isEmpty)
    #expect(!fixture.ann.get("/workouts/\(fixture.id)").shows("Ben cheers"))
    fixture.ben.post("\(fixture.page)/cheer", ["cheer": "1"])
    fixture.ann.post("/workouts/\(fixture.id)/delete")
    #expect(fixture.ann.noticeIDs().isEmpty)
    #expect(try fixture.instance.count("SELECT count(*) FROM workout_cheers") == 0)
  }

  @Test("More cheers than are tapped by hand are refused with a retry, and can be taken back")
  func tooOften() throws {
    let fixture = try Fixture(limits: true)
    _ = fixture.share()
    for _ in 0..<PartnerWorkoutsService.cheersLimit.maximum {
      #expect(fixture.ben.post("\(fixture.page)/cheer", ["cheer": "1"]).status == 303)
    }
    let answer = fixture.ben.post("\(fixture.page)/cheer", ["cheer": "1"])
    #expect(answer.status == 429 && answer.headers[.retryAfter] != nil)
    #expect(fixture.ben.post("\(fixture.page)/cheer", ["cheer": "0"]).status == 303)
  }

  @Test("Others don’t see them, and people alone have no such setting")
  func others() throws {
    let fixture = try Fixture()
    _ = fixture.share()
    let instance = fixture.instance
    try instance.couple("Cat & Dan", "cat", "dan")
    for name in ["sam", "mod"] { try instance.alone(name) }
    try instance.database.write {
      try $0.execute("UPDATE users SET role = 4 WHERE display_name = 'Mod'")
    }
    for name in ["cat", "dan", "sam", "mod"] {
      let browser = try instance.signedIn(name)
      #expect(fixture.seen(by: browser) == fixture.hidden, "\(name)")
    }
    let sam = try instance.signedIn("sam")
    #expect(sam.get("/workouts/sharing").status == 404)
    #expect(sam.post("/workouts/sharing", ["shared": "1"]).status == 404)
    // Another couple's partner sees the other one's only.
    let cat = try instance.signedIn("cat")
    cat.post("/workouts/sharing", ["shared": "1"])
    let dan = try instance.signedIn("dan")
    #expect(dan.get("/workouts/partner").status == 200)
    #expect(dan.get(fixture.page).status == 404)
    #expect(dan.post("\(fixture.page)/cheer", ["cheer": "1"]).status == 404)
    #expect(try instance.guest("Gia").get("/workouts/partner").status == 303)
  }

  @Test("Parting ends it, and undoing the parting does not turn it on again")
  func parted() throws {
    let fixture = try Fixture()
    _ = fixture.share()
    fixture.ben.part()
    #expect(fixture.seen(by: fixture.ben) == fixture.hidden)
    #expect(fixture.ann.post("/workouts/sharing", ["shared": "1"]).status == 404)
    for browser in [fixture.ann, fixture.ben] { browser.post("/settings/part", ["undo": "1"]) }
    #expect(fixture.seen(by: fixture.ben) == fixture.hidden)
    _ = fixture.share()
    #expect(fixture.seen(by: fixture.ben) == fixture.shown)
  }

  @Test("Deleting an account ends it in both directions")
  func deleted() throws {
    let fixture = try Fixture()
    _ = fixture.share()
    fixture.ben.post("/workouts/sharing", ["shared": "1"])
    fixture.ann.leave()
    #expect(fixture.seen(by: fixture.ben) == fixture.hidden)
    #expect(try fixture.instance.count("SELECT count(*) FROM workout_viewers") == 0)
  }

  @Test("The export says that the partner sees them, and which workouts were cheered for")
  func exported() throws {
    let fixture = try Fixture()
    _ = fixture.share()
    fixture.ben.post("\(fixture.page)/cheer", ["cheer": "1"])
    let instance = fixture.instance
    func workouts(_ name: String) throws -> String {
      try instance.database.read { reader in
        let person = try #require(
          try reader.value(
            "SELECT id FROM users WHERE display_name = \(name)", as: ID<Person>.self))
        let files = try instance.instance.participants.flatMap {
          try $0.export(person, from: reader)
        }
        let file = try #require(files.first { $0.name == "workouts.json" })
        return String(decoding: try #require(try file.bytes(in: reader)), as: UTF8.self)
      }
    }
    #expect(try workouts("Ann").contains("\"partnerSeesWorkouts\" : true"))
    let own = try workouts("Ben")
    #expect(own.contains("\"partnerSeesWorkouts\" : false") && own.contains(fixture.id))
  }
}
