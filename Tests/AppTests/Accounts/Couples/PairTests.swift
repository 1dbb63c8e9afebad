import Foundation
import Testing

@testable import App

@Suite("Inviting a partner")
struct PairTests {
  @Test("A member alone invites another one; accepting makes an active couple of both")
  func wholeWay() throws {
    let instance = try TestInstance()
    try instance.alone("ann")
    try instance.alone("ben")
    let (ann, ben, page) = try instance.paired("ann", "ben")
    #expect(try instance.couples() == ["Ann & Ben": "active"])
    for browser in [ann, ben] {
      #expect(browser.get(page).shows("Ann &amp; Ben") && browser.get("/").shows("Ann &amp; Ben"))
      #expect(browser.get("/pair").shows("You’re already a couple"))
      try browser.write("Ours", visibility: "couple")
    }
    #expect(try instance.mails(to: "ann@example.test").count == 1)
    #expect(try instance.mails(to: "ben@example.test").count == 2)
    #expect(try instance.count("SELECT count(*) FROM pair_invitations") == 0)
    #expect(try instance.problems() == [])
  }

  @Test("The page answers the same for a member, an unknown address and a member of a couple")
  func sameForAll() throws {
    let instance = try TestInstance()
    try instance.couple("Cy & Di", "cy", "di")
    for name in ["ann", "ben", "sam", "kim"] { try instance.alone(name) }
    let addresses = ["ben", "nobody", "cy"].map { "\($0)@example.test" }
    let answers = try zip(["ann", "sam", "kim"], addresses).map { name, address in
      let browser = try instance.signedIn(name)
      let answer = browser.invite(address)
      let page = browser.get("/pair").withoutTokens
        .replacing(address, with: "-").replacing(/\b(Ann|Sam|Kim|A|S|K)\b/, with: "-")
      return "\(answer.status) \(answer.location ?? "") \(page)"
    }
    #expect(Set(answers).count == 1)
    func mail(_ name: String) throws -> SentMail {
      try #require(try instance.mails(to: "\(name)@example.test").last)
    }
    #expect(try mail("ben").text.contains("/pair/accept?token="))
    #expect(try mail("nobody").text.contains("/pair/accept?token="))
    #expect(try !mail("cy").text.contains("token"))
  }

  @Test("Wrong addresses and the own one are 422, with the typed values")
  func wrong() throws {
    let instance = try TestInstance()
    try instance.alone("ann")
    let ann = try instance.signedIn("ann")
    for entered in ["", "no address", "ANN@example.test"] {
      let answer = ann.invite(entered)
      #expect(answer.status == 422 && answer.shows("error-summary"))
      #expect(answer.shows("value=\"\(entered)\""))
    }
    #expect(try instance.allMails().isEmpty)
  }

  @Test("Signed out one is sent to sign in")
  func doors() throws {
    let instance = try TestInstance()
    #expect(instance.browser().get("/pair").location == "/sign-in?next=/pair")
    #expect(instance.browser().get("/settings/part").location == "/sign-in?next=/settings/part")
  }

  @Test("Inviting again withdraws the earlier invitation, sending again replaces its link")
  func again() throws {
    let instance = try TestInstance()
    for name in ["ann", "ben", "cy"] { try instance.alone(name) }
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    ann.invite("ben@example.test")
    let first = try instance.invitation(to: "ben")
    #expect(ann.get("/pair").shows("ben@example.test"))
    instance.clock.advance(seconds: 60)
    #expect(ann.post("/pair", ["resend": "1"]).location == "/pair")
    let second = try instance.invitation(to: "ben")
    #expect(first != second)
    #expect(ben.get(first).status == 410 && ben.get(second).status == 200)
    ann.invite("cy@example.test")
    #expect(ben.get(second).status == 410)
    #expect(!ann.get("/pair").shows("ben@example.test"))
    #expect(try instance.signedIn("cy").get(instance.invitation(to: "cy")).status == 200)
  }

  @Test("A withdrawn invitation works no more")
  func withdrawn() throws {
    let instance = try TestInstance()
    for name in ["ann", "ben"] { try instance.alone(name) }
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    ann.invite("ben@example.test")
    let link = try instance.invitation(to: "ben")
    let token = try #require(ben.get(link).value(of: "token"))
    #expect(ann.post("/pair", ["withdraw": "1"]).location == "/pair")
    #expect(!ann.get("/pair").shows("ben@example.test"))
    #expect(ben.get(link).status == 410)
    #expect(ben.post("/pair/accept", ["token": token]).status == 410)
    #expect(try instance.couples() == [:])
  }

  @Test("Three mails an hour, then 429 says when")
  func limit() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("ann")
    let ann = try instance.signedIn("ann")
    for number in 1...2 { #expect(ann.invite("b\(number)@example.test").status == 303) }
    #expect(ann.post("/pair", ["resend": "1"]).status == 303)
    #expect(!ann.get("/pair").shows("name=\"resend\""))
    let refused = ann.invite("b4@example.test")
    #expect(refused.status == 429 && refused.headers[.retryAfter] != nil)
    #expect(ann.get("/pair").shows("b2@example.test"))
    instance.clock.advance(seconds: 3601)
    #expect(ann.invite("b4@example.test").status == 303)
  }

  @Test("A link ends after seven days, and then nothing of it is left")
  func ends() throws {
    let instance = try TestInstance()
    for name in ["ann", "ben"] { try instance.alone(name) }
    try instance.signedIn("ann").invite("ben@example.test")
    let (ben, link) = (try instance.signedIn("ben"), try instance.invitation(to: "ben"))
    instance.clock.advance(seconds: 7 * 86_400 - 1)
    #expect(ben.get(link).status == 200)
    instance.clock.advance(seconds: 1)
    #expect(ben.get(link).status == 410)
    instance.clock.advance(seconds: 3600)
    try instance.work()
    #expect(try instance.count("SELECT count(*) FROM pair_invitations") == 0)
  }

  @Test("The secret of a link and the address are not in the database")
  func stored() throws {
    let instance = try TestInstance()
    for name in ["ann", "ben"] { try instance.alone(name) }
    try instance.signedIn("ann").invite("ben@example.test")
    let token = try instance.invitation(to: "ben").dropFirst("/pair/accept?token=".count)
    let (sealed, hashes) = try instance.database.read { reader in
      try (
        reader.values("SELECT email_sealed FROM pair_invitations", as: [UInt8].self),
        reader.values("SELECT token_hash FROM pair_invitations", as: [UInt8].self)
      )
    }
    #expect(sealed.count == 1 && Data(sealed[0]).range(of: Data("ben@".utf8)) == nil)
    #expect(hashes.map(\.count) == [32])
    #expect(Data(hashes[0]).range(of: Data(token.utf8)) == nil)
  }
}
