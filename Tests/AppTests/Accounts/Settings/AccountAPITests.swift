import HTTPTypes
import Testing
import Web

@testable import App

@Suite("/api/v1/account is the caller's profile")
struct AccountAPITests {
  @Test("Each kind of user gets their own, with every field present")
  func show() throws {
    let instance = try TestInstance()
    let viewers = try instance.couple()
    try instance.alone("sam")
    let ann = try instance.signedIn("ann").call(.get, "/account")
    #expect(ann.status == 200 && ann.headers[.contentType] == "application/json")
    #expect(ann.json["display_name"] as? String == "Ann")
    #expect(ann.json["id"] as? String == viewers.first?.id.description)
    #expect(ann.json["couple_id"] as? String == viewers.first?.couple?.id.description)
    #expect(ann.json["role"] as? String == "partner_a" && ann.json["kind"] as? String == "member")
    #expect(ann.text.contains("\"avatar_url\":null") && ann.text.contains("\"staff_role\":null"))
    #expect(
      try instance.signedIn("ben").call(.get, "/account").json["role"] as? String == "partner_b")
    let sam = try instance.signedIn("sam").call(.get, "/account")
    #expect(sam.text.contains("\"couple_id\":null") && sam.text.contains("\"role\":null"))
    let guest = try instance.guest("Gia").call(.get, "/account")
    #expect(guest.json["kind"] as? String == "guest")
    #expect(guest.json["display_name"] as? String == "Gia")
  }

  @Test("A change is shown on the pages from then on; omitted values are kept")
  func change() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let changed = sam.call(
      .patch, "/account", #"{"display_name":" Sämi ","time_zone":"Europe/Berlin","more":1}"#)
    #expect(changed.status == 200 && changed.json["display_name"] as? String == "Sämi")
    #expect(changed.json["time_zone"] as? String == "Europe/Berlin")
    #expect(sam.get("/settings/profile").shows("Sämi"))
    let language = sam.call(.patch, "/account", #"{"language":"zh-Hant","display_name":null}"#)
    #expect(language.json["language"] as? String == "zh-Hant")
    #expect(language.json["display_name"] as? String == "Sämi")
    #expect(sam.get("/settings").shows("lang=\"zh-Hant\""))
    #expect(sam.call(.patch, "/account", "{}").json["time_zone"] as? String == "Europe/Berlin")
  }

  @Test("Values refused by the settings are refused here, by field, in the caller's language")
  func refused() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let long = String(repeating: "n", count: 51)
    let answer = sam.call(
      .patch, "/account", #"{"display_name":"\#(long)","time_zone":"Moon/Base"}"#)
    #expect(answer.status == 422 && answer.code == "validation_error")
    #expect(Set(answer.fieldErrors.keys) == ["display_name", "time_zone"])
    #expect(sam.call(.patch, "/account", #"{"display_name":"  "}"#).status == 422)
    let unknown = sam.call(.patch, "/account", #"{"language":"fr"}"#)
    #expect(unknown.fieldErrors["language"] == "This must be one of: en, zh-Hant, zh-Hans.")
    #expect(sam.call(.get, "/account").json["display_name"] as? String == "Sam")
    sam.call(.patch, "/account", #"{"language":"zh-Hans"}"#)
    let chinese = sam.call(.patch, "/account", #"{"language":7}"#)
    #expect(chinese.message == "填写的内容有误。")
    #expect(chinese.fieldErrors["language"]?.hasPrefix("这一项必须是其中之一") == true)
  }
}
