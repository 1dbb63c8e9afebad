import Core
import Dispatch
import Synchronization
import Testing
import Web

@testable import App

/// docs/developer/accounts.md#limits: repeated attempts by a stranger never lock out the owner.
@Suite("A stranger hammers an address")
struct LockoutTests {
  private static let address = "sam@example.test"
  private static let wrong = "not the password"

  /// A browser with another IP address.
  private func stranger(_ instance: TestInstance, _ peer: String = "203.0.113.9") -> TestClient {
    let browser = instance.browser()
    browser.peer = peer
    return browser
  }

  /// A hundred attempts from many IP addresses; returns the statuses.
  @discardableResult
  private func hammer(_ instance: TestInstance, password: String = Self.wrong) -> [Int] {
    (0..<100).map { stranger(instance, "203.0.113.\($0)").signIn(Self.address, password).status }
  }

  /// Sam's browser, signed out by Sam.
  private func owner(_ instance: TestInstance) throws -> TestClient {
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    sam.get("/")
    sam.post("/sign-out")
    return sam
  }

  @Test("A hundred tries: the stranger waits, even with the right password; the owner is in")
  func hammered() throws {
    let instance = try TestInstance(limits: true)
    let sam = try owner(instance)
    let statuses = hammer(instance)
    #expect(statuses == Array(repeating: 422, count: 10) + Array(repeating: 429, count: 90))
    #expect(stranger(instance).signIn(Self.address, TestInstance.password).status == 429)
    #expect(sam.signIn(Self.address, TestInstance.password).status == 303)
  }

  @Test("Many tries in the same moment are no more than ten")
  func atOnce() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    let browsers = (0..<40).map { stranger(instance, "203.0.113.\($0)") }
    for browser in browsers { _ = browser.freshToken() }
    let taps = Taps(browsers)
    DispatchQueue.concurrentPerform(iterations: browsers.count) {
      taps.send($0, Self.address, Self.wrong)
    }
    let counts = taps.counts
    #expect(counts[422, default: 0] <= 10 && counts[422, default: 0] > 0)
    #expect(Set(counts.keys).isSubset(of: [422, 429, 503]))
    #expect(stranger(instance).signIn(Self.address, TestInstance.password).status == 429)
  }

  @Test("Successful attempts aren't counted")
  func successes() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    for number in 0..<20 {
      let browser = stranger(instance, "203.0.113.\(number)")
      #expect(browser.signIn(Self.address, TestInstance.password).status == 303)
    }
    #expect(
      try instance.count("SELECT count(*) FROM rate_limits WHERE rule = 'sign-in-failures'") == 0)
  }

  @Test("Behind the same address, where the stranger used up every try of the minute, too")
  func sameAddress() throws {
    let instance = try TestInstance(limits: true)
    let sam = try owner(instance)
    let stranger = instance.browser()
    for number in 1...12 { stranger.signIn("a\(number)@example.test", Self.wrong) }
    #expect(stranger.signIn(Self.address, TestInstance.password).status == 429)
    #expect(sam.signIn(Self.address, TestInstance.password).status == 303)
  }

  @Test("The owner's own browser has its own ten tries, and a forged mark none")
  func ownTries() throws {
    let instance = try TestInstance(limits: true)
    let sam = try owner(instance)
    for _ in 1...10 {
      #expect(sam.signIn(Self.address, Self.wrong).status == 422)
      instance.clock.advance(seconds: 61)
    }
    #expect(sam.signIn(Self.address, TestInstance.password).status == 429)
    // Other accounts are not affected.
    #expect(stranger(instance).signIn(Self.address, TestInstance.password).status == 303)
    try instance.alone("eve")
    let eve = try instance.signedIn("eve")
    hammer(instance)
    for mark in [eve.cookie("device") ?? "", "AAAA", "%"] {
      let forged = stranger(instance)
      forged.take(cookie: "device", mark)
      #expect(forged.signIn(Self.address, TestInstance.password).status == 429)
    }
  }

  @Test("A user without the password resets it by mail at the same time and can sign in")
  func reset() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    hammer(instance)
    // The stranger requests links, too: all mails that are sent work.
    for number in 0..<10 {
      stranger(instance, "203.0.113.\(number)").post("/reset", ["email": Self.address])
    }
    let sam = instance.browser()
    #expect(sam.post("/reset", ["email": Self.address]).status == 200)
    let token = try #require(sam.get(try instance.link(to: Self.address)).value(of: "token"))
    #expect(
      sam.post("/reset/confirm", ["token": token, "password": "another sentence"]).location
        == "/sign-in")
    hammer(instance)
    #expect(sam.signIn(Self.address, "another sentence").status == 303)
  }

  @Test("After a change of the password, devices known by the old one are strangers too")
  func oldDevice() throws {
    let instance = try TestInstance(limits: true)
    let (old, sam) = (try owner(instance), try instance.signedIn("sam"))
    let fields: KeyValuePairs = [
      "current_password": TestInstance.password, "password": "another sentence",
    ]
    #expect(sam.post("/settings/password", fields).status == 303)
    sam.get("/")
    sam.post("/sign-out")
    hammer(instance)
    #expect(old.signIn(Self.address, Self.wrong).status == 429)
    #expect(sam.signIn(Self.address, "another sentence").status == 303)
  }

  @Test("With the password but without the app, a stranger cannot lock out the owner either")
  func secondFactor() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let (app, _) = try sam.turnOnSecondFactor(instance)
    sam.get("/")
    sam.post("/sign-out")
    let statuses = try (0..<100).map { number in
      let thief = stranger(instance, "203.0.113.\(number)")
      let half = thief.signIn(Self.address, TestInstance.password)
      try #require(half.location == "/sign-in/code", "\(half.status)")
      return thief.enter(app.wrong).status
    }
    #expect(statuses == Array(repeating: 422, count: 10) + Array(repeating: 429, count: 90))
    #expect(sam.signIn(Self.address, TestInstance.password).location == "/sign-in/code")
    for _ in 1...9 { #expect(sam.enter(app.wrong).status == 422) }
    #expect(sam.enter(app.next()).status == 303 && sam.isSignedIn)
  }

  @Test("A deleted account is restored in the same way")
  func comingBack() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    sam.leave()
    hammer(instance)
    #expect(stranger(instance).comeBack(Self.address).status == 429)
    #expect(sam.comeBack(Self.address).location == "/" && sam.isSignedIn)
  }
}

/// Browsers that send at the same time.
///
/// Unchecked: each browser is used only by the thread with its number; the statuses are locked.
private final class Taps: @unchecked Sendable {
  private let browsers: [TestClient]
  private let statuses = Mutex<[Int]>([])

  init(_ browsers: [TestClient]) { self.browsers = browsers }

  func send(_ number: Int, _ address: String, _ password: String) {
    let status = browsers[number].signIn(address, password).status
    statuses.withLock { $0.append(status) }
  }

  var counts: [Int: Int] {
    Dictionary(statuses.withLock { $0 }.map { ($0, 1) }, uniquingKeysWith: +)
  }
}
