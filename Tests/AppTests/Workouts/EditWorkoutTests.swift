import Core
import Foundation
import Testing
import Workouts

@testable import App

extension TestClient {
  /// Sends the page that changes a workout as it is shown, except for these changes.
  @discardableResult
  func editWorkout(_ page: String, _ changes: [String: String] = [:]) -> TestResponse {
    let form = get("\(page)/edit")
    var fields = ["note": "", "machine": "bike"]
    for name in [
      "title", "units", "duration", "distance", "energy", "avg_hr", "max_hr", "avg_power",
      "max_power", "avg_cadence", "max_cadence",
    ] { fields[name] = form.value(of: name) }
    fields["day"] = form.value(of: "day\" type=\"date")
    fields["time"] = form.value(of: "time\" type=\"time")
    fields.merge(changes) { $1 }
    return post("\(page)/edit", all: fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }
}

@Suite("Changing the figures of a workout that was typed in")
struct EditWorkoutTests {
  private func scenario() throws -> (TestInstance, Viewer, TestClient) {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let browser = try instance.signedIn("sam")
    browser.post(
      "/settings/language", ["language": "en", "theme": "auto", "time_zone": "UTC"])
    return (instance, sam, browser)
  }

  private func one(_ instance: TestInstance, _ person: Viewer) throws -> WorkoutContent {
    try #require(try instance.workouts(of: person).first).content
  }

  @Test("Its page has the fields of the add page, and its totals, bests and goal follow")
  func changed() throws {
    let (instance, sam, browser) = try scenario()
    let page = try browser.addWorkout(["distance": "12.345", "avg_hr": "120.5"])
    let form = browser.get("\(page)/edit")
    for (name, value) in [
      ("duration", "45:30"), ("distance", "12.345"), ("energy", "480"), ("avg_hr", "120.5"),
      ("max_hr", ""), ("day\" type=\"date", "2026-03-01"), ("time\" type=\"time", "18:30"),
    ] {
      #expect(form.value(of: name) == value, "\(name)")
    }
    #expect(form.shows("Time zone: ") && !form.shows("just finished"))
    browser.post("/workouts/goal", ["minutes": "150"])
    instance.clock.advance(seconds: 60)
    let changes = [
      "title": "Hills", "machine": "rower", "day": "2026-03-02", "time": "00:00",
      "duration": "1:00", "distance": "20", "energy": "", "avg_hr": "", "max_power": "300",
    ]
    #expect(browser.editWorkout(page, changes).location == page)
    let content = try one(instance, sam)
    #expect(content.machine == .rower && content.source == .entered)
    #expect(content.duration.value == 60 && content.distance.value == 20_000)
    #expect(content.energy == .zero && content.figures.averageHeartRate == nil)
    #expect(content.figures.maximumPower == 300)
    #expect(content.startedAt.rfc3339.hasPrefix("2026-03-02T00:00:00"))
    #expect(content.endedAt.seconds(since: content.startedAt) == 60)
    let figures = try instance.figures(sam)
    #expect(figures.totals == content.totalsOfOne && figures.lastDay == LocalDay("2026-03-02"))
    let history = browser.get("/workouts")
    #expect(history.shows("Hills") && history.shows("1 of 150 min this week"))
    #expect(history.shows("<span>Longest row</span><b>20.0 km</b>"))
    #expect(!history.shows("Longest ride"))
    // Clients that read by the time of receipt learn of it.
    #expect(try instance.workouts(of: sam, since: instance.clock.now()).count == 1)
    #expect(try instance.problems() == [])
  }

  @Test("What was left as it is shown stays exactly as it is, in miles too")
  func unchanged() throws {
    let (instance, sam, browser) = try scenario()
    let proposed = try #require(browser.get("/workouts/add").value(of: "proposed"))
    // The start, which is found from the duration, has seconds.
    let page = try browser.addWorkout([
      "day": String(proposed.prefix(10)), "time": String(proposed.suffix(5)),
      "proposed": proposed, "duration": "45:13", "distance": "12.3456789", "energy": "",
    ])
    let before = try one(instance, sam)
    #expect(before.startedAt.milliseconds % 60_000 != 0)
    #expect(browser.editWorkout(page, ["title": "Same"]).status == 303)
    #expect(try one(instance, sam) == before)
    browser.post(
      "/settings/language",
      ["language": "en", "theme": "auto", "time_zone": "UTC", "units": "feet"])
    #expect(browser.get("\(page)/edit").shows("Distance (mi)"))
    #expect(browser.editWorkout(page, ["title": "Same"]).status == 303)
    #expect(try one(instance, sam) == before)
    #expect(browser.editWorkout(page, ["distance": "10"]).status == 303)
    #expect(try one(instance, sam).distance.value == 16_093.44)
    // A form with words alone leaves the figures as they are.
    let kept = try one(instance, sam)
    #expect(browser.post("\(page)/edit", ["title": "Only", "machine": "bike"]).status == 303)
    #expect(try one(instance, sam) == kept)
  }

