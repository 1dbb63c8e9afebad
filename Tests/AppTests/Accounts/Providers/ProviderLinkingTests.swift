import Foundation
import Testing

@testable import App

@Suite("Linking and unlinking a provider")
struct ProviderLinkingTests {
  private let page = "/settings/sign-in/home"

  @Test("Linking asks for the password first, and sends a mail")
  func link() throws {
    let house = try ProviderInstance()
    try house.instance.couple()
    let ann = try house.instance.signedIn("ann")
    #expect(ann.get("/settings/sign-in").shows("Not linked"))
    #expect(ann.post(page, ["current_password": "wrong"]).status == 422)
    #expect(try house.link("x-1", ann).location == "/settings/sign-in")
    #expect(ann.get("/settings/sign-in").shows("Linked since"))
    let mail = try #require(try house.instance.mails(to: "ann@example.test").last)
    #expect(mail.text.contains("Home was just linked"))
  }

  @Test("An identity has one member, and a member one identity of a provider")
  func taken() throws {
    let house = try ProviderInstance()
    try house.instance.couple()
    let (ann, ben) = (try house.instance.signedIn("ann"), try house.instance.signedIn("ben"))
    try house.link("x-1", ann)
    try house.link("x-1", ben)
    #expect(ben.get("/settings/sign-in").shows("already linked to someone else"))
    #expect(ben.get("/settings/sign-in").shows("Not linked"))
    try house.link("x-2", ann)
    #expect(try house.signIn("x-1", house.instance.browser()).location == "/")
    #expect(try house.signIn("x-2", house.instance.browser()).location != "/")
  }

  @Test("An answer links to the member who asked, not to one who signed in meanwhile")
  func otherMember() throws {
    let house = try ProviderInstance()
    try house.instance.couple()
    let ann = try house.instance.signedIn("ann")
    let leaving = ann.post(page, ["current_password": TestInstance.password])
    let back = try house.provider.signIn("x-1", at: try leaving.refreshAddress())
    ann.post("/sign-out")
    ann.signIn("ben@example.test", TestInstance.password)
    ann.get(back)
    #expect(ann.get("/settings/sign-in").shows("Not linked"))
  }

  @Test("Unlinking asks again, tells by mail, and ends signing in by it")
  func unlink() throws {
    let house = try ProviderInstance()
    try house.instance.couple()
    let ann = try house.instance.signedIn("ann")
    try house.link("x-1", ann)
    #expect(ann.post(page, ["unlink": "1", "current_password": "wrong"]).status == 422)
    ann.post(page, ["unlink": "1", "current_password": TestInstance.password])
    #expect(ann.get("/settings/sign-in").shows("Not linked"))
    #expect(try house.signIn("x-1", house.instance.browser()).location != "/")
    let mails = try house.instance.mails(to: "ann@example.test")
    #expect(mails.contains { $0.text.contains("Home was just unlinked") })
  }

  @Test("Unlinking ends the other sessions that the provider began")
  func unlinkingSignsOut() throws {
    let house = try ProviderInstance()
    try house.instance.couple()
    let ann = try house.instance.signedIn("ann")
    try house.link("x-1", ann)
    let (own, other) = (house.instance.browser(), house.instance.browser())
    for browser in [own, other] { try house.signIn("x-1", browser) }
    own.post(page, ["unlink": "1", "current_password": TestInstance.password])
    #expect(own.isSignedIn && ann.isSignedIn && !other.isSignedIn)
  }

  @Test("A reset of the password unlinks what was linked in the last days")
  func reset() throws {
    let house = try ProviderInstance()
    try house.instance.couple()
    house.instance.clock.advance(seconds: 1)
    try house.link("x-1", try house.instance.signedIn("ann"))
    house.instance.clock.advance(seconds: 1)
    let sam = try house.registered("sam")
    for name in ["ann", "sam"] {
      let browser = house.instance.browser()
      browser.post("/reset", ["email": "\(name)@example.test"])
      let link = try house.instance.link(to: "\(name)@example.test")
      let token = try #require(browser.get(link).value(of: "token"))
      browser.post("/reset/confirm", ["token": token, "password": "another lantern river"])
    }
    #expect(!sam.isSignedIn)
    #expect(try house.signIn("x-1", house.instance.browser()).location != "/")
    // The account was made with this one.
    #expect(try house.signIn("sam", house.instance.browser()).location == "/")
  }

  @Test("The last way to sign in stays")
  func last() throws {
    let house = try ProviderInstance()
    let sam = try house.registered("sam")
    let confirm = try #require(sam.get(page).location)
    #expect(try house.confirm(confirm, "sam", sam).location == page)
    #expect(sam.get(page).shows("your only way to sign in"))
    sam.post(page, ["unlink": "1"])
    #expect(sam.get("/settings/sign-in").shows("Linked since"))
  }

  @Test("An export names the identity, and the key rotation reaches it")
  func personalData() throws {
    let house = try ProviderInstance()
    let ann = try #require(try house.instance.couple().first)
    try house.link("x-1", try house.instance.signedIn("ann"))
    let files = try house.instance.database.read { reader in
      try house.instance.instance.participants.flatMap { try $0.export(ann.id, from: reader) }
    }
    let file = try #require(files.first { $0.name == "sign-in-providers.json" })
    #expect(String(decoding: file.json, as: UTF8.self).contains("\"x-1\""))
  }
}
