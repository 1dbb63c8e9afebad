import Basics
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
    let house = try TestHouse()
    let sam = try house.alone("sam")
    let pair = try house.app(sam.id)
    let caller = try house.tokens.caller(pair.access, now: house.clock.now())
    #expect(caller.viewer.id == sam.id && caller.viewer.role == .member)
    house.clock.advance(seconds: 899)
    #expect(try house.access(pair) == "fine")
    house.clock.advance(seconds: 1)
    #expect(try house.access(pair) == "token_expired")
    #expect(
      try house.code { try house.tokens.caller("nonsense", now: house.clock.now()) }
        == "invalid_token")
  }

  @Test("It says who, in which couple, on which side, and until when")
  func claims() throws {
    let house = try TestHouse()
    let couple = try house.couple()
    for (viewer, role) in zip(couple, ["partner_a", "partner_b"]) {
      let pair = try house.app(viewer.id)
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
    let (house, other) = (try TestHouse(), try TestHouse())
    let sam = try house.alone("sam")
    try other.alone("sam")
    // Both have the same key here; what is missing is the sign-in.
    #expect(try other.access(try house.app(sam.id)) == "invalid_token")
  }

  // MARK: Rolling

  @Test("Each refresh gives a new pair, and moves the end on by thirty days")
  func rolling() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    var pair = try house.app(sam.id)
    var seen: Set = [pair.refresh]
    for _ in 1...4 {
      house.clock.advance(seconds: 29 * 86_400)
      try house.work()
      pair = try house.refresh(pair.refresh)
      #expect(try house.access(pair) == "fine")
      seen.insert(pair.refresh)
    }
    #expect(seen.count == 5)
    #expect(try house.count("SELECT count(*) FROM refresh_families") == 1)
    let end = house.clock.now().adding(seconds: 30 * 86_400)
    let last = Instant(milliseconds: end.milliseconds - 1)
    #expect(try house.code { try house.refresh(pair.refresh, at: end) } == "token_expired")
    #expect(try house.code { try house.refresh(pair.refresh, at: last) } == nil)
  }

  @Test("A sign-in ends a year after it began, however often it is refreshed")
  func longest() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    var pair = try house.app(sam.id)
    for _ in 1...18 {
      house.clock.advance(seconds: 20 * 86_400)
      pair = try house.refresh(pair.refresh)
    }
    house.clock.advance(seconds: 5 * 86_400 - 1)
    pair = try house.refresh(pair.refresh)
    #expect(try house.access(pair) == "fine")
    house.clock.advance(seconds: 1)
    #expect(try house.code { try house.refresh(pair.refresh) } == "token_expired")
    #expect(try house.access(pair) == "invalid_token")
  }

  @Test("Within ten seconds the same old token gets the same pair; a millisecond later all ends")
  func grace() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    let first = try house.app(sam.id, device: phone)
    let second = try house.refresh(first.refresh, device: phone)
    let used = house.clock.now().milliseconds
    for later: Int64 in [0, 1, 9_999, 10_000] {
      let at = Instant(milliseconds: used + later)
      #expect(try house.refresh(first.refresh, device: phone, at: at) == second, "\(later)")
    }
    // An app that sends no device is the one that it was.
    #expect(try house.refresh(first.refresh, at: Instant(milliseconds: used + 10_000)) == second)
    #expect(try house.access(second) == "fine")
    let late = Instant(milliseconds: used + 10_001)
    #expect(
      try house.code { try house.refresh(first.refresh, device: phone, at: late) }
        == "invalid_token")
    // Access ends at once, and so does the newest refresh token.
    #expect(try house.access(second) == "invalid_token")
    #expect(try house.code { try house.refresh(second.refresh, device: phone) } == "invalid_token")
    #expect(try house.count("SELECT count(*) FROM refresh_tokens") == 0)
  }

  @Test("The grace counts from the first use, and holds though the next pair was used already")
  func graceOfAChain() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    let first = try house.app(sam.id)
    let second = try house.refresh(first.refresh)
    house.clock.advance(seconds: 4)
    let third = try house.refresh(second.refresh)
    house.clock.advance(seconds: 4)
    #expect(try house.refresh(first.refresh) == second)
    #expect(try house.refresh(second.refresh) == third)
    house.clock.advance(seconds: 4)
    #expect(try house.refresh(second.refresh) == third)
    #expect(try house.code { try house.refresh(first.refresh) } == "invalid_token")
    #expect(try house.access(third) == "invalid_token")
  }

  @Test("An old token from another device ends the sign-in, within the grace too")
  func stolen() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    let first = try house.app(sam.id, device: phone)
    let second = try house.refresh(first.refresh, device: phone)
    #expect(try house.code { try house.refresh(first.refresh, device: tablet) } == "invalid_token")
    #expect(try house.access(second) == "invalid_token")
  }

  @Test("A current token from another device is refused, and nothing else happens")
  func otherDevice() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    let first = try house.app(sam.id, device: phone)
    #expect(
      try house.code { try house.refresh(first.refresh, device: tablet) }
        == "device_already_bound")
    #expect(try house.access(first) == "fine")
    let second = try house.refresh(first.refresh, device: phone)
    #expect(try house.access(second) == "fine")
  }

  @Test("One family that ends takes no other with it")
  func families() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    let (one, other) = (try house.app(sam.id), try house.app(sam.id))
    _ = try house.refresh(one.refresh)
    house.clock.advance(seconds: 11)
    #expect(try house.code { try house.refresh(one.refresh) } == "invalid_token")
    #expect(try house.access(other) == "fine" && house.access(one) == "invalid_token")
  }

  @Test("Two hundred refreshes of one token at once, by two processes: one family, one pair")
  func atOnce() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    let first = try house.app(sam.id, device: phone)
    let other = try house.reopened()
    let services = [house.tokens, other.features.accounts.services.tokens]
    let token = try #require(Token(first.refresh))
    let pairs = Mutex<[TokenPair]>([])
    let failures = Mutex<[String]>([])
    let (now, origin) = (house.clock.now(), TokenService.Origin(device: phone, app: "App"))
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
    #expect(try house.count("SELECT count(*) FROM refresh_families") == 1)
    #expect(try house.count("SELECT count(*) FROM refresh_tokens WHERE used_at IS NULL") == 1)
    #expect(try house.access(try #require(found.first)) == "fine")
  }

  // MARK: Keeping

  @Test("Nothing that opens anything stands in the database, and what was sealed goes soon")
  func stored() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    let first = try house.app(sam.id)
    let second = try house.refresh(first.refresh)
    try house.database.checkpoint()
    let path = house.house.configuration.databasePath
    let secrets =
      [first.access, first.refresh, second.access, second.refresh]
      .map { Data($0.utf8) }
      + [first.refresh, second.refresh].compactMap { Token($0).map { Data($0.bytes) } }
    for file in [path, "\(path)-wal"] {
      let bytes = (try? Data(contentsOf: URL(filePath: file))) ?? Data()
      for secret in secrets { #expect(bytes.range(of: secret) == nil) }
    }
    let sealed = "SELECT count(*) FROM refresh_tokens WHERE successor_sealed IS NOT NULL"
    #expect(try house.count(sealed) == 1)
    house.clock.advance(seconds: 6 * 3600)
    try house.work()
    #expect(try house.count(sealed) == 0)
    #expect(try house.count("SELECT count(*) FROM refresh_tokens") == 2)
    house.clock.advance(seconds: 31 * 86_400)
    try house.work()
    #expect(try house.count("SELECT count(*) FROM refresh_tokens") == 0)
    #expect(try house.count("SELECT count(*) FROM refresh_families") == 0)
  }

  @Test("The doctor notices a sign-in of which two tokens work")
  func doctor() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    let first = try house.app(sam.id)
    _ = try house.refresh(first.refresh)
    #expect(try house.problems() == [])
    try house.database.write { try $0.execute("UPDATE refresh_tokens SET used_at = NULL") }
    #expect(try house.problems().count == 1)
  }

  @Test("After a rotation of all keys apps go on")
  func rotation() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    let first = try house.app(sam.id, device: phone)
    let second = try house.refresh(first.refresh, device: phone)
    _ = try KeyRotation(house.house).run()
    let tokens = try house.reopened().features.accounts.services.tokens
    let now = house.clock.now()
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
