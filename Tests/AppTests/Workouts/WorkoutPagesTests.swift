import Core
import Foundation
import HTTPTypes
import Testing
import WorkoutFiles
import Workouts

@testable import App
@testable import PhotoMetadata

@Suite("The pages of workouts")
struct WorkoutPagesTests {
  /// An instance with Sam; the first day is Monday, 2 March 2026, 08:00 in Taipei.
  private func samsInstance() throws -> (instance: TestInstance, sam: Viewer, browser: TestClient) {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    return (instance, sam, try instance.signedIn("sam"))
  }

  private func page(_ draft: WorkoutDraft, _ instance: TestInstance, _ person: Viewer) throws
    -> String
  {
    "/workouts/\(try #require(try instance.upload([draft], person).stored.first))"
  }

  // MARK: The list

  @Test("Without a workout there is a drawing and a first step")
  func empty() throws {
    let (_, _, browser) = try samsInstance()
    let page = browser.get("/workouts")
    #expect(page.status == 200 && page.shows("class=\"drawing\""))
    for link in ["/workouts/record", "/workouts/add", "/workouts/import", "/workouts/trainings"] {
      #expect(page.shows("href=\"\(link)\""), "\(link)")
    }
    #expect(!page.shows("export.zip") && !page.shows("data-testid=\"totals\""))
    #expect(page.shows("href=\"/workouts\" aria-current=\"page\""))
  }

  @Test("The totals are those that hold, a client's claim with them")
  func totals() throws {
    let (instance, sam, browser) = try samsInstance()
    try instance.upload([instance.workout(), instance.workout(90_000)], sam)
    let page = browser.get("/workouts")
    for words in [
      "<b class=\"figure\">2</b>", "<b class=\"figure\">1</b><span class=\"unit\"> h </span>",
      "<b class=\"figure\">28.4</b><span class=\"unit\"> km </span>",
      "<b class=\"figure\">543</b><span class=\"unit\"> kcal </span>", "2 days in a row",
    ] {
      #expect(page.shows(words), "\(words)")
    }
    _ = try instance.service.claim(
      StatisticsClaim(count: 1904, streak: 9), of: sam.id, now: instance.clock.now())
    let claimed = browser.get("/workouts")
    #expect(claimed.shows("<b class=\"figure\">1,904</b>") && claimed.shows("9 days in a row"))
  }

  @Test("Totals that are unknown are not shown as zero")
  func unknown() throws {
    let (instance, sam, browser) = try samsInstance()
    var draft = instance.workout()
    draft.energy = 0
    try instance.upload([draft], sam)
    let page = browser.get("/workouts")
    #expect(page.shows("14.2</b><span class=\"unit\"> km") && !page.shows("kcal </span>"))
  }

  @Test("A user with all workouts on other devices sees their statistics all the same")
  func elsewhere() throws {
    let (instance, sam, browser) = try samsInstance()
    _ = try instance.service.claim(
      StatisticsClaim(count: 86), of: sam.id, now: instance.clock.now())
    let page = browser.get("/workouts")
    #expect(page.shows("<b class=\"figure\">86</b>") && page.shows("class=\"drawing\""))
  }

  @Test("Each of the last days is described in words, weeks and months in tables")
  func days() throws {
    let (instance, sam, browser) = try samsInstance()
    // Sunday, 1 March, and a Sunday in February.
    try instance.upload([instance.workout(20 * 3600), instance.workout(15 * 86_400)], sam)
    let page = browser.get("/workouts")
    #expect(page.shows("Sunday: 30 min") && page.shows("Monday: no workout"))
    #expect(page.text.components(separatedBy: ": no workout").count == 7)
    for row in [
      "2 – 8 Mar</th><td>0</td><td>–</td><td>–</td>",
      "23 Feb – 1 Mar</th><td>1</td><td>30 min</td><td>14.2 km</td>",
      "9 – 15 Feb</th><td>1</td>", "March 2026</th><td>1</td>", "February 2026</th><td>1</td>",
    ] {
      #expect(page.shows(row), "\(row)")
    }
    #expect(!page.shows("January 2026"))
  }

