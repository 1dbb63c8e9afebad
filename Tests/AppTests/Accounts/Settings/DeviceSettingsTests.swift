import Foundation
import HTTPTypes
import Testing

@testable import App

@Suite("/settings/devices shows the recording device and releases it")
struct DeviceSettingsTests {
  private static let page = "/settings/devices"
  private static let record = "/settings/devices?next=%2Fworkouts%2Frecord"

  private let instance: TestInstance
  private let sam: TestClient
  private let phone: TestAPIClient

  init() throws {
    instance = try TestInstance()
    try instance.alone("sam")
    sam = try instance.signedIn("sam")
    phone = instance.client()
    phone.login("sam", device: true)
  }

  private var isBound: Bool {
    sam.call(.get, "/devices/binding").json["device_id"] is String
  }

  @Test("It says which device and since when, and that none is bound once it is released")
  func shown() throws {
    let page = sam.get(Self.page)
    #expect(page.status == 200 && page.shows("PairSpot/1.0 (iPhone)"))
    #expect(page.shows("Recording device since") && !page.shows("already record on another device"))
    #expect(page.headers[.cacheControl]?.contains("no-store") == true)
    #expect(sam.get("/settings").shows(Self.page))
    let answer = sam.post(Self.page, ["current_password": TestInstance.password])
    #expect(answer.status == 303 && answer.location == Self.page && !isBound)
    let after = sam.get(Self.page)
    #expect(after.shows("No recording device yet") && after.shows("Device released"))
    let mails = try instance.mails(to: "sam@example.test")
    #expect(mails.count == 1 && mails[0].subject == "Your recording device was released")
  }

  @Test("From the recorder it says why, and goes back there")
  func recorder() throws {
    let page = sam.get(Self.record)
    #expect(page.shows("You already record on another device."))
    #expect(page.value(of: "next") == "/workouts/record")
    sam.call(.patch, "/account", #"{"language":"zh-Hant"}"#)
    #expect(sam.get(Self.record).shows("此帳號已在其他裝置登入"))
    let answer = sam.post(
      Self.page, ["next": "/workouts/record", "current_password": TestInstance.password])
    #expect(answer.status == 303 && answer.location == "/workouts/record" && !isBound)
    #expect(sam.get(Self.record).shows("href=\"/workouts/record\""))
    // Releasing again is no error.
    #expect(sam.post(Self.page, ["next": "/workouts/record"]).location == "/workouts/record")
  }

  @Test("A wrong password releases nothing; the next page is always on this site")
  func refused() throws {
    for password in ["", "wrong"] {
      let answer = sam.post(Self.page, ["next": "/workouts/record", "current_password": password])
      #expect(answer.status == 422 && answer.shows("error-summary") && isBound)
      #expect(answer.value(of: "next") == "/workouts/record")
    }
    #expect(!sam.get("/settings/devices?next=//evil.test/").shows("evil.test"))
    let answer = sam.post(
      Self.page, ["next": "//evil.test/", "current_password": TestInstance.password])
    #expect(answer.location == Self.page)
  }

  @Test("A mailed code does instead of the password, once")
  func code() throws {
    let asked = sam.post(Self.page, ["next": "/workouts/record", "mail_code": "1"])
    #expect(asked.status == 303)
    let page = sam.get(try #require(asked.location))
    #expect(page.shows("name=\"code\"") && page.value(of: "next") == "/workouts/record")
    let mail = try #require(try instance.mails(to: "sam@example.test").last)
    let code = try #require(mail.text.firstMatch(of: /[0-9]{6}/)).output
    for wrong in ["", "12", code == "000000" ? "111111" : "000000"] {
      let answer = sam.post(Self.page, ["code": wrong])
      #expect(answer.status == 422 && answer.shows("name=\"code\"") && isBound)
    }
    #expect(sam.post(Self.page, ["code": String(code)]).status == 303 && !isBound)
    phone.call(.put, "/devices/binding", ["device_id": phone.device.description, "name": "A"])
    #expect(sam.post(Self.page, ["code": String(code)]).status == 422 && isBound)
  }

  @Test("A guest shows the recovery code")
  func guest() throws {
    let guest = try instance.guest("Gia")
    let code = try guest.recoveryCode()
    let body = #"{"device_id":"\#(phone.device)","name":"Tablet"}"#
    #expect(guest.call(.put, "/devices/binding", body).status == 200)
    #expect(guest.get(Self.page).shows("name=\"recovery_code\""))
    #expect(guest.post(Self.page, ["recovery_code": "ABCD-EFGH-JKLM-NPQR"]).status == 422)
    #expect(guest.post(Self.page, ["recovery_code": code]).status == 303)
    #expect(guest.get(Self.page).shows("No recording device yet"))
  }
}
