import HTTPTypes
import Secrets
import Testing

@testable import Accounts
@testable import App

@Suite("Where one is signed in")
struct SessionSettingsTests {
  private static let page = "/settings/sessions"
  private static let firefox =
    "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0"

  /// A browser that signs in with this User-Agent.
  private func signIn(_ instance: TestInstance, _ name: String, as agent: String) throws
    -> TestClient
  {
    let browser = instance.browser()
    let answer = browser.post(
      "/sign-in", ["email": "\(name)@example.test", "password": TestInstance.password],
      headers: [.userAgent: agent])
    try #require(answer.status == 303)
    return browser
  }

  private func end(_ browser: TestClient, _ what: KeyValuePairs<String, String>) -> TestResponse {
    browser.post(
      Self.page,
      all: what.map { ($0.key, $0.value) } + [("current_password", TestInstance.password)])
  }

  @Test("A mailed code does instead of the password, and a guest shows the recovery code")
  func otherProofs() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let (sam, other) = (try instance.signedIn("sam"), try instance.signedIn("sam"))
    let asked = sam.post(Self.page, ["others": "1", "mail_code": "1"])
    let page = sam.get(try #require(asked.location))
    #expect(page.shows("name=\"code\"") && page.value(of: "others") == "1")
    let mail = try #require(try instance.mails(to: "sam@example.test").last)
    #expect(mail.subject == "Your code to sign out other devices")
    let code = String(try #require(mail.text.firstMatch(of: /(?m)^\d{6}$/)).output)
    #expect(sam.post(Self.page, ["others": "1", "code": code]).location == Self.page)
    #expect(!other.isSignedIn && sam.isSignedIn)

    let guest = try instance.guest("Gia")
    let recovery = try guest.recoveryCode()
    let elsewhere = instance.browser()
    elsewhere.post("/recover", ["recovery_code": recovery])
    #expect(guest.get("\(Self.page)?end=others").shows("name=\"recovery_code\""))
    #expect(guest.post(Self.page, ["others": "1"]).status == 422)
    #expect(
      guest.post(Self.page, ["others": "1", "recovery_code": recovery]).location == Self.page)
    #expect(elsewhere.get("/settings").status == 303 && guest.get("/settings").status == 200)
  }