  @Test("The newest comes first, each with its title, day, time and main figure")
  func list() throws {
    let (instance, sam, browser) = try samsInstance()
    let admin = try instance.admin()
    let service = try admin.publishTraining("River hills")
    var ride = instance.workout()
    ride.training = ID(service.suffix(36))
    ride.figures.averagePower = 151.4
    var row = instance.workout(86_400 + 7200)
    row.machine = .rower
    row.figures.averagePower = 120
    var bare = instance.workout(60 * 86_400)
    (bare.machine, bare.distance, bare.energy, bare.samples) = (.other, 0, 0, [:])
    try instance.upload([bare, row, ride], sam)
    let page = browser.get("/workouts")
    let rows = page.text.components(separatedBy: "<li class=\"workout\"").dropFirst()
    let expected = [
      ["River hills", "Today, 07:00", "<b>30:00</b>", "151 W", "#bike"],
      ["Morning row", "Yesterday, 06:00", "<b>30:00</b>", "14.2 km", "1:03 /500 m", "#rower"],
      ["Morning workout", "Thu 1 Jan, 08:00", "<b>30:00</b>"],
    ]
    #expect(rows.count == 3)
    for (row, parts) in zip(rows, expected) {
      for part in parts { #expect(row.contains(part), "\(part)") }
    }
    #expect(page.text.components(separatedBy: "/500 m</span>").count == 2)
    let session = try #require(ride.clientSessionID)
    #expect(
      page.shows(
        "data-testid=\"workout\" data-client-session-id=\"\(session)\" data-state=\"stored\""))
    #expect(page.shows(">March 2026</h2>") && page.shows(">January 2026</h2>"))
    admin.post(service, ["button": "unpublish"])
    let later = browser.get("/workouts")
    #expect(!later.shows("River hills") && later.shows(">Morning ride</a>"))
  }

  @Test("The page of a row shows its pace over 500 m, that of a ride does not")
  func pace() throws {
    let (instance, sam, browser) = try samsInstance()
    var row = instance.workout(86_400)
    row.machine = .rower
    let paths = (
      row: try page(row, instance, sam), ride: try page(instance.workout(), instance, sam)
    )
    #expect(browser.get(paths.row).shows("1:03") && browser.get(paths.row).shows("/500 m"))
    #expect(!browser.get(paths.ride).shows("/500 m"))
  }

