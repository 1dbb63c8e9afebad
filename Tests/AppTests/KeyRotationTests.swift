import Accounts
import Basics
import Foundation
import Secrets
import Testing

@testable import App

@Suite("Rotating keys")
struct KeyRotationTests {
  private func file(_ house: TestHouse) throws -> String {
    try String(
      contentsOfFile: "\(house.house.configuration.secretsFolder)/keys.json", encoding: .utf8)
  }

  /// The same instance, started anew.
  private func restarted(_ house: TestHouse) throws -> Browser {
    Browser(try house.reopened().application)
  }

  private func sealed(_ house: TestHouse) throws -> [[UInt8]] {
    try house.database.read {
      try $0.rows(
        """
        SELECT email_sealed FROM users WHERE email_sealed IS NOT NULL
        UNION ALL SELECT email_sealed FROM registration_sides
        UNION ALL SELECT recipient_sealed FROM mail_queue
        UNION ALL SELECT content_sealed FROM mail_queue
        """
      ) { $0.bytes(0) }
    }
  }

  private func filled() throws -> TestHouse {
    let house = try TestHouse()
    try house.couple()
    _ = RegisterCoupleTests.register(
      house.browser(), "early@example.test", "bird@example.test")
    return house
  }

  @Test("Afterwards everybody signs in as before, and mails that waited go out")
  func whole() throws {
    let house = try filled()
    let before = try sealed(house)
    let count = try KeyRotation(house.house).run()
    let after = try sealed(house)
    #expect(count == 6 && before.count == after.count && Set(before).isDisjoint(with: after))
    let reopened = try house.reopened()
    #expect(after.allSatisfy(reopened.keys.isCurrent))
    let ann = Browser(reopened.application)
    #expect(ann.signIn("ann@example.test", TestHouse.password).status == 303)
    try house.work(in: reopened)
    #expect(try house.allMails().count == 2)
  }

  @Test("Stopped after the file got its new keys, nothing has changed")
  func stoppedBefore() throws {
    let house = try filled()
    _ = try KeyRotation(house.house).prepare()
    let ann = try restarted(house)
    #expect(ann.signIn("ann@example.test", TestHouse.password).status == 303)
    #expect(try KeyRotation(house.reopened()).run() == 6)
    #expect(try restarted(house).signIn("ben@example.test", TestHouse.password).status == 303)
  }

  @Test("Stopped after the transaction, the next start mends the file")
  func stoppedAfter() throws {
    let house = try filled()
    let (grown, newest) = try KeyRotation(house.house).prepare()
    _ = try KeyRotation.change(house.database, from: grown, to: newest)
    let unfinished = try file(house)
    let ann = try restarted(house)
    #expect(ann.signIn("ann@example.test", TestHouse.password).status == 303)
    #expect(try file(house) != unfinished)
    #expect(try house.reopened().keys.current == newest)
  }

  @Test("A transaction that fails leaves everything with the old keys")
  func failing() throws {
    let house = try filled()
    let before = try sealed(house)
    try house.database.write {
      try $0.execute(
        """
        CREATE TRIGGER no_rotation BEFORE UPDATE ON mail_queue
        BEGIN SELECT raise(ABORT, 'no'); END
        """)
    }
    #expect(throws: (any Error).self) { try KeyRotation(house.house).run() }
    #expect(try sealed(house) == before)
    #expect(try restarted(house).signIn("ann@example.test", TestHouse.password).status == 303)
  }

  @Test("Twice is fine, and a key file from before is refused")
  func twice() throws {
    let house = try filled()
    let oldest = try file(house)
    _ = try KeyRotation(house.house).run()
    _ = try KeyRotation(house.reopened()).run()
    #expect(try restarted(house).signIn("ann@example.test", TestHouse.password).status == 303)
    let path = "\(house.house.configuration.secretsFolder)/keys.json"
    try oldest.write(toFile: path, atomically: true, encoding: .utf8)
    chmod(path, 0o600)
    #expect(throws: KeyRotation.Refused.self) { try house.reopened() }
  }
}
