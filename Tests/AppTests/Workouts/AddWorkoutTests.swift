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
      "device_type": "rower", "hours": "1", "minutes": "2", "seconds": "3", "distance": "12,34",
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
      ("time", "", "Enter a start time"), ("hours", "25", "1 second to 24 hours"),
      ("minutes", "4.5", "1 second to 24 hours"), ("minutes", "-1", "1 second to 24 hours"),
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
    let nothing = browser.typeWorkout(["hours": "", "minutes": "", "seconds": ""])
    #expect(nothing.status == 422 && nothing.shows("1 second to 24 hours"))
    let below = browser.typeWorkout(["avg_hr": "150", "max_hr": "140"])
    #expect(below.status == 422 && below.shows("below the average"))
    browser.post(
      "/settings/language", ["language": "en", "theme": "auto", "time_zone": "UTC"])
    let later = browser.typeWorkout(["day": "2026-03-01", "time": "23:59", "hours": "2"])
    #expect(later.status == 422 && later.shows("in the future"))
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
    try guest.addWorkout(["energy": "\u{FF14}\u{FF18}\u{FF10}", "distance": "", "minutes": " 45 "])
    #expect(try instance.count("SELECT energy_cal FROM workouts") == 480_000)
    #expect(try instance.count("SELECT distance_mm FROM workouts") == 0)
  }
}
