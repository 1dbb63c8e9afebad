import Core
import Foundation
import HTTPTypes
import Testing
import Web

@testable import App

@Suite("One time zone a person")
struct TimeZoneTests {
  private func kept(_ instance: TestInstance) throws -> [String] {
    try instance.database.read {
      try $0.rows("SELECT time_zone, time_zone_chosen FROM users") {
        "\(try $0.next(String?.self) ?? "-") \(try $0.next(Int.self))"
      }.sorted()
    }
  }

  private func save(_ browser: TestClient, zone: String, theme: String = "auto") -> TestResponse {
    browser.post(
      "/settings/language", ["language": "en", "theme": theme, "time_zone": zone])
  }

  // MARK: Browser's zone

  @Test("The browser's zone is stored unchanged and used for pages, API and check-ins alike")
  func told() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    sam.setPlain(cookie: "tz", "America%2FLos_Angeles")
    sam.get("/")
    #expect(try kept(instance) == ["America/Los_Angeles 0"])
    sam.setPlain(cookie: "tz", "")
    #expect(sam.get("/checkin").shows("Sunday, 1 March 2026"))
    #expect(sam.get("/checkin/settings").shows("Los Angeles time"))
    #expect(sam.get("/settings").shows("Los Angeles time"))
    #expect(sam.get("/workouts/add").shows("Los Angeles time"))
    let check = sam.call(.get, "/checkin").json
    #expect(check["time_zone"] as? String == "America/Los_Angeles")
    #expect(check["today"] as? String == "2026-03-01")
  }

  @Test(
    "An invalid zone isn't stored",
    arguments: ["Mars%2FBase", "Asia%2FTaipei%00", "%FF", "", "GMT%2B8"])
  func notTold(cookie: String) throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    sam.setPlain(cookie: "tz", cookie)
    #expect(sam.get("/").status == 200)
    #expect(try kept(instance) == ["- 0"])
  }

  @Test("A member who registered without scripts has no zone, and the page names the site's")
  func withoutScripts() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let page = sam.get("/checkin")
    #expect(page.shows("<noscript>Taipei time (site default) · "))
    // The zone is named only here.
    #expect(page.text.components(separatedBy: "Taipei time").count == 2)
    #expect(sam.get("/settings").shows("Taipei time (site default)"))
    #expect(try kept(instance) == ["- 0"])
    sam.post("/checkin/contacts", ["email": "pat@example.test"])
    sam.tap([("time_zone", "America/Los_Angeles")])
    #expect(try kept(instance) == ["America/Los_Angeles 0"])
  }

  @Test("A guest without scripts chooses a zone on the page of checking in")
  func guestChooses() throws {
    let instance = try TestInstance()
    let gia = instance.browser()
    gia.post(
      "/checkin",
      [
        "display_name": "Gia", "contact_email": "kai@example.test", "time_zone": "",
        "chosen_time_zone": "Europe/Berlin", "button": "check-in",
      ])
    #expect(try kept(instance) == ["Europe/Berlin 1"])
    let other = instance.browser()
    other.post(
      "/checkin",
      [
        "display_name": "Lin", "contact_email": "kai@example.test", "time_zone": "",
        "chosen_time_zone": "", "button": "check-in",
      ])
    #expect(try kept(instance) == ["- 0", "Europe/Berlin 1"])
  }

  @Test(
    "A check-in counts with any zone",
    arguments: ["UTC", "Etc/UTC", "Mars/Base", "", "+08:00", "GMT+8"])
  func taps(zone: String) throws {
    let instance = try TestInstance()
    let gia = instance.browser()
    gia.begin("Gia", contact: "kai@example.test", "save")
    #expect(gia.tap([("time_zone", zone)]).status == 303)
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    sam.post("/checkin/contacts", ["email": "pat@example.test"])
    #expect(sam.call(.post, "/checkin", #"{"time_zone":"\#(zone)"}"#).status == 201)
    #expect(try instance.count("SELECT count(*) FROM check_ins") == 2)
  }

  // MARK: Chosen zone

  @Test("A choice is in the list; no choice means the browser's zone")
  func choosing() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    #expect(
      sam.get("/settings/language").shows(
        "<option value=\"\">Automatic (site default: Taipei)</option>"))
    sam.setPlain(cookie: "tz", "Europe%2FBerlin")
    #expect(sam.get("/settings/language").shows("Automatic (this browser: Berlin)"))
    #expect(save(sam, zone: "Asia/Tokyo").status == 303)
    #expect(try kept(instance) == ["Asia/Tokyo 1"])
    let page = sam.get("/settings/language")
    #expect(page.shows("value=\"Asia/Tokyo\" selected"))
    #expect(page.shows("Automatic (this browser: Berlin)"))
    #expect(save(sam, zone: "").status == 303)
    #expect(try kept(instance) == ["Europe/Berlin 0"])
  }

  @Test("Saving another setting keeps the zone")
  func otherSettings() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    sam.setPlain(cookie: "tz", "Asia%2FTokyo")
    sam.get("/")
    sam.setPlain(cookie: "tz", "Europe%2FBerlin")
    #expect(sam.get("/settings/language").shows("Automatic (last known: Tokyo)"))
    #expect(save(sam, zone: "", theme: "dark").status == 303)
    let settings = [
      ("alert_time", "07:15"), ("threshold_days", "4"), ("reminder_time", "20:00"),
      ("paused_until", ""), ("contact_language", "en"), ("note", ""),
      ("time_zone", "Asia/Taipei"),
    ]
    #expect(sam.post("/checkin/settings", all: settings).status == 303)
    #expect(try kept(instance) == ["Asia/Tokyo 0"])
  }

  @Test("The list has each place once, under the name that it has today")
  func list() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let page = sam.get("/settings/language").text
    for city in [
      "Kathmandu", "Kyiv", "Yangon", "Chuuk", "Nuuk", "Pohnpei", "Dumont d’Urville", "Kolkata",
      "Ho Chi Minh City", "St. John’s",
    ] {
      #expect(page.components(separatedBy: ">\(city) (").count == 2, "\(city)")
    }
    #expect(page.contains(">UTC</option>") && !page.contains("UTC (UTC)"))
    #expect(page.contains("value=\"Europe/Kyiv\"") && !page.contains("value=\"Europe/Kiev\""))
    let names = page.matches(of: /<option[^>]*>([^<]*)</).map { String($0.output.1) }
    #expect(Set(names).count == names.count)
    sam.post("/language", ["language": "zh-Hant"])
    #expect(sam.get("/settings/language").shows(">台北 (UTC+8)"))
  }

  @Test("Zones are named in the reader's language", arguments: ["zh-Hant", "zh-Hans"])
  func chinese(language: String) throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    sam.post("/language", ["language": language])
    sam.setPlain(cookie: "tz", "Asia%2FTaipei")
    sam.get("/")
    let time = language == "zh-Hant" ? "台北時間" : "台北时间"
    for page in ["/checkin", "/checkin/settings", "/settings", "/workouts/add"] {
      let text = sam.get(page).text.replacing("data-zone=\"Asia/Taipei\"", with: "")
      #expect(text.contains(time) && !text.contains("Taipei"), "\(page)")
    }
    #expect(sam.post("/checkin/contacts", ["email": "pat@example.test"]).status == 303)
    let mail = try #require(try instance.mails(to: "pat@example.test").first)
    #expect(mail.text.contains(time) && !mail.text.contains("Taipei"))
  }

  // MARK: Travelling

  private func traveller(_ instance: TestInstance) throws -> TestClient {
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    sam.setPlain(cookie: "tz", "Asia%2FTaipei")
    sam.get("/")
    sam.setPlain(cookie: "tz", "Europe%2FBerlin")
    return sam
  }

  @Test(
    "A traveller is asked on any page, and may move", arguments: ["/", "/workouts", "/settings"])
  func move(path: String) throws {
    let instance = try TestInstance()
    let sam = try traveller(instance)
    #expect(sam.get(path).shows("You seem to be in Berlin. Your days follow Taipei time."))
    let answer = sam.post(
      "/settings/zone", ["time_zone": "Europe/Berlin", "button": "move", "next": path])
    #expect(answer.status == 303 && answer.location == path)
    #expect(try kept(instance) == ["Europe/Berlin 0"])
    #expect(!sam.get(path).shows("You seem to be in"))
  }

  @Test("A user who keeps the zone isn't asked again in that place, but in another one")
  func stay() throws {
    let instance = try TestInstance()
    let sam = try traveller(instance)
    sam.post("/settings/zone", ["time_zone": "Europe/Berlin", "button": "stay"])
    #expect(try kept(instance) == ["Asia/Taipei 1"])
    #expect(!sam.get("/workouts").shows("You seem to be in"))
    let phone = try instance.signedIn("sam")
    phone.setPlain(cookie: "tz", "Europe%2FBerlin")
    #expect(!phone.get("/").shows("You seem to be in"))
    sam.setPlain(cookie: "tz", "America%2FLos_Angeles")
    #expect(sam.get("/").shows("You seem to be in Los Angeles"))
  }

  @Test("An invalid zone cannot be chosen", arguments: ["Mars/Base", "", "Asia/Taipei\0"])
  func wrongMove(zone: String) throws {
    let instance = try TestInstance()
    let sam = try traveller(instance)
    #expect(sam.post("/settings/zone", ["time_zone": zone, "button": "move"]).status == 400)
    #expect(try kept(instance) == ["Asia/Taipei 0"])
  }

  // MARK: Days before the first check-in

  @Test("Days before the first check-in aren't called missed")
  func before() throws {
    let instance = try TestInstance()
    let gia = instance.browser()
    gia.begin("Gia", contact: "kai@example.test")
    #expect(!gia.get("/checkin").shows("no check-in"))
    try instance.goTo("2026-03-04", "08:00")
    gia.tap()
    #expect(gia.get("/checkin").text.components(separatedBy: "no check-in").count == 2)
  }

  // MARK: Parsing names

  @Test("One place alone makes a zone of a name")
  func oneParser() throws {
    let sources = TestInstance.checkout.appending(path: "Sources")
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    var found: Set<String> = []
    for case let file as URL in try #require(files) where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      if text.contains("TimeZone(identifier:") || text.contains("TimeZone.init(identifier:") {
        found.insert(file.lastPathComponent)
      }
    }
    #expect(found == ["PersonTimeZone.swift"])
  }
}
