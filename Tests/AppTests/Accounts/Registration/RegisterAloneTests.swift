import Testing
import Web

@testable import App

@Suite("Registering alone")
struct RegisterAloneTests {
  private func register(_ browser: TestClient, password: String = TestInstance.password)
    -> TestResponse
  {
    browser.post(
      "/register/alone",
      [
        "email": "sam@example.test", "display_name": "Sam", "password": password, "accept": "1",
      ])
  }

  @Test("In the browser that registered the button is enough")
  func sameBrowser() throws {
    let instance = try TestInstance()
    let sam = instance.browser()
    #expect(register(sam).location == "/register/waiting")
    #expect(sam.get("/register/waiting").shows("sam@example.test"))
    let page = sam.get(try instance.link(to: "sam@example.test"))
    let token = try #require(page.value(of: "token"))
    #expect(sam.post("/verify", ["token": token]).location == "/")
    #expect(sam.get("/").shows("Sam"))
  }

  @Test("Elsewhere a password is asked for, and the one typed there holds")
  func otherBrowser() throws {
    let instance = try TestInstance()
    #expect(register(instance.browser(), password: "a stranger's choice").status == 303)
    let other = instance.browser()
    let link = try instance.link(to: "sam@example.test")
    let token = try #require(other.get(link).value(of: "token"))
    let form = other.post("/verify", ["token": token])
    #expect(form.location?.hasPrefix("/register/complete") == true)
    #expect(other.get(form.location ?? "").shows("type=\"password\""))
    other.post("/register/complete", ["token": token, "password": "my own long words"])
    #expect(
      instance.browser().signIn("sam@example.test", "a stranger's choice").status == 422)
    #expect(instance.browser().signIn("sam@example.test", "my own long words").status == 303)
  }

  @Test("A known address gets a mail that says so, and the page looks the same")
  func known() throws {
    let (known, fresh) = (try TestInstance(), try TestInstance())
    try known.alone("sam")
    let (first, second) = (known.browser(), fresh.browser())
    #expect(register(first).location == register(second).location)
    #expect(
      first.get("/register/waiting").withoutStates == second.get("/register/waiting").withoutStates)
    let mails = try known.mails(to: "sam@example.test")
    #expect(mails.count == 1 && !mails[0].text.contains("/verify"))
  }

  @Test("Wrong input is 422 with what was typed, never the password")
  func wrongInput() throws {
    let instance = try TestInstance()
    let answer = instance.browser().post(
      "/register/alone",
      ["email": "sam", "display_name": "Sam", "password": "hidden words here"])
    #expect(answer.status == 422)
    #expect(answer.shows("value=\"sam\"") && answer.shows("value=\"Sam\""))
    #expect(!answer.shows("hidden words here"))
  }
}
