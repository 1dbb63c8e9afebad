import Foundation
import Testing

@testable import App

@Suite("Registering with a provider")
struct ProviderRegistrationTests {
  private let page = "/sign-in/with/home/register"

  @Test("An unknown person registers alone, without a mail, and signs in by the provider again")
  func alone() throws {
    let house = try ProviderInstance()
    let browser = house.instance.browser()
    #expect(try house.signIn("sam", browser, next: "/album").location == page)
    let form = browser.get(page)
    #expect(form.shows("sam@example.test") && form.shows("value=\"Sam\""))
    #expect(browser.post(page, ["display_name": "", "accept": "1"]).status == 422)
    #expect(browser.post(page, ["display_name": "Sammy"]).status == 422)
    #expect(browser.post(page, ["display_name": "Sammy", "accept": "1"]).location == "/album")
    #expect(browser.get("/settings").shows("Sammy"))
    #expect(try house.instance.mails(to: "sam@example.test").isEmpty)
    let other = house.instance.browser()
    #expect(try house.signIn("sam", other).location == "/")
    #expect(other.get("/settings").shows("Sammy"))
  }

  @Test("One half of a couple registers with a provider, the other with the same or a password")
  func couple() throws {
    for byProvider in [false, true] {
      let house = try ProviderInstance()
      let (ann, ben) = (house.instance.browser(), house.instance.browser())
      try house.signIn("ann", ann)
      #expect(ann.get("\(page)?couple=1").shows("couple_name"))
      let register = { (partner: String) in
        ann.post(
          page,
          [
            "couple": "1", "display_name": "Ann", "email_b": partner, "couple_name": "A & B",
            "anniversary": "2020-01-17", "accept": "1",
          ])
      }
      #expect(register("ann@example.test").status == 422)
      #expect(register("ben@example.test").location == "/register/waiting")
      #expect(try house.instance.mails(to: "ann@example.test").isEmpty)
      let link = try house.instance.link(to: "ben@example.test")
      ben.get(link)
      let token = try #require(link.split(separator: "=").last.map(String.init))
      let complete = try #require(ben.post("/verify", ["token": token]).location)
      if byProvider {
        let begin = "/sign-in/with/home/complete?token=\(token)"
        #expect(ben.get(complete).text.contains(begin))
        let address = try #require(ben.get(begin).location)
        let back = try #require(
          try ben.get(house.provider.signIn("other", at: address)).location)
        #expect(back.contains("provider=home"))
        #expect(ben.get(back).shows("without a password"))
      }
      #expect(
        ben.post(
          "/register/complete",
          [
            "token": token, "display_name": "Ben",
            byProvider ? "provider" : "password": byProvider ? "home" : TestInstance.password,
          ]
        ).location == "/")
      #expect(ann.get("/settings").shows("A &amp; B"))
      if byProvider {
        #expect(try house.signIn("other", house.instance.browser()).location == "/")
      }
    }
  }

  @Test("An invited partner accepts with a provider")
  func pair() throws {
    let house = try ProviderInstance()
    let (sam, kim) = (try house.registered("sam"), house.instance.browser())
    #expect(sam.post("/pair", ["email": "kim@example.test"]).status == 303)
    let link = try house.instance.link(to: "kim@example.test")
    let token = try #require(link.split(separator: "=").last.map(String.init))
    #expect(kim.get(link).text.contains("token=\(token)&amp;pair=1"))
    let begin = "/sign-in/with/home/complete?token=\(token)&pair=1"
    let address = try #require(kim.get(begin).location)
    let back = try #require(try kim.get(house.provider.signIn("other", at: address)).location)
    #expect(kim.get(back).shows("without a password"))
    let joined = kim.post(
      "/pair/accept",
      ["token": token, "provider": "home", "display_name": "Kim", "accept": "1"])
    #expect(joined.location?.hasPrefix("/couples/") == true)
    #expect(try house.signIn("other", house.instance.browser()).location == "/")
  }

  @Test("Without a verified address one registers another way")
  func noAddress() throws {
    let house = try ProviderInstance()
    for changes: [String: Any?] in [["email": nil], ["email_verified": false]] {
      let browser = house.instance.browser()
      #expect(try house.signIn("sam", browser, changes).location == page)
      #expect(browser.get(page).shows("confirm an email address of yours"))
      browser.post(page, ["display_name": "Sam", "accept": "1"])
      #expect(browser.cookie("session") == nil)
    }
  }

  @Test("Where registration is closed, a provider does not open it")
  func closed() throws {
    let house = try ProviderInstance(variables: ["PAIRSPOT_REGISTRATION": "closed"])
    let browser = house.instance.browser()
    try house.signIn("sam", browser)
    #expect(browser.get(page).shows("registration isn’t open"))
    #expect(browser.post(page, ["display_name": "Sam", "accept": "1"]).status == 403)
  }

  @Test("The name is Apple's of the first time, and never too long")
  func name() throws {
    let house = try ProviderInstance()
    let browser = house.instance.browser()
    let address = try #require(browser.get("/sign-in/with/home").location)
    let back = try house.provider.signIn("sam", at: address)
    let user = #"{"name":{"firstName":"Samuel","lastName":"Long"},"email":"x@example.test"}"#
    browser.get("\(back)&user=\(TestClient.encoded(user))")
    #expect(browser.get(page).shows("value=\"Samuel Long\""))
    let other = house.instance.browser()
    try house.signIn("kim", other, ["name": String(repeating: "k", count: 400)])
    #expect(other.get(page).shows("value=\"\(String(repeating: "k", count: 50))\""))
  }

  @Test("The cookie between provider and registration is never too large for a browser")
  func cookieSize() throws {
    let house = try ProviderInstance()
    let browser = house.instance.browser()
    let name = String(repeating: "👨‍👩‍👧‍👦", count: 60)
    let next = "/search?q=" + String(repeating: "x", count: 1900)
    #expect(try house.signIn("sam", browser, next: next, ["name": name]).location == page)
    let cookie = try #require(browser.cookie("provider-account"))
    #expect(cookie.utf8.count < 4000)
  }

  @Test("Without an account of a provider the pages lead to signing in")
  func lost() throws {
    let house = try ProviderInstance()
    let browser = house.instance.browser()
    for path in [page, "/sign-in/with/home/link"] {
      #expect(browser.get(path).location == "/sign-in")
      #expect(browser.post(path, ["display_name": "Sam", "accept": "1"]).location == "/sign-in")
    }
  }
}

