import Core
import Foundation
import Testing

@testable import App

@Suite("Signing in with a provider")
struct ProviderSignInTests {
  private func linked(_ subject: String = "ann") throws -> ProviderInstance {
    let house = try ProviderInstance()
    try house.instance.couple()
    #expect(
      try house.link(subject, house.instance.signedIn("ann")).location == "/settings/sign-in")
    return house
  }

  @Test("A linked account signs in, and leads back to the page that was wanted")
  func signsIn() throws {
    let house = try linked()
    let browser = house.instance.browser()
    let answer = try house.signIn("ann", browser, next: "/settings/profile")
    #expect(answer.status == 303 && answer.location == "/settings/profile")
    #expect(browser.get("/settings").shows("Ann"))
    #expect(house.provider.lastForm["grant_type"] == "authorization_code")
    #expect(house.provider.lastForm["code_verifier"]?.count == 43)
  }

  @Test("Without providers there are no buttons, and no addresses of them")
  func unconfigured() throws {
    let instance = try TestInstance()
    #expect(!instance.browser().get("/sign-in").shows("/sign-in/with/"))
    #expect(instance.browser().get("/sign-in/with/home").status == 404)
    let house = try ProviderInstance()
    #expect(house.instance.browser().get("/sign-in").shows("Continue with Home"))
    for (one, isShown) in [(instance, false), (house.instance, true)] {
      try one.alone("sam")
      #expect(try one.signedIn("sam").get("/settings/sign-in").shows("Not linked") == isShown)
    }
  }

  @Test("An answer belongs to the browser that began, and to one begin")
  func bound() throws {
    let house = try linked()
    let (mine, other) = (house.instance.browser(), house.instance.browser())
    let address = try #require(mine.get("/sign-in/with/home").location)
    let back = try house.provider.signIn("ann", at: address)
    // Another browser has begun nothing, or something else.
    #expect(other.get(back).location == "/sign-in")
    other.get("/sign-in/with/home")
    #expect(other.get(back).location?.hasPrefix("/sign-in?") == true)
    #expect(other.cookie("session") == nil)
    #expect(mine.get(back).location == "/")
    #expect(mine.cookie("session") != nil)
    mine.post("/sign-out")
    #expect(mine.get(back).location == "/sign-in")
  }

  @Test("A token that fails a check signs nobody in, and the reason is for the log alone")
  func brokenToken() throws {
    let house = try linked()
    for changes: [String: Any?] in [["nonce": "other"], ["aud": "another"], ["sub": nil]] {
      let browser = house.instance.browser()
      #expect(try house.signIn("ann", browser, changes).location?.hasPrefix("/sign-in") == true)
      #expect(browser.cookie("session") == nil)
      #expect(browser.get("/sign-in").shows("That didn’t work"))
    }
  }

  @Test("Who declines at the provider is back at the sign-in page")
  func declined() throws {
    let house = try linked()
    let browser = house.instance.browser()
    let address = try #require(browser.get("/sign-in/with/home").location)
    let state = try #require(
      URLComponents(string: address)?.queryItems?.first { $0.name == "state" }?.value)
    browser.get("/sign-in/with/home/callback?error=access_denied&state=\(state)")
    #expect(browser.get("/sign-in").shows("Cancelled"))
  }

  @Test("A form from the provider is taken to the address that reads the cookie")
  func formPost() throws {
    let house = try linked()
    let browser = house.instance.browser()
    let address = try #require(browser.get("/sign-in/with/home").location)
    let back = try house.provider.signIn("ann", at: address)
    let fields = try #require(URLComponents(string: back)?.queryItems).map {
      ($0.name, $0.value ?? "")
    }
    // Another site's form comes without cookies.
    let answer = house.instance.browser().plainPost(
      "/sign-in/with/home/callback", fields + [("user", "{\"name\":{}}"), ("other", "x")],
      headers: [.origin: "https://login.example.test"])
    let next = try #require(answer.location)
    #expect(answer.status == 303 && !next.contains("other"))
    #expect(browser.get(next).location == "/")
    #expect(browser.cookie("session") != nil)
  }

  @Test("A second factor is asked for after the provider too")
  func secondFactor() throws {
    let house = try linked()
    let ann = try house.instance.signedIn("ann")
    _ = try ann.turnOnSecondFactor(house.instance)
    let browser = house.instance.browser()
    #expect(try house.signIn("ann", browser).location == "/sign-in/code")
    #expect(browser.cookie("session") == nil)
  }

  @Test("While the provider is down, the sign-in page says so")
  func down() throws {
    let house = try ProviderInstance()
    house.provider.isDown = true
    let browser = house.instance.browser()
    #expect(browser.get("/sign-in/with/home?next=/album").location == "/sign-in?next=/album")
    #expect(browser.get("/sign-in").shows("That didn’t work"))
  }

  @Test("Answers of providers are limited by address")
  func limited() throws {
    let house = try ProviderInstance(limits: true)
    let browser = house.instance.browser()
    let statuses = try (0..<21).map { _ in
      try house.signIn("nobody", browser, ["sub": nil]).status
    }
    #expect(statuses.dropLast().allSatisfy { $0 == 303 } && statuses.last == 429)
  }
}
