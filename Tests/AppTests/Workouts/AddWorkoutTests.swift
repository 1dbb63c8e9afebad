import Core
import Foundation
import Testing
import WorkoutFiles
import Workouts

@testable import App

@Suite("Adding a workout by hand")
struct AddWorkoutTests {
  private func one(_ instance: TestInstance, _ person: Viewer) throws -> WorkoutContent {
    let all = try instance.workouts(of: person)
    try #require(all.count == 1)
    return all[0].content
  }

  @Test("A typed workout is saved, and its page is shown")
  func entered() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let browser = try instance.signedIn("sam")
    browser.setPlain(cookie: "tz", "Asia%2FTaipei")
    #expect(browser.get("/workouts/add").value(of: "client_session_id")?.count == 36)
    let page = try browser.addWorkout([
      "device_type": "rower", "duration": "1:02:03", "distance": "12,34",
      "avg_hr": "120", "max_hr": "170", "avg_power": "150.5", "max_cadence": "31",
    ])
    let workout = try #require(try instance.workouts(of: sam).first)
    #expect(page == "/workouts/\(workout.id)")
    let content = workout.content
    #expect(content.machine == .rower && content.source == .entered)
    #expect(content.duration.value == 3723 && content.distance.value == 12_340)
    #expect(content.energy.value == 480)
    #expect(content.startedAt.rfc3339.hasPrefix("2026-03-01T10:30:00"))
    #expect(content.endedAt.seconds(since: content.startedAt) == 3723)
    #expect(content.figures.averageHeartRate == 120 && content.figures.averagePower == 150.5)
    #expect(content.figures.maximumCadence == 31 && content.figures.maximumPower == nil)
    #expect(try instance.figures(sam).totals.count == 1)
  }

  @Test("A form sent twice makes one workout and leads to it both times")
  func twice() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let browser = try instance.signedIn("sam")
    let name = ["client_session_id": UUID().uuidString.lowercased()]
    let first = try browser.addWorkout(name)
    #expect(try browser.addWorkout(name) == first)
    #expect(try instance.workouts(of: sam).count == 1)
    #expect(try one(instance, sam).clientSessionID.description == name.values.first)
  }

  @Test("Other figures under a name that was used, as the back button brings it, are kept too")
  func nameUsed() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let browser = try instance.signedIn("sam")
    let name = UUID().uuidString.lowercased()
    let first = try browser.addWorkout(["client_session_id": name])
    let second = try browser.addWorkout(["client_session_id": name, "energy": "481"])
    #expect(first != second)
    #expect(try browser.addWorkout(["client_session_id": name, "energy": "481"]) == second)
    #expect(try instance.workouts(of: sam).count == 2)
  }

  @Test(
    "Each error is beside its field, and the whole input is kept",
    arguments: [
      ("device_type", "boat", "Choose a machine"), ("day", "2026-02-30", "Enter a date"),
      ("day", "", "Enter a date"), ("day", "1999-12-31", "Enter a date from 2000 on"),
      ("day", "2026-03-04", "in the future"), ("time", "25:00", "Enter a start time"),
      ("time", "", "Enter a start time"), ("duration", "25:00:00", "1 second to 24 hours"),
      ("duration", "4.5", "like 45:00"), ("duration", "-1", "like 45:00"),
      ("duration", "1:60", "like 45:00"), ("duration", "1:2:3:4", "like 45:00"),
      ("duration", "", "like 45:00"), ("duration", "0", "1 second to 24 hours"),
      ("distance", "far", "Enter a number"), ("distance", "1,250", "Enter a number"),
      ("distance", "1000.1", "from 0 to 1000"), ("energy", "20001", "from 0 to 20000"),
      ("energy", "1e3", "Enter a number"), ("avg_hr", "19", "from 20 to 250"),
      ("max_power", "3001", "from 0 to 3000"), ("avg_cadence", "1001", "from 0 to 1000"),
      ("training", "0190aaaa-0000-7000-8000-000000000000", "This training was removed"),
    ])
  func mistakes(field: String, value: String, words: String) throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let browser = try instance.signedIn("sam")
    let answer = browser.typeWorkout([field: value, "max_hr": "222"])
    #expect(answer.status == 422 && answer.shows(words), "\(answer.text)")
    #expect(answer.shows("data-testid=\"error-summary\"") && answer.value(of: "max_hr") == "222")
    #expect(try instance.workouts(of: sam).isEmpty)
  }

  @Test("A duration of nothing, a highest below the average and an end still to come are mistakes")
  func contradictions() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let browser = try instance.signedIn("sam")
    let nothing = browser.typeWorkout(["duration": "0:00"])
    #expect(nothing.status == 422 && nothing.shows("1 second to 24 hours"))
    let below = browser.typeWorkout(["avg_hr": "150", "max_hr": "140"])
    #expect(below.status == 422 && below.shows("below the average"))
    browser.post(
      "/settings/language", ["language": "en", "theme": "auto", "time_zone": "UTC"])
    let later = browser.typeWorkout(["day": "2026-03-01", "time": "23:59", "duration": "2:00:00"])
    #expect(later.status == 422 && later.shows("in the future"))
  }

  @Test(
    "A duration is minutes, or has two or three parts",
    arguments: [("45", 2700), ("90", 5400), ("45:00", 2700), ("1:05:00", 3900), ("0:01", 1)])
  func durations(entered: String, seconds: Double) throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    try instance.signedIn("sam").addWorkout(["duration": entered])
    #expect(try one(instance, sam).duration.value == seconds)
  }

  @Test("It starts now; who leaves that has just finished, and the time zone stays after errors")
  func proposed() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let browser = try instance.signedIn("sam")
    let form = browser.get("/workouts/add")
    let proposed = try #require(form.value(of: "proposed"))
    #expect(proposed.hasPrefix("2026-03-0") && form.shows("value=\"\(proposed.suffix(5))\""))
    let left = [
      "day": String(proposed.prefix(10)), "time": String(proposed.suffix(5)), "proposed": proposed,
    ]
    let wrong = browser.typeWorkout(left.merging(["duration": "x"]) { $1 })
    #expect(wrong.shows("Time zone:") && wrong.text.matches(of: /like 45:00 or/).count == 1)
    try browser.addWorkout(left)
    let content = try one(instance, sam)
    #expect(content.endedAt <= instance.clock.now())
    #expect(instance.clock.now().seconds(since: content.endedAt) < 60)
  }

  @Test("Miles are a setting for figures and forms; data stay in metres")
  func miles() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let browser = try instance.signedIn("sam")
    browser.post(
      "/settings/language",
      ["language": "en", "theme": "auto", "time_zone": "", "units": "feet"])
    #expect(browser.get("/workouts/add").shows("Distance (mi)"))
    let page = try browser.addWorkout(["distance": "10", "device_type": "rower"])
    #expect(try one(instance, sam).distance.value == 16_093.44)
    for path in [page, "/workouts", "\(page)/share"] {
      #expect(browser.get(path).text.contains("10.0"), "\(path)")
      #expect(!browser.get(path).text.contains("16.1"), "\(path)")
    }
    #expect(browser.get(page).shows("> mi <") && browser.get(page).shows("data-units=\"feet\""))
    let call = browser.call(.get, page.replacing("/workouts/", with: "/sessions/"))
    #expect(call.json["total_distance"] as? Double == 16_093.44)
    let detail: [String: Any] = ["samples": ["interval": 1, "speed": [32.18688, 32.18688]]]
    let made = try browser.sending(.post, "/sessions", instance.session(3600, ["detail": detail]))
    let chart = browser.get("/workouts/\(try #require(made.json["id"] as? String))")
    #expect(chart.shows("mph") && chart.shows("20.0") && !chart.shows("32.2"))
    let wrong = browser.typeWorkout(["distance": "700"])
    #expect(wrong.status == 422 && wrong.shows("from 0 to 621"))
    #expect(browser.call(.get, "/account").status == 200)
  }

  @Test("A distance is read in the units of its form, whatever was chosen since")
  func unitsOfForm() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let browser = try instance.signedIn("sam")
    let units = try #require(browser.get("/workouts/add").value(of: "units"))
    browser.post(
      "/settings/language",
      ["language": "en", "theme": "auto", "time_zone": "", "units": "feet"])
    let wrong = browser.typeWorkout(["distance": "700", "duration": "x", "units": units])
    #expect(wrong.shows("Distance (km)") && wrong.value(of: "units") == units)
    try browser.addWorkout(["distance": "10", "units": units])
    #expect(try one(instance, sam).distance.value == 10_000)
  }

  @Test(
    "A time that a change of clocks left out is the next one, one that came twice the first",
    arguments: [
      ("2025-03-30", "2025-03-30T01:00:00"), ("2025-10-26", "2025-10-26T00:30:00"),
    ])
  func clocks(day: String, expected: String) throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let browser = try instance.signedIn("sam")
    browser.post(
      "/settings/language", ["language": "en", "theme": "auto", "time_zone": "Europe/Berlin"])
    try browser.addWorkout(["day": day, "time": "02:30"])
    #expect(try one(instance, sam).startedAt.rfc3339.hasPrefix(expected))
  }

  @Test("A training can be chosen among those that are published")
  func training() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let admin = try instance.admin()
    let (open, draft) = (try admin.publishTraining("Hills"), try admin.makeTraining("Secret"))
    let browser = try instance.signedIn("sam")
    let page = browser.get("/workouts/add")
    #expect(page.shows("Hills") && !page.shows("Secret"))
    try browser.addWorkout(["training": String(open.suffix(36))])
    #expect(try one(instance, sam).training?.description == String(open.suffix(36)))
    #expect(browser.typeWorkout(["training": String(draft.suffix(36))]).status == 422)
  }

  @Test("Guests add workouts too, in wide digits as well")
  func guests() throws {
    let instance = try TestInstance()
    let guest = try instance.guest("Gia")
    try guest.addWorkout([
      "energy": "\u{FF14}\u{FF18}\u{FF10}", "distance": "", "duration": " \u{FF14}5\u{FF1A}00 ",
    ])
    #expect(try instance.count("SELECT energy_cal FROM workouts") == 480_000)
    #expect(try instance.count("SELECT distance_mm FROM workouts") == 0)
  }
}
