import Core
import Testing
import Web

@testable import App
@testable import CheckIn

@Suite("Settings of the monitoring")
struct CheckInSettingsTests {
  private static let good: [(String, String)] = [
    ("alert_time", "07:15"), ("threshold_days", "4"), ("reminder_time", "20:45"),
    ("paused_until", ""), ("contact_language", "zh-Hant"), ("note", "Keys: next door"),
  ]

  /// A valid form with one field changed.
  private func form(_ field: String = "", _ value: String = "") -> [(String, String)] {
    Self.good.map { $0.0 == field ? (field, value) : $0 }
  }

  private func save(_ browser: TestClient, _ fields: [(String, String)]) -> TestResponse {
    browser.post("/checkin/settings", all: fields)
  }

  @Test("Without settings the page shows the defaults: two days, at nine, no reminder")
  func defaults() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let page = try instance.signedIn("sam").get("/checkin/settings")
    #expect(page.status == 200)
    for chosen in [
      "value=\"2\" selected", "name=\"alert_time\" type=\"time\" value=\"09:00\"",
      "name=\"reminder_time\" type=\"time\" value=\"\"",
    ] {
      #expect(page.shows(chosen), "\(chosen)")
    }
    #expect(page.shows("value=\"en\" checked") && page.shows("Taipei time (site default)"))
    #expect(page.headers[.cacheControl]?.contains("no-store") == true)
  }

  @Test("Saved values are stored and shown again")
  func saving() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam").id
    let browser = try instance.signedIn("sam")
    #expect(save(browser, form()).location == "/checkin/settings")
    let kept = try #require(try instance.settings(of: sam))
    #expect(kept.alertMinute == 7 * 60 + 15 && kept.threshold == 4)
    #expect(kept.reminderMinute == 20 * 60 + 45 && kept.contactLanguage == .traditionalChinese)
    #expect(kept.note == "Keys: next door" && kept.pausedUntil == nil)
    let page = browser.get("/checkin/settings")
    for shown in [
      "value=\"4\" selected", "type=\"time\" value=\"07:15\"",
      "type=\"time\" value=\"20:45\"",
      "value=\"zh-Hant\" checked", "Keys: next door</textarea>",
    ] {
      #expect(page.shows(shown), "\(shown)")
    }
    #expect(save(browser, form("reminder_time", "")).status == 303)
    #expect(try #require(try instance.settings(of: sam)).reminderMinute == nil)
    #expect(!browser.get("/checkin/settings").shows("name=\"no_reminder\""))
    _ = save(browser, form())
    #expect(browser.get("/checkin/settings").shows("name=\"no_reminder\""))
    #expect(save(browser, form() + [("no_reminder", "1")]).status == 303)
    #expect(try #require(try instance.settings(of: sam)).reminderMinute == nil)
  }

  @Test("The note lies sealed in the database")
  func sealedNote() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    _ = save(try instance.signedIn("sam"), form())
    let bytes = try instance.database.read {
      try $0.value("SELECT note_sealed FROM checkin_settings", as: [UInt8].self)
    }
    let sealed = try #require(bytes)
    #expect(!String(decoding: sealed, as: UTF8.self).contains("Keys"))
  }

  @Test(
    "Invalid values are errors beside their fields; the input is kept, and nothing is saved",
    arguments: [
      ("alert_time", "07:10"), ("alert_time", "24:00"), ("alert_time", ""), ("alert_time", "7:15"),
      ("alert_time", "-1:00"), ("threshold_days", "1"), ("threshold_days", "8"),
      ("threshold_days", ""), ("threshold_days", "２"), ("threshold_days", "+3"),
      ("reminder_time", "none"), ("reminder_time", "23:59"), ("contact_language", "tlh"),
      ("contact_language", ""),
      ("paused_until", "soon"), ("paused_until", "2026-02-30"), ("paused_until", "2026-03-01"),
      ("paused_until", "2026-05-02"), ("paused_until", "9999-12-31"),
    ])
  func wrong(field: String, value: String) throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam").id
    let answer = save(try instance.signedIn("sam"), form(field, value))
    #expect(answer.status == 422 && answer.shows("error-summary"))
    #expect(answer.shows("<a href=\"#\(field)\">"))
    #expect(answer.shows("Keys: next door</textarea>"))
    if field != "alert_time" { #expect(answer.shows("type=\"time\" value=\"07:15\"")) }
    if field == "paused_until" { #expect(answer.shows("type=\"date\" value=\"\(value)\"")) }
    #expect(try instance.settings(of: sam) == nil)
  }

  @Test("Several errors are all reported at once")
  func several() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let note = String(repeating: "貓", count: 501)
    let fields = form("note", note).map { $0.0 == "paused_until" ? ($0.0, "soon") : $0 }
    let answer = save(try instance.signedIn("sam"), fields)
    #expect(answer.status == 422 && answer.shows("You have 501"))
    #expect(answer.shows("href=\"#note\"") && answer.shows("href=\"#paused_until\""))
    #expect(answer.shows(note))
  }

  @Test("A note has 500 characters as people count them, and keeps its lines")
  func note() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam").id
    let browser = try instance.signedIn("sam")
    let family = String(repeating: "👨‍👩‍👧", count: 500)
    #expect(save(browser, form("note", family)).status == 303)
    #expect(try instance.settings(of: sam)?.note == family)
    #expect(save(browser, form("note", "\r\n one \r\ntwo</textarea><b>\u{7}")).status == 303)
    #expect(try instance.settings(of: sam)?.note == "one \ntwo</textarea><b>")
    #expect(browser.get("/checkin/settings").shows("two&lt;/textarea&gt;&lt;b&gt;"))
  }

  // MARK: Pauses

  @Test("A pause that began after today's check-in can be ended on the check-in page")
  func endedOnCheckInPage() throws {
    let instance = try TestInstance()
    let browser = try instance.checkedInMember()
    #expect(browser.post("/checkin/settings", ["pause": "3"]).status == 303)
    let page = browser.get("/checkin")
    #expect(page.shows("data-state=\"done\"") && page.shows("name=\"end_pause\""))
    #expect(page.shows("href=\"/checkin/settings#paused_until\""))
    let ended = browser.post("/checkin/settings", ["end_pause": "1", "next": "/checkin"])
    #expect(ended.location == "/checkin")
    #expect(!browser.get("/checkin").shows("end_pause"))
  }

  @Test("A pause is shown plainly with its last day, and can be ended now")
  func pause() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam").id
    let browser = try instance.signedIn("sam")
    #expect(save(browser, form("paused_until", "2026-03-05")).status == 303)
    let page = browser.get("/checkin/settings")
    #expect(page.shows("Paused until the end of 5 March 2026."))
    #expect(page.shows("value=\"2026-03-05\""))
    #expect(browser.post("/checkin/settings", ["end_pause": "1"]).status == 303)
    #expect(!browser.get("/checkin/settings").shows("Paused until"))
    #expect(try instance.settings(of: sam)?.pausedUntil == nil)
    // Repeating it is harmless, and the rest stays as it was.
    #expect(browser.post("/checkin/settings", ["end_pause": "1"]).status == 303)
    #expect(try instance.settings(of: sam)?.threshold == 4)
  }

  @Test("In a pause the check-in page says until when, and not that it is for tomorrow")
  func greeting() throws {
    let instance = try TestInstance()
    let browser = try instance.checkedInMember()
    #expect(browser.get("/checkin").shows("See you tomorrow"))
    #expect(save(browser, form("paused_until", "2026-03-05")).status == 303)
    let page = browser.get("/checkin")
    #expect(page.shows("On a break until 5 March 2026") && !page.shows("See you tomorrow"))
    #expect(browser.post("/checkin/settings", ["end_pause": "1"]).status == 303)
    #expect(browser.get("/checkin").shows("See you tomorrow"))
  }

  @Test(
    "The check-in page pauses for one or three days or up to a date, and other settings stay",
    arguments: [
      ("1", "", "2026-03-03"), ("3", "", "2026-03-05"), ("until", "2026-03-20", "2026-03-20"),
    ])
  func shortPause(button: String, date: String, last: String) throws {
    let instance = try TestInstance()
    let browser = try instance.checkedInMember()
    #expect(save(browser, form()).status == 303)
    #expect(browser.get("/checkin").shows("data-testid=\"pause-form\""))
    let answer = browser.post("/checkin/settings", ["pause": button, "paused_until": date])
    #expect(answer.location == "/checkin")
    let kept = try #require(try instance.settings(of: instance.person("Sam")))
    #expect(kept.pausedUntil?.description == last)
    #expect(kept.threshold == 4 && kept.note == "Keys: next door")
    #expect(!browser.get("/checkin").shows("data-testid=\"pause-form\""))
  }

  @Test(
    "A pause without a valid date is an error on the settings page, which shows what is stored",
    arguments: ["", "  ", "soon", "2026-03-01", "2026-05-02"])
  func wrongPause(date: String) throws {
    let instance = try TestInstance()
    let browser = try instance.checkedInMember()
    #expect(save(browser, form()).status == 303)
    let answer = browser.post("/checkin/settings", ["pause": "until", "paused_until": date])
    #expect(answer.status == 422 && answer.shows("<a href=\"#paused_until\">"))
    #expect(answer.shows("Keys: next door</textarea>"))
    #expect(date.contains(" ") || answer.shows("type=\"date\" value=\"\(date)\""))
    #expect(try instance.settings(of: instance.person("Sam"))?.pausedUntil == nil)
  }

  @Test("An emptied field ends the pause too, and one that stays leaves its first day alone")
  func emptied() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam").id
    let browser = try instance.signedIn("sam")
    _ = save(browser, form("paused_until", "2026-03-20"))
    instance.clock.advance(seconds: 3 * 86_400)
    _ = save(browser, form("paused_until", "2026-03-20"))
    func pauses() throws -> [ClosedRange<LocalDay>] {
      try instance.database.read {
        try instance.checkIn.monitors.pauses(
          of: sam, from: LocalDay(number: 0), to: LocalDay(number: 99_999), in: $0)
      }
    }
    #expect(try pauses().map(\.lowerBound.description) == ["2026-03-02"])
    _ = save(browser, form("paused_until", ""))
    #expect(try pauses().map(\.upperBound.description) == ["2026-03-04"])
    #expect(!browser.get("/checkin/settings").shows("Paused until"))
  }

  @Test("Today and the sixtieth day from today are fine as the last day of a pause")
  func edges() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam").id
    let browser = try instance.signedIn("sam")
    for last in ["2026-03-02", "2026-05-01"] {
      #expect(save(browser, form("paused_until", last)).status == 303)
      #expect(try instance.settings(of: sam)?.pausedUntil?.description == last)
    }
  }

  @Test("A pause that is over is shown no more")
  func over() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let browser = try instance.signedIn("sam")
    _ = save(browser, form("paused_until", "2026-03-03"))
    instance.clock.advance(seconds: 2 * 86_400)
    let page = browser.get("/checkin/settings")
    #expect(!page.shows("Paused until") && !page.shows("value=\"2026-03-03\""))
    #expect(save(browser, form()).status == 303)
  }

  // MARK: Zones, guests, others

  @Test("Another zone moves the time at which contacts would be alerted")
  func zone() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam").id
    let browser = try instance.signedIn("sam")
    browser.post("/checkin/contacts", ["email": "pat@example.test"])
    browser.post("/checkin", ["button": "check-in"])
    func next() throws -> Int64? {
      try instance.database.read {
        try $0.value("SELECT next_at FROM checkin_settings WHERE user_id = \(sam)", as: Int64.self)
      }
    }
    _ = save(browser, form("reminder_time", ""))
    let before = try #require(try next())
    browser.post(
      "/settings/language", ["language": "en", "theme": "auto", "time_zone": "Europe/Berlin"])
    #expect(try #require(try next()) != before)
    #expect(browser.get("/checkin/settings").shows("Berlin time"))
    #expect(browser.get("/settings/language").shows("value=\"Europe/Berlin\" selected"))
  }

  @Test("A change after the daily reminder does not send it again that day")
  func remindedOnce() throws {
    let instance = try TestInstance()
    let browser = try instance.checkedInMember()
    #expect(save(browser, form("reminder_time", "10:00")).status == 303)
    func reminders() throws -> Int {
      try instance.work()
      return try instance.count("SELECT count(*) FROM contact_mails WHERE kind = 'reminder'")
    }
    try instance.goTo("2026-03-03", "10:05")
    #expect(try reminders() == 1)
    instance.clock.advance(seconds: .minutes(20))
    #expect(save(browser, form("reminder_time", "09:00")).status == 303)
    instance.clock.advance(seconds: .minutes(20))
    #expect(try reminders() == 1)
    try instance.goTo("2026-03-04", "09:05")
    #expect(try reminders() == 2)
  }

  @Test("A guest sets the same, and reads that reminders need an address")
  func guest() throws {
    let instance = try TestInstance()
    let guest = try instance.guest("Gia")
    let page = guest.get("/checkin/settings")
    #expect(page.shows("href=\"/become-a-member\""))
    #expect(save(guest, form()).status == 303)
    #expect(try instance.settings(of: instance.person("Gia"))?.threshold == 4)
    try instance.alone("sam")
    #expect(!(try instance.signedIn("sam").get("/checkin/settings").shows("/become-a-member")))
  }

  @Test("Settings affect only the user's own account")
  func others() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam").id
    try instance.alone("tom")
    _ = save(try instance.signedIn("sam"), form())
    let tom = try instance.signedIn("tom")
    #expect(!tom.get("/checkin/settings").shows("Keys: next door"))
    _ = save(tom, form("threshold_days", "7"))
    #expect(try instance.settings(of: sam)?.threshold == 4)
    #expect(instance.browser().get("/checkin/settings").status == 303)
  }

  @Test("A guest is told how reminders come: by push once it is on, and how to turn it on")
  func guestsReminders() throws {
    let instance = try TestInstance()
    let gia = instance.browser()
    gia.begin("Gia", contact: "kai@example.test")
    let before = gia.get("/checkin/settings")
    #expect(before.shows("Turn on push notifications") && before.shows("href=\"/notifications\""))
    #expect(gia.subscribe().status == 204)
    let after = gia.get("/checkin/settings")
    #expect(after.shows("By push notification") && !after.shows("Turn on push notifications"))
  }
}