@Suite("Proving that an account is one's own after signing in at a provider")
struct ProviderProofTests {
  private let page = "/sign-in/with/home/link"

  @Test("A provider with a member's address links nothing without a proof")
  func noTakeover() throws {
    let house = try ProviderInstance()
    try house.instance.couple()
    let browser = house.instance.browser()
    #expect(try house.signIn("x-1", browser, ["email": "ann@example.test"]).location == page)
    #expect(browser.cookie("session") == nil)
    #expect(browser.get(page).shows("ann@example.test"))
    #expect(browser.post(page, ["password": ""]).status == 422)
    #expect(browser.post(page, ["password": "wrong"]).status == 422)
    #expect(
      browser.post("/sign-in/with/home/register", ["accept": "1", "display_name": "A"]).location
        == page)
    #expect(
      try house.signIn("x-1", house.instance.browser()).location == "/sign-in/with/home/register")
  }

  @Test("The password links the two, once and with a mail")
  func password() throws {
    let house = try ProviderInstance()
    try house.instance.couple()
    let browser = house.instance.browser()
    try house.signIn("x-1", browser, next: "/album", ["email": "ann@example.test"])
    #expect(browser.post(page, ["password": TestInstance.password]).location == "/album")
    #expect(browser.get("/settings").shows("Ann"))
    let mail = try #require(try house.instance.mails(to: "ann@example.test").last)
    #expect(mail.text.contains("Home was just linked"))
    let other = house.instance.browser()
    #expect(try house.signIn("x-1", other).location == "/")
    #expect(other.get("/settings").shows("Ann"))
  }

  @Test("A mailed code is a proof in the browser that asked for it")
  func code() throws {
    let house = try ProviderInstance()
    try house.instance.couple()
    let (browser, thief) = (house.instance.browser(), house.instance.browser())
    try house.signIn("x-1", browser, ["email": "ann@example.test"])
    try house.signIn("x-2", thief, ["email": "ann@example.test"])
    #expect(browser.post(page, ["mail_code": "1"]).location == "\(page)?mailed=1")
    let mail = try #require(try house.instance.mails(to: "ann@example.test").last)
    let code = String(try #require(mail.text.firstMatch(of: /\b[0-9]{6}\b/)).output)
    #expect(thief.post(page, ["code": code]).status == 422)
    #expect(browser.post(page, ["code": code == "000000" ? "000001" : "000000"]).status == 422)
    #expect(browser.post(page, ["code": code]).location == "/")
    #expect(browser.get("/settings/sign-in").shows("Linked since"))
  }

  @Test("A second factor is asked for after the proof too")
  func secondFactor() throws {
    let house = try ProviderInstance()
    try house.instance.couple()
    _ = try house.instance.signedIn("ann").turnOnSecondFactor(house.instance)
    let browser = house.instance.browser()
    try house.signIn("x-1", browser, ["email": "ann@example.test"])
    #expect(browser.post(page, ["password": TestInstance.password]).location == "/sign-in/code")
    #expect(browser.cookie("session") == nil)
  }
}

