import Core
import Foundation
import Testing

@testable import App
@testable import CheckIn

@Suite("Check-ins with a threshold in hours")
struct HourThresholdPagesTests {
  private func pass(_ seconds: Int64, _ instance: TestInstance) throws {
    instance.clock.advance(seconds: seconds)
    try CheckInScan(services: instance.checkIn).run(now: instance.clock.now())
    try instance.work()
  }

  /// Mei, who has tapped just now and wants an alert after 12 hours.
  private func tight(_ instance: TestInstance) throws -> TestClient {
    try instance.watched(by: ["ming"])
    try instance.work()
    let mei = try instance.signedIn("mei")
    let saved = mei.call(.put, "/checkin/settings", #"{"threshold_hours":12}"#)
    try #require(saved.status == 200, "\(saved.text)")
    mei.get("/checkin")
    mei.post("/checkin", ["button": "check-in"])
    return mei
  }

  @Test("The form and the API store it, clear it, and refuse other numbers")
  func settings() throws {
    let instance = try TestInstance()
    try instance.watched(by: ["ming"])
    let mei = try instance.signedIn("mei")
    let person = try instance.person("Mei")
    mei.get("/checkin/settings")
    func save(_ hours: String) -> TestResponse {
      mei.post(
        "/checkin/settings",
        [
          "threshold_days": "2", "threshold_hours": hours, "alert_time": "09:00",
          "reminder_time": "", "paused_until": "", "contact_language": "en", "contact_pause": "",
        ])
    }
    #expect(save("16").status == 303)
    #expect(try instance.settings(of: person)?.thresholdHours == 16)
    #expect(mei.get("/checkin/settings").shows("<option value=\"16\" selected>16 hours</option>"))
    #expect(mei.get("/checkin").shows("If you don’t check in for 16 hours"))
    #expect(save("17").status == 422 && save("-8").status == 422)
    #expect(save("").status == 303)
    #expect(try instance.settings(of: person)?.thresholdHours == nil)
    func put(_ hours: String) -> TestResponse {
      mei.call(.put, "/checkin/settings", "{\"threshold_hours\":\(hours)}")
    }
    #expect(put("8").json["threshold_hours"] as? Int == 8)
    #expect(put("9").status == 422)
    #expect(put("null").json["threshold_hours"] is NSNull)
  }

  @Test("Contacts are told after these hours, with words that fit, and a tap gives the all-clear")
  func alert() throws {
    let instance = try TestInstance()
    let mei = try tight(instance)
    try pass(.hours(11), instance)
    #expect(try instance.mails(to: "mei@example.test").count == 1)
    try pass(.hours(1) - 1, instance)
    #expect(try instance.number("SELECT count(*) FROM alerts") == 0)
    try pass(1, instance)
    let mail = try #require(try instance.mails(to: "ming@example.test").last)
    #expect(mail.text.contains("Mei hasn’t checked in on PairSpot for more than 12 hours."))
    #expect(!mail.text.contains("in a row"))
    #expect(
      instance.browser().get(try instance.contactPage()).shows("has stopped checking in"))
    #expect(mei.get("/checkin/record").shows("12 hours without a check-in"))
    mei.get("/checkin")
    mei.post("/checkin", ["button": "check-in"])
    try instance.work()
    #expect(
      try instance.mails(to: "ming@example.test").contains {
        $0.subject.contains("checked in again")
      })
    #expect(try instance.number("SELECT count(*) FROM alerts WHERE ended_at IS NULL") == 0)
  }

  @Test("Taps on the same day count, are warned about again, and are recorded unless in a burst")
  func again() throws {
    let instance = try TestInstance()
    let mei = try tight(instance)
    #expect(mei.get("/checkin").shows("Check in again by"))
    #expect(mei.get("/checkin").shows("Check in again</span>"))
    func tap() { mei.post("/checkin", ["button": "check-in"]) }
    func warnings() throws -> Int { try instance.mails(to: "mei@example.test").count }
    func lines() throws -> Int {
      try instance.number("SELECT count(*) FROM checkin_record WHERE event = 'tapped'")
    }
    let first = try lines()
    tap()
    #expect(try lines() == first)
    try pass(.hours(11), instance)
    #expect(try warnings() == 1)
    tap()
    #expect(try lines() == first + 1)
    try pass(.hours(11) - 60, instance)
    #expect(try warnings() == 1)
    try pass(60, instance)
    #expect(try warnings() == 2)
    try pass(.hours(1), instance)
    #expect(try instance.number("SELECT count(*) FROM alerts") == 1)
  }

  @Test("A second silence on the same day is alerted as well")
  func twice() throws {
    let instance = try TestInstance()
    let mei = try tight(instance)
    mei.call(.put, "/checkin/settings", #"{"threshold_hours":8}"#)
    try pass(.hours(8), instance)
    mei.get("/checkin")
    mei.post("/checkin", ["button": "check-in"])
    try pass(60, instance)
    let before = try instance.mails(to: "ming@example.test").count
    try pass(.hours(8), instance)
    #expect(try instance.mails(to: "ming@example.test").count == before + 1)
  }
}