  @Test(
    "Each mistake is beside its field, and nothing is changed",
    arguments: [
      ("duration", "x", "like 45:00"), ("duration", "", "like 45:00"),
      ("day", "2026-03-04", "in the future"), ("time", "25:00", "Enter a start time"),
      ("distance", "1000.1", "from 0 to 1000"), ("max_hr", "400", "from 20 to 250"),
      ("max_hr", "100", "below the average"),
      ("training", "0190aaaa-0000-7000-8000-000000000000", "This training was removed"),
    ])
  func mistakes(field: String, value: String, words: String) throws {
    let (instance, sam, browser) = try scenario()
    let page = try browser.addWorkout(["avg_hr": "120"])
    let before = try one(instance, sam)
    let answer = browser.editWorkout(page, [field: value, "energy": "333", "title": "Kept"])
    #expect(answer.status == 422 && answer.shows(words), "\(answer.text)")
    #expect(answer.shows("data-testid=\"error-summary\""))
    #expect(answer.value(of: "energy") == "333" && answer.value(of: "title") == "Kept")
    #expect(try one(instance, sam) == before)
    #expect(!browser.get(page).shows("Kept"))
  }

  @Test("Recorded and imported workouts keep their figures; others' are not found")
  func otherSources() throws {
    let (instance, sam, browser) = try scenario()
    let made = try browser.sending(.post, "/sessions", instance.session())
    let recorded = "/workouts/\(try #require(made.json["id"] as? String))"
    let imported = try #require(browser.importFiles(SmallWorkout.tcx(hours: 8)).location)
    let before = try instance.workouts(of: sam).map(\.content)
    for page in [recorded, imported] {
      #expect(!browser.get("\(page)/edit").shows("name=\"duration\""))
      let answer = browser.editWorkout(
        page, ["title": "Mine", "day": "2026-03-01", "time": "10:00", "duration": "1:00"])
      #expect(answer.location == page && browser.get(page).shows("Mine"))
    }
    #expect(try instance.workouts(of: sam).map(\.content) == before)
    let typed = try browser.addWorkout()
    let tia = try instance.members("tia")[0]
    let fields: KeyValuePairs = [
      "day": "2026-03-01", "time": "10:00", "duration": "1:00", "title": "Theirs",
    ]
    #expect(tia.post("\(typed)/edit", fields).status == 404)
    #expect(!browser.get(typed).shows("Theirs"))
  }

  @Test("A file with the changed figures is a duplicate")
  func duplicate() throws {
    let (instance, sam, browser) = try scenario()
    let page = try browser.addWorkout()
    let changes = [
      "day": "2026-03-01", "time": "08:00", "duration": "10:00", "distance": "4.2005",
      "energy": "99",
    ]
    #expect(browser.editWorkout(page, changes).status == 303)
    let answer = browser.importFiles(SmallWorkout.tcx(hours: 8))
    #expect(answer.status == 200 && answer.shows("href=\"\(page)\""))
    #expect(try instance.workouts(of: sam).count == 1)
  }

  @Test("A training that was removed stays chosen, and can be taken away")
  func training() throws {
    let (instance, sam, browser) = try scenario()
    let admin = try instance.admin()
    let service = try admin.publishTraining("Hills")
    let id = String(service.suffix(36))
    let page = try browser.addWorkout(["training": id])
    #expect(browser.get("\(page)/edit").shows("<option value=\"\(id)\" selected>Hills</option>"))
    admin.post(service, ["button": "unpublish"])
    #expect(browser.get("\(page)/edit").shows("selected>Removed training</option>"))
    #expect(browser.editWorkout(page, ["training": id, "energy": "1"]).status == 303)
    #expect(try one(instance, sam).training?.description == id)
    #expect(browser.editWorkout(page, ["training": ""]).status == 303)
    #expect(try one(instance, sam).training == nil)
  }

  @Test("Changes by chance leave nothing for the doctor to find")
  func doctor() throws {
    let (instance, sam, browser) = try scenario()
    func figures() -> [String: String] {
      [
        "day": "2026-02-\(Int.random(in: 18...27))", "time": "12:00",
        // Less than a minute makes no streak.
        "duration": ["0:30", "10:00"].randomElement() ?? "", "energy": "\(Int.random(in: 1...99))",
      ]
    }
    for _ in 0..<80 {
      switch Int.random(in: 0..<5) {
      case 0: try browser.addWorkout(figures())
      case 1:
        _ = try instance.service.claim(
          StatisticsClaim(count: 50, streak: 3), of: sam.id, now: instance.clock.now())
      default:
        guard let workout = try instance.workouts(of: sam).randomElement() else { continue }
        #expect(browser.editWorkout("/workouts/\(workout.id)", figures()).status == 303)
      }
      #expect(try instance.problems() == [])
    }
  }
}

extension WorkoutContent {
  /// The totals of a user with this workout alone.
  fileprivate var totalsOfOne: WorkoutTotals {
    WorkoutTotals(count: 1, energy: energy, distance: distance, duration: duration)
  }
}
