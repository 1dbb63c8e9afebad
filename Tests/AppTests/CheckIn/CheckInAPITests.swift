import Core
import Foundation
import HTTPTypes
import Testing
import Web

@testable import App
@testable import CheckIn

// The instance's clock starts at 2026-03-02, 08:00 in Taipei.
@Suite("/api/v1/checkin")
struct CheckInAPITests {
  private static let path = "/checkin"

  /// A user with a contact and a check-in.
  private func ready(_ instance: TestInstance, _ name: String = "sam") throws -> TestClient {
    try instance.alone(name)
    let browser = try instance.signedIn(name)
    browser.call(.put, "/checkin/settings", #"{"time_zone":"Asia/Taipei"}"#)
    let added = browser.call(
      .post, "/checkin/contacts", #"{"name":"Pat","email":"pat@example.test"}"#)
    try #require(added.status == 201, "\(added.text)")
    return browser
  }

  // MARK: Tapping

  @Test("The first tap of a day is 201, a repeat 200 with the first one's moment")
  func tap() throws {
    let instance = try TestInstance()
    let sam = try ready(instance)
    let first = sam.call(.post, Self.path, "{}")
    #expect(first.status == 201 && first.json["check_in_date"] as? String == "2026-03-02")
    #expect(first.json["check_in_time"] as? String == "2026-03-02T00:00:00.000Z")
    #expect(first.json["current_streak"] as? Int == 1)
    instance.clock.advance(seconds: 3600)
    let again = sam.call(.post, Self.path, "{}")
    #expect(again.status == 200 && again.text == first.text)
    instance.clock.advance(seconds: 86_400)
    #expect(sam.call(.post, Self.path, "{}").json["current_streak"] as? Int == 2)
    #expect(try instance.count("SELECT count(*) FROM check_ins") == 2)
    #expect(sam.get("/checkin").shows("data-state=\"done\""))
  }

  @Test("Eight taps at once are one check-in")
  func atOnce() throws {
    let instance = try TestInstance()
    let sam = try ready(instance)
    _ = sam.freshToken()
    let taps = (1...8).map { _ in Taps(sam.copy()) }
    DispatchQueue.concurrentPerform(iterations: taps.count) { taps[$0].tap() }
    #expect(taps.count { $0.status == 201 } == 1 && taps.count { $0.status == 200 } == 7)
    #expect(try instance.count("SELECT count(*) FROM check_ins") == 1)
  }

  @Test("Without a contact or a name the missing fields are named")
  func missing() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let answer = sam.call(.post, Self.path, "{}")
    #expect(answer.status == 422 && answer.code == "validation_error")
    #expect(Set(answer.fieldErrors.keys) == ["contact_email"])
    let (guest, browser) = try instance.plainGuest("Gia")
    try instance.database.write {
      try $0.execute("UPDATE users SET display_name = '' WHERE id = \(guest)")
    }
    let both = browser.call(.post, Self.path, "{}")
    #expect(Set(both.fieldErrors.keys) == ["display_name", "contact_email"])
    #expect(browser.call(.put, "/checkin/settings", #"{"display_name":" Gia "}"#).status == 200)
    browser.call(.post, "/checkin/contacts", #"{"email":"pat@example.test"}"#)
    #expect(browser.call(.post, Self.path, "{}").status == 201)
  }

  @Test(
    "A tap made offline counts for its own day, within 72 hours; another day than its own doesn't",
    arguments: [
      (#"{"at":"2026-03-01T23:00:00Z"}"#, 201, "2026-03-02"),
      (#"{"at":"2026-03-01T10:00:00.250Z"}"#, 201, "2026-03-01"),
      (#"{"at":"2026-02-27T00:00:00Z"}"#, 201, "2026-02-27"),
      (#"{"at":"2026-02-26T23:59:59Z"}"#, 422, "not_today"),
      (#"{"at":"2026-03-02T00:09:00Z"}"#, 201, "2026-03-02"),
      (#"{"at":"2026-03-02T00:11:00Z"}"#, 422, "not_today"),
      (#"{"date":"2026-03-02"}"#, 201, "2026-03-02"),
      (#"{"date":"2026-03-01"}"#, 422, "not_today"),
      (#"{"at":"2026-03-01T10:00:00Z","date":"2026-03-01"}"#, 201, "2026-03-01"),
      (#"{"at":"2026-03-01T10:00:00Z","date":"2026-03-02"}"#, 422, "not_today"),
      (#"{"at":"yesterday"}"#, 422, "validation_error"),
      (#"{"at":"2026-03-01"}"#, 422, "validation_error"),
      (#"{"date":"2026-02-30"}"#, 422, "validation_error"),
      (#"{"time_zone":"Mars/Base"}"#, 201, "2026-03-02"),
    ])
  func offline(body: String, status: Int, expected: String) throws {
    let instance = try TestInstance()
    let answer = try ready(instance).call(.post, Self.path, body)
    #expect(answer.status == status, "\(answer.text)")
    #expect((status == 201 ? answer.json["check_in_date"] as? String : answer.code) == expected)
    #expect(try instance.count("SELECT count(*) FROM check_ins") == (status == 201 ? 1 : 0))
  }

  @Test("The sent zone is used without a chosen one; a chosen one stays until it is changed")
  func zones() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    sam.call(.post, "/checkin/contacts", #"{"email":"pat@example.test"}"#)
    let first = sam.call(.post, Self.path, #"{"time_zone":"America/Los_Angeles"}"#)
    #expect(first.json["check_in_date"] as? String == "2026-03-01")
    let again = sam.call(.post, Self.path, #"{"time_zone":"Asia/Taipei"}"#)
    #expect(again.status == 200 && again.json["check_in_date"] as? String == "2026-03-01")
    #expect(sam.call(.get, Self.path).json["time_zone"] as? String == "America/Los_Angeles")
    sam.call(.put, "/checkin/settings", #"{"time_zone":"Asia/Taipei"}"#)
    let moved = sam.call(.post, Self.path, "{}")
    #expect(moved.status == 201 && moved.json["check_in_date"] as? String == "2026-03-02")
  }

  @Test("It is for guests too, but requires an account")
  func who() throws {
    let instance = try TestInstance()
    #expect(instance.browser().call(.post, Self.path, "{}").code == "invalid_token")
    #expect(instance.browser().call(.get, Self.path).status == 401)
    #expect(try instance.guest("Gia").call(.get, Self.path).status == 200)
  }

  // MARK: Status

  @Test("The status is the same as on the page")
  func show() throws {
    let instance = try TestInstance()
    let sam = try ready(instance)
    let before = sam.call(.get, Self.path)
    #expect(before.json["checked_in_today"] as? Bool == false)
    #expect(before.json["today"] as? String == "2026-03-02")
    let person = try instance.person("Sam")
    let today = try #require(LocalDay("2026-03-02"))
    try instance.checkIns(of: person, on: (5...8).reversed().map { today.adding(days: -$0) })
    sam.call(.post, Self.path, "{}")
    instance.clock.advance(seconds: 3 * 86_400)
    let after = sam.call(.get, Self.path).json
    #expect(after["missed_days"] as? Int == 2 && after["checked_in_today"] as? Bool == false)
    #expect(after["current_streak"] as? Int == 0 && after["longest_streak"] as? Int == 4)
    #expect(after["total"] as? Int == 5)
    let settings = try #require(after["settings"] as? [String: Any])
    #expect(settings["alert_time"] as? String == "09:00")
    #expect(settings["threshold_days"] as? Int == 2)
    #expect(settings["reminder_time"] is NSNull && settings["paused_until"] is NSNull)
    #expect(settings["display_name"] as? String == "Sam")
    let contacts = try #require(after["contacts"] as? [[String: Any]])
    #expect(contacts.first?["email"] as? String == "pat@example.test")
  }

  // MARK: Settings

  @Test("Given values are set, omitted ones are kept, null clears optional ones")
  func settings() throws {
    let instance = try TestInstance()
    let sam = try ready(instance)
    let path = "/checkin/settings"
    let set = sam.call(
      .put, path,
      """
      {"alert_time":"07:15","threshold_days":3,"reminder_time":"20:30","note":"Keys",
       "paused_until":"2026-03-20","contact_language":"zh-Hant","display_name":"Sämi"}
      """)
    #expect(set.status == 200 && set.json["paused_until"] as? String == "2026-03-20")
    #expect(set.json["display_name"] as? String == "Sämi")
    let kept = sam.call(.put, path, "{}")
    #expect(kept.text == set.text)
    #expect(kept.json["alert_time"] as? String == "07:15" && kept.json["note"] as? String == "Keys")
    let page = sam.get("/checkin/settings")
    #expect(page.shows("type=\"time\" value=\"07:15\"") && page.shows("value=\"2026-03-20\""))
    let cleared = sam.call(.put, path, #"{"reminder_time":null,"paused_until":null,"note":""}"#)
    #expect(cleared.json["reminder_time"] is NSNull && cleared.json["paused_until"] is NSNull)
    #expect(cleared.json["alert_time"] as? String == "07:15")
    #expect(cleared.json["note"] as? String == "")
  }

  @Test(
    "Values refused by the form are refused here, under the same names, and nothing is saved",
    arguments: [
      (#""alert_time":"07:10""#, "alert_time"), (#""alert_time":"24:00""#, "alert_time"),
      (#""alert_time":"""#, "alert_time"), (#""threshold_days":1"#, "threshold_days"),
      (#""threshold_days":8"#, "threshold_days"), (#""threshold_days":"3""#, "threshold_days"),
      (#""reminder_time":"23:59""#, "reminder_time"),
      (#""contact_language":"tlh""#, "contact_language"), (#""time_zone":"Mars""#, "time_zone"),
      (#""paused_until":"2026-03-01""#, "paused_until"),
      (#""paused_until":"2026-05-02""#, "paused_until"),
      (#""paused_until":"soon""#, "paused_until"), (#""display_name":" ""#, "display_name"),
    ])
  func wrongSettings(field: String, name: String) throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam").id
    let answer = try instance.signedIn("sam").call(.put, "/checkin/settings", "{\(field)}")
    #expect(answer.status == 422 && Set(answer.fieldErrors.keys) == [name], "\(answer.text)")
    #expect(try instance.settings(of: sam) == nil)
  }

  // MARK: Contacts

  @Test("Contacts are added, introduced, renamed, and taken off the list")
  func contacts() throws {
    let instance = try TestInstance()
    let sam = try ready(instance)
    let path = "/checkin/contacts"
    let added = sam.call(.post, path, #"{"name":" Quin\n ","email":"Quin@Example.test"}"#)
    #expect(added.status == 201 && added.json["name"] as? String == "Quin")
    #expect(added.json["state"] as? String == "pending")
    try instance.work()
    let list = sam.call(.get, path).list("contacts")
    #expect(list.map { $0["email"] as? String } == ["pat@example.test", "quin@example.test"])
    #expect(list.map { $0["state"] as? String } == ["introduced", "introduced"])
    let mails = try #require(list.last?["mails"] as? [[String: Any]])
    #expect(mails.map { $0["kind"] as? String } == ["introduction"])
    #expect(mails.map { $0["state"] as? String } == ["sent"])
    let id = try #require(list.last?["id"] as? String)
    let renamed = sam.call(.patch, "\(path)/\(id)", #"{"name":""}"#)
    #expect(renamed.status == 200 && renamed.json["id"] as? String == id)
    #expect(renamed.json["name"] as? String == "")
    let moved = sam.call(.patch, "\(path)/\(id)", #"{"email":"quinn@example.test"}"#)
    let other = try #require(moved.json["id"] as? String)
    #expect(moved.status == 200 && other != id && moved.json["state"] as? String == "pending")
    #expect(sam.call(.patch, "\(path)/\(id)", "{}").status == 404)
    #expect(sam.call(.delete, "\(path)/\(other)").status == 204)
    #expect(sam.call(.delete, "\(path)/\(other)").status == 404)
    #expect(sam.call(.get, path).list("contacts").count == 1)
  }

  @Test("A sixth is 409, the same one, one's own or none is 422; others' are not there")
  func wrongContacts() throws {
    let instance = try TestInstance()
    let (sam, path) = (try ready(instance), "/checkin/contacts")
    let long = String(repeating: "n", count: 51)
    for body in [
      #"{"email":"pat@example.test"}"#, #"{"email":"sam@example.test"}"#, #"{"email":"nobody"}"#,
      #"{"email":""}"#, #"{"email":"a@example.test, b@example.test"}"#, "{}",
    ] {
      let answer = sam.call(.post, path, body)
      #expect(answer.status == 422 && Set(answer.fieldErrors.keys) == ["email"], "\(body)")
    }
    let named = sam.call(.post, path, "{\"name\":\"\(long)\",\"email\":\"q@example.test\"}")
    #expect(named.status == 422 && Set(named.fieldErrors.keys) == ["name"])
    for number in 2...5 {
      #expect(sam.call(.post, path, #"{"email":"c\#(number)@example.test"}"#).status == 201)
    }
    let sixth = sam.call(.post, path, #"{"email":"c6@example.test"}"#)
    #expect(sixth.status == 409 && sixth.code == "limit_reached")
    let id = try #require(sam.call(.get, path).list("contacts").first?["id"] as? String)
    let own = sam.call(.patch, "\(path)/\(id)", #"{"email":"sam@example.test"}"#)
    #expect(own.status == 422 && Set(own.fieldErrors.keys) == ["email"])
    try instance.alone("kim")
    let kim = try instance.signedIn("kim")
    #expect(kim.call(.patch, "\(path)/\(id)", #"{"name":"Mine"}"#).status == 404)
    #expect(kim.call(.delete, "\(path)/\(id)").status == 404)
  }

  // MARK: History

  @Test("A month of the history, and all of it as CSV")
  func history() throws {
    let instance = try TestInstance()
    let sam = try ready(instance)
    let days = ["2026-01-31", "2026-02-01", "2026-02-28"].compactMap { LocalDay($0) }
    try instance.checkIns(of: instance.person("Sam"), on: days, isOffline: true)
    sam.call(.post, Self.path, "{}")
    let february = sam.call(.get, "/checkin/history?month=2026-02")
    #expect(february.list("days").map { $0["date"] as? String } == ["2026-02-01", "2026-02-28"])
    #expect(february.list("days").first?["time"] as? String == "2026-02-01T00:00:00.000Z")
    #expect(february.list("days").first?["offline"] as? Bool == true)
    let present = sam.call(.get, "/checkin/history").list("days")
    #expect(present.map { $0["date"] as? String } == ["2026-03-02"])
    #expect(sam.call(.get, "/checkin/history?month=2031-01").text == #"{"days":[]}"#)
    let csv = sam.call(.get, "/checkin/history?format=csv")
    #expect(csv.headers[.contentType]?.hasPrefix("text/csv") == true)
    #expect(csv.text == sam.get("/checkin/history.csv").text)
    for (query, field) in [
      ("month=2026-13", "month"), ("month=x", "month"), ("format=xml", "format"),
    ] {
      let answer = sam.call(.get, "/checkin/history?\(query)")
      #expect(answer.status == 422 && Set(answer.fieldErrors.keys) == [field])
    }
  }
}

/// One of several browsers that tap at once.
// Each is used by one thread at a time: the one that taps, then, after all have ended, the test.
private final class Taps: @unchecked Sendable {
  private let browser: TestClient
  private(set) var status = 0

  init(_ browser: TestClient) { self.browser = browser }

  func tap() { status = browser.call(.post, "/checkin", "{}").status }
}