@Suite("Confirming without a password")
struct ConfirmTests {
  @Test(
    "Each page that asks for the password leads to the confirmation, and back",
    arguments: [
      "/settings/email", "/settings/password", "/settings/delete", "/settings/sign-in/home",
    ])
  func detour(page: String) throws {
    let house = try ProviderInstance()
    let sam = try house.registered("sam")
    let confirm = try #require(sam.get(page).location)
    #expect(confirm.hasPrefix("/settings/confirm?action="))
    #expect(try house.confirm(confirm, "sam", sam).location == page)
    let form = sam.get(page)
    #expect(form.status == 200 && !form.shows("current_password"))
  }

  @Test("A code by mail confirms one action of one session for ten minutes")
  func code() throws {
    let house = try ProviderInstance()
    let sam = try house.registered("sam")
    let send = { (name: String, value: String) in
      sam.post(
        "/settings/confirm",
        ["action": "account_delete", "next": "/settings/delete", name: value])
    }
    let asked = send("mail_code", "1")
    #expect(asked.location?.hasSuffix("&mailed=1") == true)
    let mail = try #require(try house.instance.mails(to: "sam@example.test").last)
    let code = String(try #require(mail.text.firstMatch(of: /\b[0-9]{6}\b/)).output)
    #expect(send("code", "").status == 422)
    #expect(send("code", code).location == "/settings/delete")
    #expect(sam.get("/settings/delete").status == 200)
    #expect(sam.get("/settings/email").status == 303)
    house.instance.clock.advance(seconds: 601)
    #expect(sam.get("/settings/delete").status == 303)
    #expect(sam.post("/settings/delete").status == 422)
  }

  @Test("Another account of the provider, or an old sign-in there, confirms nothing")
  func other() throws {
    let house = try ProviderInstance()
    let sam = try house.registered("sam")
    let confirm = try #require(sam.get("/settings/delete").location)
    #expect(try house.confirm(confirm, "kim", sam).location == confirm)
    let old = house.instance.clock.now().milliseconds / 1000 - 400
    #expect(try house.confirm(confirm, "sam", sam, ["auth_time": old]).location == confirm)
    #expect(try house.confirm(confirm, "sam", sam, ["auth_time": nil]).location == confirm)
    #expect(sam.get("/settings/delete").status == 303)
  }

  @Test("A member without a password chooses one, and deletes the account")
  func acts() throws {
    let house = try ProviderInstance()
    let sam = try house.registered("sam")
    _ = try house.confirm(try #require(sam.get("/settings/password").location), "sam", sam)
    #expect(sam.post("/settings/password", ["password": TestInstance.password]).status == 303)
    let other = house.instance.browser()
    other.signIn("sam@example.test", TestInstance.password)
    #expect(other.get("/settings").shows("Sam"))
    let deleted = other.post("/settings/delete", ["current_password": TestInstance.password])
    #expect(deleted.location == "/account-deleted")
  }

  @Test("An unknown action is not found")
  func unknown() throws {
    let sam = try ProviderInstance().registered("sam")
    for path in ["?action=x&next=/", "?action=account_delete", "/home?action=x&next=/"] {
      #expect(sam.get("/settings/confirm\(path)").status == 404)
    }
  }
}
