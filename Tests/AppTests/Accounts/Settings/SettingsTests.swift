import Foundation
import Testing

@testable import App

@Suite("The list of settings, one's name, picture, language and clock")
struct SettingsTests {
  private static let pages = [
    "", "/profile", "/language", "/password", "/email", "/sessions",
  ].map { "/settings\($0)" }

  @Test("The list shows each setting as it is, and the account menu leads to it")
  func list() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    #expect(sam.get("/").shows("href=\"/settings\""))
    let list = sam.get("/settings")
    #expect(list.status == 200)
    for words in ["Sam", "sam@example.test", "English · ", "Automatic", "1 browser", "/sign-out"] {
      #expect(list.shows(words), "\(words)")
    }
    for page in Self.pages.dropFirst() { #expect(list.shows("href=\"\(page)\""), "\(page)") }
  }

  @Test("Each entry of the list has an icon of its own, for members and guests")
  func icons() throws {
    let instance = try TestInstance()
    try instance.couple()
    for browser in [try instance.signedIn("ann"), try instance.guest()] {
      let list = browser.get("/settings").text
      let icons = list.matches(of: /<a class="setting[ "].*?sprite\.svg#([a-z-]+)"/)
        .map { String($0.output.1) }
      #expect(icons.count > 12 && Set(icons).count == icons.count, "\(icons)")
    }
  }