  @Test("The list continues page by page, without gaps and duplicates")
  func paging() throws {
    let (instance, sam, browser) = try samsInstance()
    for batch in 0..<3 {
      try instance.upload((1...17).map { instance.workout(Int64(batch * 17 + $0) * 30_000) }, sam)
    }
    var path: String? = "/workouts"
    var found: [String] = []
    var sizes: [Int] = []
    while let next = path, sizes.count < 9 {
      let page = browser.get(next)
      let sessions = page.text.components(separatedBy: "data-client-session-id=\"").dropFirst()
        .map { String($0.prefix(36)) }
      sizes.append(sessions.count)
      found += sessions
      path = page.text.firstMatch(of: /href="(\/workouts\?after=[^"]+)"/).map {
        String($0.output.1)
      }
    }
    #expect(sizes == [20, 20, 11] && Set(found).count == 51)
    let expected = try instance.workouts(of: sam).map { $0.content.clientSessionID.description }
    #expect(found == expected)
    for wrong in ["x", "1-2", "-", "%00", "9223372036854775808-\(UUID())"] {
      #expect(browser.get("/workouts?after=\(wrong)").status == 200)
    }
  }

  @Test("Workouts are visible to their owner only; guests have theirs; others sign in first")
  func others() throws {
    let instance = try TestInstance()
    let couple = try instance.couple()
    let ann = try #require(couple.first)
    let path = try page(instance.workout(), instance, ann)
    #expect(try instance.signedIn("ann").get(path).status == 200)
    let guest = try instance.guest("Gia")
    for browser in [try instance.signedIn("ben"), guest] {
      // The template for workouts stored in the browser is there; a workout from the server is not.
      #expect(!browser.get("/workouts").shows("data-state=\"stored\""))
      #expect(browser.get(path).status == 404 && browser.get("\(path)/delete").status == 404)
      #expect(browser.post("\(path)/delete").status == 404)
    }
    #expect(guest.get("/workouts").shows("href=\"/workouts\" aria-current=\"page\""))
    for page in ["/workouts", path, "\(path)/delete"] {
      #expect(instance.browser().get(page).location?.hasPrefix("/sign-in") == true)
    }
    #expect(try instance.workouts(of: ann).count == 1)
  }

  @Test("The list speaks the reader's language, in their zone", arguments: ["zh-Hant", "zh-Hans"])
  func chinese(language: String) throws {
    let (instance, sam, browser) = try samsInstance()
    var draft = instance.workout(10 * 86_400)
    draft.figures.averagePower = 151
    let path = try page(draft, instance, sam)
    browser.post("/language", ["language": language])
    let list = browser.get("/workouts")
    #expect(list.shows("2月20日 星期五 08:00") && list.shows("151 瓦"))
    let page = browser.get(path)
    #expect(page.shows("2026年2月20日 星期五 08:00"))
    try instance.database.write {
      try $0.execute("UPDATE users SET time_zone = 'America/New_York'")
    }
    #expect(browser.get(path).shows("2026年2月19日 星期四 19:00"))
  }

  // MARK: Single workouts

  /// A ride of ten minutes with all measurements.
  private func ride(_ instance: TestInstance, seconds: Int = 600) -> WorkoutDraft {
    var draft = instance.workout(Int64(seconds) + 60)
    draft.endedAt = instance.clock.now().adding(seconds: -60)
    draft.duration = Double(seconds)
    func series(_ value: (Int) -> Int?) -> [Double?] {
      (0..<seconds).map { value($0).map { Double($0) } }
    }
    draft.samples[.power] = series { 100 + $0 % 97 }
    draft.samples[.heartRate] = series { 90 + $0 * 80 / seconds + $0 * 7 % 5 }
    draft.samples[.cadence] = series { $0 % 60 < 50 ? 80 + $0 * 13 % 11 : nil }
    draft.samples[.speed] = series { 25 + $0 * 31 % 9 }
    draft.samples[.distance] = series { $0 * 7 }
    return draft
  }

  @Test("The page of a workout draws its measurements, and describes them in words and a table")
  func charts() throws {
    let (instance, sam, browser) = try samsInstance()
    var draft = ride(instance)
    draft.figures.averagePower = 148
    draft.figures.maximumPower = 217
    let answer = browser.get(try page(draft, instance, sam))
    #expect(answer.status == 200)
    #expect(answer.text.components(separatedBy: "data-testid=\"chart\"").count == 5)
    for words in [
      "Morning ride", "Monday 2 March 2026, 07:49 · indoor bike", "<b class=\"figure\">10:00</b>",
      "Power over time: 148 W average, 217 maximum", "Heart rate over time:",
      "<b class=\"figure\">148</b> W avg · 217 max", "10 min</text>",
      "<th scope=\"col\">Speed, km/h</th>", "<th scope=\"row\">9:30</th>",
    ] {
      #expect(answer.shows(words), "\(words)")
    }
    for link in [".tcx", ".csv", "/delete"] { #expect(answer.shows("\(link)\"")) }
  }

  @Test("The zones are shares of the person's own highest heart rate, once it is one")
  func zones() throws {
    let (instance, sam, browser) = try samsInstance()
    let path = try page(ride(instance), instance, sam)
    #expect(browser.get(path).shows("90% of 190 bpm. Record"))
    #expect(browser.get(path).shows("under 114") && browser.get(path).shows("from 171"))
    for (rate, highest) in [(142.0, 190), (184, 184), (240, 184)] {
      var other = instance.workout(Int64(rate) * 1000)
      other.figures.maximumHeartRate = rate
      try instance.upload([other], sam)
      #expect(browser.get(path).shows("90% of \(highest) bpm"), "\(rate)")
    }
    #expect(browser.get(path).shows("your highest recorded heart rate"))
    let bare = browser.get(try page(instance.workout(50_000), instance, sam))
    #expect(!bare.shows("heart-rate zones"))
  }

  @Test("A training's targets are drawn while it exists, and not over an unknown pause")
  func aims() throws {
    let (instance, sam, browser) = try samsInstance()
    let admin = try instance.admin()
    let service = try admin.publishTraining("Hills")
    var draft = ride(instance)
    draft.training = ID(service.suffix(36))
    let path = try page(draft, instance, sam)
    let shown = browser.get(path)
    #expect(shown.text.components(separatedBy: "chart-target\" d=\"M0 ").count == 3)
    #expect(shown.shows("<h1 class=\"top-title\">Hills</h1>") && shown.shows(service.asPeople))
    var paused = ride(instance)
    paused.startedAt = paused.startedAt?.adding(seconds: -100)
    (paused.training, paused.paused) = (draft.training, 100)
    let other = browser.get(try page(paused, instance, sam))
    #expect(other.shows("Hills") && !other.shows("chart-target"))
    #expect(other.shows("<b class=\"figure\">1:40</b>"))
    admin.post(service, ["button": "unpublish"])
    #expect(!browser.get(path).shows("chart-target") && !browser.get(path).shows(service.asPeople))
  }

  @Test("Typed workouts without measurements have figures, and no empty charts")
  func entered() throws {
    let (instance, sam, browser) = try samsInstance()
    var draft = instance.workout()
    (draft.samples, draft.source, draft.distance) = ([:], .entered, 0)
    draft.figures.averageHeartRate = 131
    let shown = browser.get(try page(draft, instance, sam))
    #expect(shown.shows("Added by hand") && shown.shows("Average heart rate"))
    #expect(shown.shows("<b class=\"figure\">131</b><span class=\"unit\"> bpm </span>"))
    #expect(!shown.shows("<dt>distance") && !shown.shows("data-testid=\"chart\""))
    #expect(!shown.shows("<table"))
  }

  @Test("A day's ride is a page of less than 14 KB (docs/developer/design.md)")
  func day() throws {
    let (instance, sam, browser) = try samsInstance()
    let path = try page(ride(instance, seconds: 86_400), instance, sam)
    let shown = browser.get(path)
    #expect(shown.status == 200 && shown.shows("24 h</text>"))
    let packed = try #require(Deflate.pack(shown.body))
    #expect(packed.count < 14 << 10, "\(packed.count)")
  }

  // MARK: Deleting

  @Test("Deleting asks first, lists the losses, and updates the statistics")
  func delete() throws {
    let (instance, sam, browser) = try samsInstance()
    try instance.upload([instance.workout(90_000)], sam)
    let path = try page(instance.workout(), instance, sam)
    let asked = browser.get("\(path)/delete")
    #expect(asked.shows("Morning ride · Monday 2 March 2026, 07:00 · 30:00"))
    #expect(asked.shows("restore it for 30 days") && asked.shows("href=\"\(path)\""))
    #expect(try instance.workouts(of: sam).count == 2)
    let done = browser.post("\(path)/delete")
    #expect(done.status == 303 && done.location == "/workouts")
    #expect(done.toastLink == "\(path)/undo")
    let list = browser.get("/workouts")
    #expect(list.shows("Workout deleted") && list.shows("<b class=\"figure\">1</b>"))
    #expect(browser.get(path).status == 404 && browser.post("\(path)/delete").status == 404)
    #expect(try instance.count("SELECT count(*) FROM workout_samples") == 1)
    #expect(try instance.figures(sam).totals.count == 1)
  }

  @Test("Without a token of the page nothing is deleted")
  func forged() throws {
    let (instance, sam, browser) = try samsInstance()
    let path = try page(instance.workout(), instance, sam)
    #expect(browser.plainPost("\(path)/delete", [("csrf_token", "x")]).status == 403)
    #expect(try instance.workouts(of: sam).count == 1)
  }

  // MARK: Demo data

  @Test("The demonstration world has rides and rows that pass every check")
  func demonstration() throws {
    let (instance, sam, _) = try samsInstance()
    let zone = try #require(TimeZone(identifier: "Asia/Taipei"))
    let made = DemoWorkouts.all(now: instance.clock.now(), zone: zone)
    for drafts in [made.mei, made.jun] {
      #expect(try instance.upload(drafts, sam).successes == drafts.count)
    }
    for workout in try instance.workouts(of: sam) {
      let figures = workout.content.figures
      #expect(100...200 ~= figures.maximumHeartRate ?? 0)
      #expect(8...40 ~= figures.averageSpeed ?? 0)
    }
    let again = DemoWorkouts.all(now: instance.clock.now(), zone: zone)
    #expect(try instance.upload(again.mei + again.jun, sam).duplicates == 18)
    #expect(try instance.problems() == [])
  }
}