  @Test("Each browser is listed with its name, since when, last seen, and which one this is")
  func list() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let phone = try signIn(instance, "sam", as: Self.firefox)
    instance.clock.advance(seconds: 86_400)
    let sam = try instance.signedIn("sam")
    instance.clock.advance(seconds: 7200)
    phone.get("/")
    let list = sam.get(Self.page)
    for words in [
      "Firefox on Android", "Unknown browser", "This device",
      "Signed in: 2 March 2026, 08:00", "Last seen: 3 March 2026, 10:00",
      "Signed in: 3 March 2026, 08:00",
    ] {
      #expect(list.shows(words), "\(words)")
    }
    #expect(list.text.components(separatedBy: "This device").count == 2)
    #expect(list.sessionHandles.count == 1)
  }

  @Test("One session is ended; it opens nothing any more, the others stay")
  func endOne() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let phone = try signIn(instance, "sam", as: Self.firefox)
    let (sam, third) = (try instance.signedIn("sam"), try instance.signedIn("sam"))
    let list = sam.get(Self.page)
    let entry = try #require(
      list.text.components(separatedBy: "Firefox on Android").dropFirst().first)
    let handle = try #require(
      entry.firstMatch(of: /end=([^"]+)"/).map { String($0.output.1) })
    let asking = sam.get("\(Self.page)?end=\(handle)")
    #expect(asking.value(of: "session") == handle && asking.shows("Firefox on Android?"))
    let wrong = sam.post(Self.page, ["session": handle, "current_password": "wrong"])
    #expect(wrong.status == 422 && wrong.value(of: "session") == handle)
    #expect(sam.post(Self.page, ["session": handle]).status == 422)
    #expect(phone.get("/settings").status == 200)
    #expect(end(sam, ["session": handle]).location == Self.page)
    #expect(phone.get("/settings").status == 303)
    #expect(sam.get("/settings").status == 200 && third.get("/settings").status == 200)
    #expect(!sam.get(Self.page).shows("Firefox on Android"))
    #expect(end(sam, ["session": handle]).status == 303)
  }

  @Test("All others are ended at once, this one stays as it is")
  func endOthers() throws {
    let instance = try TestInstance()
    try instance.couple()
    let (ann, other, third) = (
      try instance.signedIn("ann"), try instance.signedIn("ann"), try instance.signedIn("ann")
    )
    let ben = try instance.signedIn("ben")
    let cookie = ann.cookie("session")
    #expect(ann.get(Self.page).shows("?end=others"))
    #expect(ann.get("\(Self.page)?end=others").value(of: "others") == "1")
    #expect(ann.post(Self.page, ["others": "1"]).status == 422 && other.isSignedIn)
    #expect(end(ann, ["others": "1"]).location == Self.page)
    for browser in [other, third] { #expect(browser.get("/settings").status == 303) }
    for browser in [ann, ben] { #expect(browser.get("/settings").status == 200) }
    #expect(ann.cookie("session") == cookie)
    #expect(!ann.get(Self.page).shows("?end=others"))
  }

  @Test(
    "The form's handle is neither the cookie nor its hash, and ends only the user's sessions")
  func handles() throws {
    let instance = try TestInstance()
    try instance.couple()
    let (ann, other, ben) = (
      try instance.signedIn("ann"), try instance.signedIn("ann"), try instance.signedIn("ben")
    )
    let handle = try #require(ann.get(Self.page).sessionHandles.first)
    #expect(handle != other.cookie("session"))
    let hashes = try instance.database.read { reader in
      try reader.rows("SELECT token_hash FROM sessions") {
        Base64URL.text(try $0.next([UInt8].self))
      }
    }
    #expect(hashes.count == 3 && !hashes.contains(handle))
    for guess in [handle, ann.cookie("session") ?? "", other.cookie("session") ?? "", "", "%"] {
      #expect(end(ben, ["session": guess]).status == 303)
    }
    #expect(other.get("/settings").status == 200 && ann.get("/settings").status == 200)
    // A stolen handle cannot be used to sign in.
    let thief = instance.browser()
    #expect(
      thief.get("/settings", headers: [.cookie: "session_\(TestInstance.port)=\(handle)"]).status
        == 303)
  }

  @Test("Ending asks for the token of the page")
  func csrf() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let (sam, other) = (try instance.signedIn("sam"), try instance.signedIn("sam"))
    #expect(sam.plainPost(Self.page, [("others", "1")]).status == 403)
    #expect(sam.get("\(Self.page)?others=1").status == 200)
    #expect(other.get("/settings").status == 200)
  }

  @Test("A session that has run out isn't listed")
  func ended() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    _ = try signIn(instance, "sam", as: Self.firefox)
    instance.clock.advance(seconds: 91 * 86_400)
    #expect(!(try instance.signedIn("sam")).get(Self.page).shows("Firefox on Android"))
  }

  @Test("An export lists browsers and times, and no secret")
  func exported() throws {
    let instance = try TestInstance()
    let person = try instance.alone("sam")
    let phone = try signIn(instance, "sam", as: Self.firefox)
    let files = try instance.database.read { reader in
      try instance.instance.participants.flatMap { try $0.export(person.id, from: reader) }
    }
    let file = try #require(files.first { $0.name == "sessions.json" })
    let text = String(decoding: file.json, as: UTF8.self).replacing("\\/", with: "/")
    #expect(text.contains(Self.firefox) && text.contains("2026-03-02T00:00:00"))
    let secret = try #require(phone.cookie("session"))
    let hash = Base64URL.text(try #require(Token(secret)).sha256)
    #expect(!text.contains(secret) && !text.contains(hash))
  }

  @Test("A name that a browser gives itself is not trusted")
  func hostileName() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    _ = try signIn(instance, "sam", as: "<script>alert(1)</script>")
    let list = try instance.signedIn("sam").get(Self.page)
    #expect(!list.shows("alert(1)") && list.shows("Unknown browser"))
  }
}

extension TestResponse {
  /// The handles of the sessions that this page can end.
  var sessionHandles: [String] {
    text.matches(of: /end=([A-Za-z0-9_-]{43})"/).map { String($0.output.1) }
  }
}
