import Core
import Testing

@testable import App

@Suite("Mails to addresses that asked for none are limited by recipient")
struct RecipientLimitsTests {
  private static let (unknown, known) = ("bombed@example.test", "sam@example.test")

  /// Sends every kind of mail to one address, each from another IP address and user; returns the
  /// statuses.
  private func bomb(_ instance: TestInstance, _ address: String, round: Int) throws -> [Int] {
    var statuses: [Int] = []
    let visitor = instance.browser()
    visitor.peer = "198.51.100.\(round)"
    statuses.append(
      RegisterCoupleTests.register(visitor, address, "other\(round)@example.test").status)
    statuses.append(visitor.post("/register/waiting", ["resend": "1"]).status)
    let app = instance.client(peer: "198.51.100.\(100 + round)")
    statuses.append(
      app.post(
        "/auth/register",
        [
          "email": address, "password": TestInstance.password, "display_name": "Vic",
          "accept_terms": true,
        ]
      ).status)
    let guest = instance.browser()
    guest.peer = "203.0.113.\(round)"
    guest.begin("Gia", contact: address, "save")
    statuses.append(
      guest.post("/become-a-member", ["email": address, "password": TestInstance.password]).status)
    return statuses
  }

  @Test("Registering an address from ten places sends four mails an hour, known or not")
  func registering() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    for address in [Self.unknown, Self.known] {
      for number in 1...10 {
        let browser = instance.browser()
        browser.peer = "203.0.113.\(number)"
        let answer = RegisterCoupleTests.register(
          browser, address, "\(number)\(address.prefix(3))@example.test")
        #expect(answer.location == "/register/waiting")
        #expect(browser.get("/register/waiting").shows(address))
      }
      #expect(try instance.mails(to: address).count == 4)
    }
    instance.clock.advance(seconds: 3601)
    let later = instance.browser()
    _ = RegisterCoupleTests.register(later, Self.unknown, "late@example.test")
    #expect(try instance.mails(to: Self.unknown).count == 5)
  }

  @Test("All kinds together send ten a day, and the answers stay the same")
  func allKinds() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    var first: [Int]?
    for (address, offset) in [(Self.unknown, 0), (Self.known, 20)] {
      for round in 1...8 {
        let statuses = try bomb(instance, address, round: round + offset)
        first = first ?? statuses
        #expect(statuses == first, "round \(round)")
        instance.clock.advance(seconds: 3601)
        try instance.work()
      }
      #expect(try instance.mails(to: address).count == 10)
    }
  }

  @Test("Invitations to a couple are limited to three an hour, for all senders together")
  func pairing() throws {
    let instance = try TestInstance(limits: true)
    for name in ["ann", "ben", "cat", "dan", "eve"] {
      try instance.alone(name)
      let browser = try instance.signedIn(name)
      #expect(browser.invite(Self.unknown).status == 303)
      #expect(browser.get("/pair").shows(Self.unknown))
    }
    #expect(try instance.mails(to: Self.unknown).count == 3)
  }
}