  @Test("Ending the couple is the last entry of its group, and red as deleting the account is")
  func red() throws {
    let instance = try TestInstance()
    try instance.couple()
    let list = try instance.signedIn("ann").get("/settings").text
    let links = list.matches(of: /<a class="setting( setting-red)?" href="([^"]+)"/)
    let red = links.filter { $0.output.1 != nil }.map { String($0.output.2) }
    #expect(red == ["/settings/part", "/settings/delete"])
    let all = links.map { String($0.output.2) }
    let place = try #require(all.firstIndex(of: "/settings/part"))
    #expect(all[place - 1] == "/workouts/sharing" && all[place + 1] == "/checkin/settings")
  }

  @Test("Each page of settings has the list, in which it is marked; other pages do not")
  func listBeside() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let (sam, gia) = (try instance.signedIn("sam"), try instance.guest())
    let list = "data-testid=\"settings-list\""
    for page in Self.pages.dropFirst() + ["/checkin/settings", "/checkin/contacts", "/wallet"] {
      let shown = sam.get(page)
      #expect(shown.shows(list), "\(page)")
      #expect(shown.shows("<a href=\"\(page)\" aria-current=\"page\">"), "\(page)")
    }
    for page in ["/settings", "/checkin", "/help", "/notifications"] {
      #expect(!sam.get(page).shows(list), "\(page)")
    }
    let guests = gia.get("/settings/profile")
    #expect(guests.shows(list) && guests.shows("href=\"/become-a-member\""))
    #expect(!guests.shows("href=\"/settings/password\""))
  }

  @Test("A signed-out visitor is sent to sign in, and the browser caches nothing")
  func door() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    for page in Self.pages {
      #expect(instance.browser().get(page).location?.hasPrefix("/sign-in?next=\(page)") == true)
      #expect(sam.get(page).headers[.cacheControl] == "no-store", "\(page)")
    }
  }

  @Test("A guest sees only the settings for guests")
  func guest() throws {
    let instance = try TestInstance()
    let sam = try instance.guest()
    let list = sam.get("/settings")
    for page in ["profile", "language", "sessions"] { #expect(list.shows("/settings/\(page)")) }
    for page in ["password", "email"] {
      #expect(!list.shows("/settings/\(page)"), "\(page)")
      #expect(sam.get("/settings/\(page)").location?.hasPrefix("/become-a-member") == true)
      #expect(sam.post("/settings/\(page)").location?.hasPrefix("/become-a-member") == true)
    }
    #expect(sam.get("/settings/sessions").status == 200)
    #expect(
      sam.post(
        "/settings/language", ["language": "zh-Hans", "theme": "auto", "time_zone": "Asia/Tokyo"]
      ).status == 303)
    #expect(sam.get("/settings").shows("东京时间"))
  }

  // MARK: Profile

  @Test("A new name is shown everywhere, as one line")
  func name() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let saved = ann.upload("/settings/profile", [("display_name", "  Anna\u{2028}Lee ")], files: [])
    #expect(saved.status == 303 && saved.location == "/settings/profile")
    #expect(ann.get("/settings/profile").shows("value=\"Anna Lee\""))
    #expect(try instance.signedIn("ben").get("/settings").status == 200)
    #expect(try instance.count("SELECT count(*) FROM users WHERE display_name = 'Anna Lee'") == 1)
  }

  @Test("A name has 1 to 50 characters", arguments: [(0, 422), (1, 303), (50, 303), (51, 422)])
  func nameLength(length: Int, status: Int) throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let name = String(repeating: "名", count: length)
    let answer = sam.post("/settings/profile", ["display_name": name])
    #expect(answer.status == status)
    if status == 422 {
      #expect(answer.shows("error-summary") && answer.shows("value=\"\(name)\""))
      #expect(sam.get("/settings").shows("Sam"))
    }
  }

  @Test("A name that the check-in page takes is taken by the settings")
  func sameLimitEverywhere() throws {
    let instance = try TestInstance()
    let sam = try instance.checkedInMember()
    let name = String(repeating: "n", count: 50)
    #expect(sam.post("/checkin", ["display_name": name]).status == 303)
    #expect(sam.post("/settings/profile", ["display_name": name]).status == 303)
    #expect(sam.post("/checkin", ["display_name": name + "n"]).status == 422)
  }

  @Test("The couple of a lone member is called by their name until they choose another")
  func loneName() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    try sam.write("First")
    #expect(try instance.couples() == ["Sam": "single"])
    sam.post("/settings/profile", ["display_name": "Sam Lee"])
    #expect(try instance.couples() == ["Sam Lee": "single"])
    sam.call(.patch, "/account", #"{"display_name":"Sammy"}"#)
    #expect(try instance.couples() == ["Sammy": "single"])
    try instance.database.write { try $0.execute("UPDATE couples SET name = 'The Lees'") }
    sam.post("/settings/profile", ["display_name": "Sam"])
    #expect(try instance.couples() == ["The Lees": "single"])
  }

  @Test("An own picture replaces the one before, and can be removed with its files")
  func picture() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    func upload() throws -> String {
      let answer = ann.upload(
        "/settings/profile", [("display_name", "Ann")], files: [("avatar", SmallPicture.png)])
      try #require(answer.status == 303, "\(answer.text)")
      return try #require(ann.get("/settings/profile").pictures.first)
    }
    #expect(!ann.get("/settings/profile").shows("remove_avatar"))
    let first = try upload()
    let second = try upload()
    #expect(first != second && ann.get(first).status == 404 && ann.get(second).status == 200)
    #expect(try instance.mediaFiles().count == 2)
    #expect(ann.post("/settings/profile", ["remove_avatar": "1"]).status == 303)
    #expect(ann.get("/settings/profile").pictures.isEmpty && ann.get(second).status == 404)
    #expect(try instance.mediaFiles().isEmpty)
    #expect(ann.get("/settings/profile").shows("value=\"Ann\""))
    #expect(ann.post("/settings/profile", ["remove_avatar": "1"]).status == 303)
  }

  @Test("A member on their own has a picture too")
  func lonePicture() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    sam.upload(
      "/settings/profile", [("display_name", "Sam")], files: [("avatar", SmallPicture.png)])
    let picture = try #require(sam.get("/settings/profile").pictures.first)
    #expect(sam.get(picture).status == 200)
  }

  @Test("A HEIC picture is offered and becomes an own picture")
  func heicPicture() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    #expect(sam.get("/settings/profile").shows("image/heic,image/heif"))
    let answer = sam.upload(
      "/settings/profile", [("display_name", "Sam")], files: [("avatar", HEICPhoto.bytes)])
    #expect(answer.status == 303)
    let picture = try #require(sam.get("/settings/profile").pictures.first)
    #expect(sam.get(picture).status == 200)
  }

  @Test("A file that is no picture is an error, and neither name nor picture change")
  func brokenPicture() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let answer = ann.upload(
      "/settings/profile", [("display_name", "Typed")], files: [("avatar", [1, 2, 3])])
    #expect(answer.status == 422 && answer.shows("value=\"Typed\""))
    #expect(try instance.mediaFiles().isEmpty)
    #expect(try instance.count("SELECT count(*) FROM users WHERE display_name = 'Typed'") == 0)
  }

  // MARK: Language, theme, time zone

  private func save(
    _ browser: TestClient, language: String = "zh-Hant", theme: String = "dark",
    zone: String = "America/New_York"
  ) -> TestResponse {
    browser.post(
      "/settings/language", ["language": language, "theme": theme, "time_zone": zone])
  }

  @Test("Language, theme and time zone are kept on the account, for every browser")
  func preferences() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    #expect(save(try instance.signedIn("sam")).location == "/settings/language")
    let other = try instance.signedIn("sam")
    let page = other.get("/settings/language")
    #expect(page.shows("lang=\"zh-Hant\" data-theme=\"dark\""))
    #expect(page.shows("value=\"America/New_York\" selected"))
    // The instance's time is still the previous day in New York.
    #expect(other.get("/settings/sessions").shows("2026年3月1日 19:00"))
  }

  @Test(
    "Only listed values can be chosen",
    arguments: [
      ("tlh", "dark", "Asia/Taipei"), ("en", "pink", "Asia/Taipei"), ("en", "dark", "Mars/Base"),
      ("en", "dark", "../../etc/passwd"), ("en", "dark", "GMT+25"),
      ("en", "dark", "Asia/Kolkata\0"), ("en", "dark", "Asia/Nowhere"),
      ("", "", ""),
    ])
  func wrongPreferences(language: String, theme: String, zone: String) throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let answer = save(sam, language: language, theme: theme, zone: zone)
    #expect(answer.status == 422 && answer.shows("error-summary"))
    #expect(
      try instance.count("SELECT count(*) FROM users WHERE theme IS NULL AND time_zone IS NULL")
        == 1)
  }

  @Test("The browser's zone is used without a choice, and is stored")
  func zoneOfTheBrowser() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let session = try #require(sam.cookie("session"))
    let cookies = "session_\(TestInstance.port)=\(session); tz=Asia%2FKolkata"
    let page = instance.browser().get("/settings/language", headers: [.cookie: cookies])
    #expect(page.shows("<option value=\"\">Automatic (this browser: Kolkata)</option>"))
    #expect(page.text.components(separatedBy: " selected>").count == 1)
    #expect(
      try instance.count("SELECT count(*) FROM users WHERE time_zone = 'Asia/Kolkata'") == 1)
  }

  @Test(
    "A zone's other name may be chosen, and is selected in the list",
    arguments: [
      ("Asia/Kolkata", "Asia/Calcutta"), ("Pacific/Samoa", "Pacific/Pago_Pago"),
      ("Asia/Saigon", "Asia/Ho_Chi_Minh"), ("Europe/Kiev", "Europe/Kyiv"), ("UTC", "GMT"),
      ("Etc/UTC", "GMT"), ("US/Pacific", "America/Los_Angeles"), ("Etc/GMT+3", "Etc/GMT+3"),
    ])
  func zoneByAnotherName(zone: String, listed: String) throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    #expect(save(sam, language: "en", theme: "dark", zone: zone).status == 303)
    #expect(sam.get("/settings/language").shows("value=\"\(listed)\" selected"))
  }
}

extension TestInstance {
  /// A guest's browser; no page creates such a guest yet.
  func guest() throws -> TestClient {
    try alone("guest")
    let browser = try signedIn("guest")
    try database.write {
      try $0.execute(
        """
        UPDATE users SET role = 1, email_sealed = NULL, email_hash = NULL, password_hash = NULL
        WHERE display_name = 'Guest'
        """)
    }
    return browser
  }
}
