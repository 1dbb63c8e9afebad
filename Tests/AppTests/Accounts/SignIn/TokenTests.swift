import Core
import Database
import Dispatch
import Foundation
import Secrets
import Synchronization
import Testing
import Web

@testable import Accounts
@testable import App

@Suite("Tokens of apps")
struct TokenTests {
  private let phone = ID<Device>.random()
  private let tablet = ID<Device>.random()

  @Test("An access token opens its person's account for a quarter of an hour")
  func access() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let pair = try instance.app(sam.id)
    let caller = try instance.tokens.caller(pair.access, now: instance.clock.now())
    #expect(caller.viewer.id == sam.id && caller.viewer.role == .member)
    instance.clock.advance(seconds: 899)
    #expect(try instance.access(pair) == "fine")
    instance.clock.advance(seconds: 1)
    #expect(try instance.access(pair) == "token_expired")
    #expect(
      try instance.code { try instance.tokens.caller("nonsense", now: instance.clock.now()) }
        == "invalid_token")
  }

  @Test("It contains user, couple, side and expiry")
  func claims() throws {
    let instance = try TestInstance()
    let couple = try instance.couple()
    for (viewer, role) in zip(couple, ["partner_a", "partner_b"]) {
      let pair = try instance.app(viewer.id)
      let body = try #require(
        pair.access.split(separator: ".").dropFirst().first.flatMap { Base64URL.bytes($0) })
      let claims = try #require(
        try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
      #expect(claims["sub"] as? String == viewer.id.description)
      #expect(claims["couple_id"] as? String == viewer.couple?.id.description)
      #expect(claims["role"] as? String == role)
      #expect(claims["iat"] as? Int == 1_772_409_600 && claims["exp"] as? Int == 1_772_410_500)
      #expect(claims["iss"] as? String == "http://127.0.0.1:8099")
      #expect(claims["aud"] as? String == "http://127.0.0.1:8099/api/v1")
      #expect((claims["sid"] as? String).flatMap { ID<TokenFamily>($0) } != nil)
      #expect(Set(claims.keys) == ["aud", "couple_id", "exp", "iat", "iss", "role", "sid", "sub"])
    }
  }

  @Test("A token of another instance opens nothing")
  func elsewhere() throws {
    let (instance, other) = (try TestInstance(), try TestInstance())
    let sam = try instance.alone("sam")
    try other.alone("sam")
    // Both instances have the same key; only the sign-in is missing.
    #expect(try other.access(try instance.app(sam.id)) == "invalid_token")
  }

  // MARK: Rotation

  @Test("Each refresh gives a new pair, and moves the end on by thirty days")
  func rolling() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    var pair = try instance.app(sam.id)
    var seen: Set = [pair.refresh]
    for _ in 1...4 {
      instance.clock.advance(seconds: 29 * 86_400)
      try instance.work()
      pair = try instance.refresh(pair.refresh)
      #expect(try instance.access(pair) == "fine")
      seen.insert(pair.refresh)
    }
    #expect(seen.count == 5)
    #expect(try instance.count("SELECT count(*) FROM refresh_families") == 1)
    let end = instance.clock.now().adding(seconds: 30 * 86_400)
    let last = Instant(milliseconds: end.milliseconds - 1)
    #expect(try instance.code { try instance.refresh(pair.refresh, at: end) } == "token_expired")
    #expect(try instance.code { try instance.refresh(pair.refresh, at: last) } == nil)
  }

  @Test("A sign-in ends a year after it began, however often it is refreshed")
  func longest() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    var pair = try instance.app(sam.id)
    for _ in 1...18 {
      instance.clock.advance(seconds: 20 * 86_400)
      pair = try instance.refresh(pair.refresh)
    }
    instance.clock.advance(seconds: 5 * 86_400 - 1)
    pair = try instance.refresh(pair.refresh)
    #expect(try instance.access(pair) == "fine")
    instance.clock.advance(seconds: 1)
    #expect(try instance.code { try instance.refresh(pair.refresh) } == "token_expired")
    #expect(try instance.access(pair) == "invalid_token")
  }

  @Test("Within ten seconds the same old token gets the same pair; a millisecond later all ends")
  func grace() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let first = try instance.app(sam.id, device: phone)
    let second = try instance.refresh(first.refresh, device: phone)
    let used = instance.clock.now().milliseconds
    for later: Int64 in [0, 1, 9_999, 10_000] {
      let at = Instant(milliseconds: used + later)
      #expect(try instance.refresh(first.refresh, device: phone, at: at) == second, "\(later)")
    }
    // An app that sends no device keeps its previous one.
    #expect(try instance.refresh(first.refresh, at: Instant(milliseconds: used + 10_000)) == second)
    #expect(try instance.access(second) == "fine")
    let late = Instant(milliseconds: used + 10_001)
    #expect(
      try instance.code { try instance.refresh(first.refresh, device: phone, at: late) }
        == "invalid_token")
    // Access ends at once, and so does the newest refresh token.
    #expect(try instance.access(second) == "invalid_token")
    #expect(
      try instance.code { try instance.refresh(second.refresh, device: phone) } == "invalid_token")
    #expect(try instance.count("SELECT count(*) FROM refresh_tokens") == 0)
  }

  @Test("The grace counts from the first use, and holds though the next pair was used already")
  func graceOfAChain() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let first = try instance.app(sam.id)
    let second = try instance.refresh(first.refresh)
    instance.clock.advance(seconds: 4)
    let third = try instance.refresh(second.refresh)
    instance.clock.advance(seconds: 4)
    #expect(try instance.refresh(first.refresh) == second)
    #expect(try instance.refresh(second.refresh) == third)
    instance.clock.advance(seconds: 4)
    #expect(try instance.refresh(second.refresh) == third)
    #expect(try instance.code { try instance.refresh(first.refresh) } == "invalid_token")
    #expect(try instance.access(third) == "invalid_token")
  }

  @Test("An old token from another device ends the sign-in, within the grace too")
  func stolen() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let first = try instance.app(sam.id, device: phone)
    let second = try instance.refresh(first.refresh, device: phone)
    #expect(
      try instance.code { try instance.refresh(first.refresh, device: tablet) } == "invalid_token")
    #expect(try instance.access(second) == "invalid_token")
  }

  @Test("A current token from another device is refused, and nothing else happens")
  func otherDevice() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let first = try instance.app(sam.id, device: phone)
    #expect(
      try instance.code { try instance.refresh(first.refresh, device: tablet) }
        == "device_already_bound")
    #expect(try instance.access(first) == "fine")
    let second = try instance.refresh(first.refresh, device: phone)
    #expect(try instance.access(second) == "fine")
  }

  @Test("One family that ends takes no other with it")
  func families() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let (one, other) = (try instance.app(sam.id), try instance.app(sam.id))
    _ = try instance.refresh(one.refresh)
    instance.clock.advance(seconds: 11)
    #expect(try instance.code { try instance.refresh(one.refresh) } == "invalid_token")
    #expect(try instance.access(other) == "fine" && instance.access(one) == "invalid_token")
  }

  @Test("Two hundred refreshes of one token at once, by two processes: one family, one pair")
  func atOnce() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let first = try instance.app(sam.id, device: phone)
    let other = try instance.reopened()
    let services = [instance.tokens, other.features.accounts.services.tokens]
    let token = try #require(Token(first.refresh))
    let pairs = Mutex<[TokenPair]>([])
    let failures = Mutex<[String]>([])
    let (now, origin) = (instance.clock.now(), TokenService.Origin(device: phone, app: "App"))
    DispatchQueue.concurrentPerform(iterations: 200) { number in
      do {
        let found = try services[number % 2].refresh(token, from: origin, now: now)
        pairs.withLock { $0.append(found) }
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    let found = pairs.withLock { $0 }
    #expect(found.count == 200 && Set(found.map(\.refresh)).count == 1)
    #expect(Set(found.map(\.access)).count == 1)
    #expect(try instance.count("SELECT count(*) FROM refresh_families") == 1)
    #expect(try instance.count("SELECT count(*) FROM refresh_tokens WHERE used_at IS NULL") == 1)
    #expect(try instance.access(try #require(found.first)) == "fine")
  }

  // MARK: Storage

  @Test(
    "The database holds no usable token, and sealed values are deleted soon",
    .onSQLite("it reads the file"))
  func stored() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let first = try instance.app(sam.id)
    let second = try instance.refresh(first.refresh)
    try instance.database.checkpoint()
    let path = instance.instance.configuration.databasePath
    let secrets =
      [first.access, first.refresh, second.access, second.refresh]
      .map { Data($0.utf8) }
      + [first.refresh, second.refresh].compactMap { Token($0).map { Data($0.bytes) } }
    for file in [path, "\(path)-wal"] {
      let bytes = (try? Data(contentsOf: URL(filePath: file))) ?? Data()
      for secret in secrets { #expect(bytes.range(of: secret) == nil) }
    }
    let sealed: Query = "SELECT count(*) FROM refresh_tokens WHERE successor_sealed IS NOT NULL"
    #expect(try instance.count(sealed) == 1)
    instance.clock.advance(seconds: 6 * 3600)
    try instance.work()
    #expect(try instance.count(sealed) == 0)
    #expect(try instance.count("SELECT count(*) FROM refresh_tokens") == 2)
    instance.clock.advance(seconds: 31 * 86_400)
    try instance.work()
    #expect(try instance.count("SELECT count(*) FROM refresh_tokens") == 0)
    #expect(try instance.count("SELECT count(*) FROM refresh_families") == 0)
  }

  @Test("The doctor notices a sign-in of which two tokens work")
  func doctor() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let first = try instance.app(sam.id)
    _ = try instance.refresh(first.refresh)
    #expect(try instance.problems() == [])
    try instance.database.write { try $0.execute("UPDATE refresh_tokens SET used_at = NULL") }
    #expect(try instance.problems().count == 1)
  }

  @Test("After a rotation of all keys apps continue")
  func rotation() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let first = try instance.app(sam.id, device: phone)
    let second = try instance.refresh(first.refresh, device: phone)
    _ = try KeyRotation(instance.instance).run()
    let tokens = try instance.reopened().features.accounts.services.tokens
    let now = instance.clock.now()
    #expect(try tokens.caller(second.access, now: now).viewer.id == sam.id)
    let origin = TokenService.Origin(device: phone, app: "App")
    let again = try tokens.refresh(#require(Token(first.refresh)), from: origin, now: now)
    #expect(again == second)
    let third = try tokens.refresh(#require(Token(second.refresh)), from: origin, now: now)
    #expect(try tokens.caller(third.access, now: now).viewer.id == sam.id)
    let kid = { (token: String) in token.prefix { $0 != "." } }
    #expect(kid(third.access) != kid(second.access))
  }
}
