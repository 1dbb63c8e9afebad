import Core
import FakeAuthenticator
import Foundation
import Testing

@testable import App

@Suite("Passkeys")
struct PasskeyTests {
  private let settings = "/settings/passkeys"

  // MARK: Adding

  @Test("Adding asks for the password first, and sends a mail")
  func add() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    #expect(ann.get("/settings/sign-in").shows("Add a passkey"))
    #expect(ann.get("\(settings)/options").status == 404)
    #expect(ann.post("\(settings)/new", ["current_password": "wrong"]).status == 422)
    #expect(
      ann.post("\(settings)/new", ["current_password": TestInstance.password]).location
        == "\(settings)/new")
    var device = PasskeyDevice()
    let answer = try device.make(ann.get("\(settings)/options").text)
    #expect(ann.post("\(settings)/new", ["name": "", "credential": answer]).status == 422)
    #expect(
      ann.post("\(settings)/new", ["name": "My key", "credential": answer]).location
        == "/settings/sign-in")
    #expect(ann.get("/settings/sign-in").shows("My key"))
    let mails = try instance.mails(to: "ann@example.test")
    #expect(mails.contains { $0.subject.contains("passkey was added") })
  }

  @Test("The options name the member, and exclude the passkeys that there are")
  func options() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let device = try ann.addPasskey()
    let options = ann.get("\(settings)/options").text
    #expect(options.contains("\"ann@example.test\""))
    #expect(options.contains("\"userVerification\":\"required\""))
    #expect(options.contains("\"id\":\"127.0.0.1\""))
    #expect(options.contains(device.idText))
  }

  @Test("A challenge works once, for one purpose, one browser and five minutes")
  func challenge() throws {
    let instance = try TestInstance()
    try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    try ann.confirmPassword()
    try ben.confirmPassword()
    let add = { (browser: TestClient, answer: String) in
      browser.post("\(settings)/new", ["name": "Key", "credential": answer]).status
    }
    var device = PasskeyDevice()
    // Another browser.
    let answer = try device.make(ann.get("\(settings)/options").text)
    _ = ben.get("\(settings)/options")
    #expect(add(ben, answer) == 422)
    // Another purpose.
    #expect(
      add(ann, try device.use(ann.get("\(settings)/confirm?action=account_delete").text)) == 422)
    // Too late.
    let late = try device.make(ann.get("\(settings)/options").text)
    instance.clock.advance(seconds: 301)
    #expect(add(ann, late) == 422)
    // Twice.
    let good = try device.make(ann.get("\(settings)/options").text)
    let copy = ann.copy()
    #expect(add(ann, good) == 303)
    try ann.removePasskeys()
    #expect(add(copy, good) == 303)
    #expect(!ann.get("/settings/sign-in").shows("Passkey, added"))
  }

  @Test("A member has at most ten, and a passkey one member")
  func limits() throws {
    let instance = try TestInstance()
    try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    var device = try ann.addPasskey()
    try ben.confirmPassword()
    let again = try device.make(ben.get("\(settings)/options").text)
    ben.post("\(settings)/new", ["name": "Stolen", "credential": again])
    #expect(!ben.get("/settings/sign-in").shows("Stolen"))
    for _ in 2...10 { _ = try ann.addPasskey() }
    #expect(ann.get("\(settings)/new").shows("the most that are possible"))
    let eleventh = try ann.addPasskey()
    #expect(try instance.signIn(with: eleventh) != "/")
  }

  @Test(
    "An answer that is no new passkey is refused",
    arguments: ["x", "{}", "[]", "null", String(repeating: "[", count: 10_000)])
  func malformed(_ answer: String) throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    try ann.confirmPassword()
    _ = ann.get("\(settings)/options")
    let answer = ann.post("\(settings)/new", ["name": "Key", "credential": answer])
    #expect(answer.status == 422)
    #expect(answer.shows("wasn’t saved"))
  }

  @Test("With a second factor, adding asks for a code too")
  func secondFactor() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let (app, _) = try ann.turnOnSecondFactor(instance)
    let password = ("current_password", TestInstance.password)
    let page = "\(settings)/new"
    #expect(ann.post(page, all: [password]).status == 422)
    #expect(ann.post(page, all: [password, ("code", app.wrong)]).status == 422)
    #expect(ann.get("\(settings)/options").status == 404)
    #expect(ann.post(page, all: [password, ("code", app.next())]).location == page)
    var device = PasskeyDevice()
    let answer = try device.make(ann.get("\(settings)/options").text)
    ann.post(page, ["name": "Key", "credential": answer])
    #expect(try instance.signIn(with: device) == "/")
    // The code is for this session.
    let other = try instance.halfSignedIn("ann")
    other.enter(app.next())
    #expect(other.get("\(settings)/options").status == 404)
  }

  // MARK: Signing in

  @Test("A passkey signs in, leads on, and needs no second factor")
  func signIn() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let device = try ann.addPasskey()
    _ = try ann.turnOnSecondFactor(instance)
    #expect(try instance.signIn(with: device, next: "/album") == "/album")
    #expect(ann.get("/settings/sign-in").shows("Last used"))
  }

  @Test("An answer works once, in the browser that asked")
  func replay() throws {
    let instance = try TestInstance()
    try instance.couple()
    let device = try instance.signedIn("ann").addPasskey()
    let (browser, other) = (instance.browser(), instance.browser())
    let answer = try device.use(browser.get("/sign-in/passkey").text)
    let copy = browser.copy()
    #expect(other.post("/sign-in/passkey", ["credential": answer]).location != "/")
    _ = other.get("/sign-in/passkey")
    #expect(other.post("/sign-in/passkey", ["credential": answer]).location != "/")
    #expect(browser.post("/sign-in/passkey", ["credential": answer]).location == "/")
    #expect(copy.post("/sign-in/passkey", ["credential": answer]).location != "/")
    #expect(copy.cookie("session") == nil && other.cookie("session") == nil)
  }

  @Test("An answer for another site, without verification, or of an unknown passkey is refused")
  func refused() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let device = try ann.addPasskey()
    var (foreign, unverified) = (device, device)
    foreign.origin = "https://elsewhere.example"
    unverified.flags = 0x19
    for wrong in [foreign, unverified, PasskeyDevice()] {
      #expect(try instance.signIn(with: wrong)?.hasPrefix("/sign-in") == true)
    }
    #expect(try instance.signIn(with: device) == "/")
  }

  @Test("A counter that goes back signs in, warns by mail and is a security event")
  func counter() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    var device = try ann.addPasskey()
    let warnings = {
      try instance.mails(to: "ann@example.test").filter { $0.subject.contains("copied") }.count
    }
    for (count, expected) in [(5, 0), (6, 0), (6, 1), (2, 2)] as [(UInt32, Int)] {
      device.signCount = count
      #expect(try instance.signIn(with: device) == "/")
      #expect(try warnings() == expected)
    }
    let metrics = instance.instance.site.metrics.text(gauges: [])
    #expect(metrics.contains("pairspot_security_passkey_count_went_back_total 2"))
  }

  @Test("Tries are limited for each address")
  func rate() throws {
    let instance = try TestInstance(limits: true)
    let browser = instance.browser()
    let statuses = (1...21).map { _ in
      browser.post("/sign-in/passkey", ["credential": "{}"]).status
    }
    #expect(statuses == Array(repeating: 303, count: 20) + [429])
  }

  @Test("A deleted account is offered for restoring")
  func deleted() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let device = try ann.addPasskey()
    ann.leave()
    #expect(try instance.signIn(with: device) == "/restore")
  }

  // MARK: Staff

  @Test("A passkey replaces the second factor of staff, for the sign-in that used it")
  func staff() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let device = try ann.addPasskey()
    try instance.appoint("ann@example.test", as: .admin)
    let byPassword = try instance.signedIn("ann")
    #expect(byPassword.get("/admin").location == "/settings/second-factor")
    #expect(byPassword.get("/settings/second-factor").shows("sign in with your passkey"))
    let browser = instance.browser()
    try #require(try browser.enter(with: device).location == "/")
    #expect(browser.get("/admin").status == 200)
    instance.clock.advance(seconds: 12 * 3600)
    #expect(browser.get("/admin").status != 200)
    try #require(try instance.signIn(with: device) == "/")
  }

  @Test("A session by a passkey loses the rights of staff with the passkey")
  func staffWithout() throws {
    let instance = try TestInstance()
    try instance.couple()
    let device = try instance.signedIn("ann").addPasskey()
    try instance.appoint("ann@example.test", as: .admin)
    let browser = instance.browser()
    try #require(try browser.enter(with: device).location == "/")
    #expect(browser.get("/admin").status == 200)
    try browser.removePasskeys()
    #expect(browser.get("/admin").status != 200)
  }

  // MARK: Renaming and removing

  @Test("Renaming needs a name, removing the password; both only one’s own")
  func change() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let device = try ann.addPasskey()
    let page = try ann.passkeyPage()
    #expect(try instance.signedIn("ben").get(page).status == 404)
    #expect(try instance.signedIn("ben").post(page, ["name": "Mine"]).status == 404)
    let fresh = try instance.signedIn("ann")
    #expect(fresh.post(page, ["name": " "]).status == 422)
    #expect(fresh.post(page, ["name": String(repeating: "x", count: 51)]).status == 422)
    fresh.post(page, ["name": "Blue <key>"])
    #expect(fresh.get("/settings/sign-in").shows("Blue &lt;key&gt;"))
    #expect(fresh.post(page, ["remove": "1", "current_password": "wrong"]).status == 422)
    fresh.post(page, ["remove": "1", "current_password": TestInstance.password])
    #expect(!fresh.get("/settings/sign-in").shows("Blue"))
    let mails = try instance.mails(to: "ann@example.test")
    #expect(mails.contains { $0.subject.contains("passkey was removed") })
    #expect(try instance.signIn(with: device) != "/")
  }

  @Test("Removing ends the other sessions that the passkey began")
  func removingSignsOut() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let (device, another) = (try ann.addPasskey(), instance.browser())
    let (own, lost) = (instance.browser(), instance.browser())
    for browser in [own, lost] { try browser.enter(with: device) }
    let page = try ann.passkeyPage()
    instance.clock.advance(seconds: 1)
    try another.enter(with: try ann.addPasskey())
    own.post(page, ["remove": "1", "current_password": TestInstance.password])
    #expect(own.isSignedIn && ann.isSignedIn && another.isSignedIn && !lost.isSignedIn)
  }

  @Test("A reset of the password removes passkeys of the last days, and no older ones")
  func reset() throws {
    let instance = try TestInstance()
    try instance.couple()
    let old = try instance.signedIn("ann").addPasskey()
    instance.clock.advance(seconds: 7 * 86_400 + 1)
    let new = try instance.signedIn("ann").addPasskey()
    instance.clock.advance(seconds: 1)
    let browser = instance.browser()
    browser.post("/reset", ["email": "ann@example.test"])
    let link = try instance.link(to: "ann@example.test")
    let token = try #require(browser.get(link).value(of: "token"))
    browser.post("/reset/confirm", ["token": token, "password": "another lantern river"])
    #expect(try instance.signIn(with: new)?.hasPrefix("/sign-in") == true)
    #expect(try instance.signIn(with: old) == "/")
  }

  @Test("The last way to sign in stays, and a passkey is one for a provider's account")
  func last() throws {
    let house = try ProviderInstance()
    let sam = try house.registered("sam")
    let provider = "/settings/sign-in/home"
    let confirm = try #require(sam.get("\(settings)/new").location)
    #expect(try house.confirm(confirm, "sam", sam).location == "\(settings)/new")
    var device = PasskeyDevice()
    let answer = try device.make(sam.get("\(settings)/options").text)
    sam.post("\(settings)/new", ["name": "Key", "credential": answer])
    #expect(!sam.get(provider).shows("your only way to sign in"))
    sam.post(provider, ["unlink": "1"])
    #expect(sam.get("/settings/sign-in").shows("Not linked"))
    let page = try sam.passkeyPage()
    #expect(sam.get(page).shows("your only way to sign in"))
    sam.post(page, ["remove": "1"])
    #expect(sam.get("/settings/sign-in").shows("Passkey, added"))
  }

  @Test("Undoing a change of address removes the passkeys")
  func undo() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let device = try ann.addPasskey()
    instance.clock.advance(seconds: 1)
    ann.post(
      "/settings/email", ["email": "new@example.test", "current_password": TestInstance.password])
    let token = try #require(
      ann.get(try instance.link(to: "new@example.test")).value(of: "token"))
    try #require(ann.post("/settings/email/confirm", ["token": token]).status == 303)
    let browser = instance.browser()
    let undo = try #require(
      browser.get(try instance.link(to: "ann@example.test")).value(of: "token"))
    browser.post(
      "/settings/email/undo", ["token": undo, "current_password": TestInstance.password])
    #expect(try instance.signIn(with: device)?.hasPrefix("/sign-in") == true)
  }

  // MARK: Confirming

  @Test("A member without a password confirms by a passkey of their own")
  func confirm() throws {
    let house = try ProviderInstance()
    let sam = try house.registered("sam")
    let confirmPage = try #require(sam.get("\(settings)/new").location)
    try #require(try house.confirm(confirmPage, "sam", sam).location == "\(settings)/new")
    var device = PasskeyDevice()
    let answer = try device.make(sam.get("\(settings)/options").text)
    sam.post("\(settings)/new", ["name": "Key", "credential": answer])
    try house.instance.couple()
    let other = try house.instance.signedIn("ann").addPasskey()

    let browser = house.instance.browser()
    try browser.enter(with: device)
    #expect(browser.get("/settings/delete").location?.hasPrefix("/settings/confirm") == true)
    let options = "\(settings)/confirm?action=account_delete"
    let confirm = { (device: PasskeyDevice, action: String) in
      browser.post(
        "\(settings)/confirm",
        [
          "action": action, "next": "/settings/delete",
          "credential": try device.use(browser.get(options).text),
        ]
      ).location
    }
    #expect(browser.get("\(settings)/confirm?action=other").status == 404)
    #expect(browser.get(options).text.contains(device.idText))
    #expect(try confirm(other, "account_delete")?.hasPrefix("/settings/confirm") == true)
    #expect(try confirm(device, "email_change")?.hasPrefix("/settings/confirm") == true)
    #expect(browser.get("/settings/delete").status == 303)
    #expect(try confirm(device, "account_delete") == "/settings/delete")
    #expect(browser.get("/settings/delete").status == 200)
  }

  // MARK: Registering

  @Test("One half of a couple registers with a passkey in place of a password")
  func register() throws {
    let instance = try TestInstance()
    let browser = instance.browser()
    browser.post(
      "/register",
      [
        "email_a": "ann@example.test", "email_b": "ben@example.test", "couple_name": "A & B",
        "anniversary": "2020-01-17", "accept": "1",
      ])
    let token = try #require(instance.link(to: "ann@example.test").split(separator: "=").last)
    let complete = "/register/complete?token=\(token)"
    let options = "/register/passkey?token=\(token)"
    #expect(browser.get(complete).text.contains(options))
    var device = PasskeyDevice()
    let answer = try device.make(browser.get(options).text)
    #expect(browser.get(options).text.contains("\"ann@example.test\""))
    // The answer of an earlier challenge.
    let stale = browser.post(
      "/register/complete", ["token": String(token), "display_name": "Ann", "credential": answer])
    #expect(stale.status == 422 && stale.shows("wasn’t saved"))
    let fresh = try device.make(browser.get(options).text)
    // Another field is wrong: the passkey is kept.
    let kept = browser.post(
      "/register/complete", ["token": String(token), "display_name": "", "credential": fresh])
    #expect(kept.status == 422 && kept.shows("the passkey that you just made"))
    let made = browser.post(
      "/register/complete", ["token": String(token), "display_name": "Ann", "credential": fresh])
    #expect(made.location == "/register/waiting")
    #expect(browser.get("/settings/sign-in").shows("You have none"))
    #expect(try instance.signIn(with: device) == "/")
    #expect(browser.get(options).status == 404)
  }

  @Test("One person registers with a passkey, or with a password after all")
  func registerAlone() throws {
    for byPasskey in [true, false] {
      let instance = try TestInstance()
      let browser = instance.browser()
      let fields = ["display_name": "Sam", "accept": "1", "passkey": "1"]
      #expect(browser.post("/register/alone", all: fields.map { ($0, $1) }).status == 422)
      let sent = browser.post(
        "/register/alone",
        all: (fields.map { ($0, $1) }) + [("email", "sam@example.test")])
      #expect(sent.location == "/register/waiting")
      let token = String(
        try #require(instance.link(to: "sam@example.test").split(separator: "=").last))
      let complete = "/register/complete?token=\(token)"
      #expect(browser.post("/verify", ["token": token]).location == complete)
      #expect(browser.get(complete).shows("Make a passkey or choose a password"))
      #expect(browser.post("/register/complete", ["token": token]).status == 422)
      var device = PasskeyDevice()
      let answer = try device.make(browser.get("/register/passkey?token=\(token)").text)
      let made =
        byPasskey
        ? browser.post("/register/complete", ["token": token, "credential": answer])
        : browser.post(
          "/register/complete", ["token": token, "password": TestInstance.password])
      #expect(made.location == "/")
      if byPasskey {
        #expect(try instance.signIn(with: device) == "/")
      } else {
        #expect(try instance.signedIn("sam").isSignedIn)
      }
    }
  }

  @Test("An invited partner accepts with a passkey")
  func pair() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let (sam, kim) = (try instance.signedIn("sam"), instance.browser())
    sam.post("/pair", ["email": "kim@example.test"])
    let token = try #require(instance.link(to: "kim@example.test").split(separator: "=").last)
    let options = "/register/passkey?token=\(token)&pair=1"
    #expect(
      kim.get("/pair/accept?token=\(token)").text.contains(
        options.replacing("&", with: "&amp;")))
    var device = PasskeyDevice()
    let answer = try device.make(kim.get(options).text)
    let kept = kim.post(
      "/pair/accept", ["token": String(token), "display_name": "Kim", "credential": answer])
    #expect(kept.status == 422 && kept.shows("the passkey that you just made"))
    let joined = kim.post(
      "/pair/accept",
      ["token": String(token), "display_name": "Kim", "credential": answer, "accept": "1"])
    #expect(joined.location?.hasPrefix("/couples/") == true)
    #expect(try instance.signIn(with: device) == "/")
  }

  @Test("Options for an account need its mailed link")
  func registrationLink() throws {
    let browser = try TestInstance().browser()
    #expect(browser.get("/register/passkey").status == 404)
    #expect(browser.get("/register/passkey?token=x").status == 404)
    let token = String(repeating: "A", count: 43)
    #expect(browser.get("/register/passkey?token=\(token)").status == 404)
    #expect(browser.get("/register/passkey?token=\(token)&pair=1").status == 404)
  }

  // MARK: Data

  @Test("An export names the passkeys, and used challenges are forgotten")
  func personalData() throws {
    let instance = try TestInstance()
    let ann = try #require(try instance.couple().first)
    let device = try instance.signedIn("ann").addPasskey()
    let files = try instance.database.read { reader in
      try instance.instance.participants.flatMap { try $0.export(ann.id, from: reader) }
    }
    let file = try #require(files.first { $0.name == "sign-in-passkeys.json" })
    #expect(String(decoding: file.json, as: UTF8.self).contains(device.idText))
    let challenges = {
      try instance.database.read { try $0.count("SELECT count(*) FROM passkey_challenges") }
    }
    #expect(try challenges() == 1)
    instance.clock.advance(seconds: 3600)
    try instance.work()
    #expect(try challenges() == 0)
  }
}
