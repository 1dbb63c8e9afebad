import Core
import Testing

@testable import App
@testable import CheckIn

@Suite("A daily reminder is offered after the first check-ins")
struct ReminderOfferTests {
  @Test("A member chooses a time on the check-in page, and the other settings stay")
  func member() throws {
    let instance = try TestInstance()
    let sam = try instance.checkedInMember()
    try instance.database.write { try $0.execute("UPDATE checkin_settings SET threshold_days = 4") }
    #expect(sam.get("/checkin").shows("Remind me daily at"))
    let answer = sam.post("/checkin/settings", ["remind": "1", "reminder_time": "21:15"])
    #expect(answer.location == "/checkin")
    let settings = try #require(try instance.settings(of: instance.person("Sam")))
    #expect(settings.reminderMinute == 21 * 60 + 15 && settings.threshold == 4)
    #expect(!sam.get("/checkin").shows("Remind me daily at"))
  }

  @Test("A time that is on no quarter hour is an error", arguments: ["", "25:00", "20:07"])
  func wrong(time: String) throws {
    let instance = try TestInstance()
    let sam = try instance.checkedInMember()
    let answer = sam.post("/checkin/settings", ["remind": "1", "reminder_time": time])
    #expect(answer.status == (time.isEmpty ? 303 : 422))
    #expect(time.isEmpty || answer.shows("Enter a time on a quarter hour"))
    #expect(time.isEmpty || answer.shows("type=\"time\" value=\"\(time)\""))
    #expect(try instance.settings(of: instance.person("Sam"))?.reminderMinute == nil)
  }

  @Test("A guest without push notifications is told how reminders would arrive")
  func guest() throws {
    let instance = try TestInstance()
    let guest = instance.browser()
    guest.begin("Gia", contact: "kai@example.test")
    let page = guest.get("/checkin")
    #expect(page.shows("To be reminded on this device") && !page.shows("Remind me daily at"))
  }

  @Test("Not offered before the first check-in, nor after the fourth day in a row")
  func later() throws {
    let instance = try TestInstance()
    let sam = try instance.checkedInMember()
    for _ in 1...3 {
      #expect(sam.get("/checkin").shows("Remind me daily at"))
      instance.clock.advance(seconds: 86_400)
      #expect(!sam.get("/checkin").shows("Remind me daily at"))
      sam.tap()
    }
    #expect(!sam.get("/checkin").shows("Remind me daily at"))
  }

  @Test("The terms are named before the first check-in only")
  func terms() throws {
    let instance = try TestInstance()
    #expect(instance.browser().get("/checkin").shows("By checking in, you accept the"))
    let sam = try instance.checkedInMember()
    #expect(!sam.get("/checkin").shows("By checking in, you accept the"))
  }
}
