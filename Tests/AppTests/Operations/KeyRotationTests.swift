import Core
import Foundation
import Secrets
import Testing

@testable import App

@Suite("Rotating keys")
struct KeyRotationTests {
  private func file(_ instance: TestInstance) throws -> String {
    try String(
      contentsOfFile: "\(instance.instance.configuration.secretsFolder)/keys.json", encoding: .utf8)
  }

  /// The same instance after a restart.
  private func restarted(_ instance: TestInstance) throws -> TestClient {
    TestClient(try instance.reopened().application)
  }

  private func sealed(_ instance: TestInstance) throws -> [[UInt8]] {
    try instance.database.read {
      try $0.values(
        """
        SELECT email_sealed FROM users WHERE email_sealed IS NOT NULL
        UNION ALL SELECT email_sealed FROM registration_sides
        UNION ALL SELECT recipient_sealed FROM mail_queue
        UNION ALL SELECT content_sealed FROM mail_queue
        """, as: [UInt8].self)
    }
  }

  private func filled() throws -> TestInstance {
    let instance = try TestInstance()
    try instance.couple()
    _ = RegisterCoupleTests.register(
      instance.browser(), "early@example.test", "bird@example.test")
    return instance
  }

  @Test("Afterwards all users sign in as before, and waiting mail is sent")
  func whole() throws {
    let instance = try filled()
    let before = try sealed(instance)
    let count = try KeyRotation(instance.instance).run()
    let after = try sealed(instance)
    #expect(count == 6 && before.count == after.count && Set(before).isDisjoint(with: after))
    let reopened = try instance.reopened()
    #expect(after.allSatisfy(reopened.keys.isCurrent))
    let ann = TestClient(reopened.application)
    #expect(ann.signIn("ann@example.test", TestInstance.password).status == 303)
    try instance.work(in: reopened)
    #expect(try instance.allMails().count == 2)
  }

  @Test(
    "Stopped after the file got its new keys, nothing has changed",
    .onSQLite("on a server, other instances of the test keep it from running"))
  func stoppedBefore() throws {
    let instance = try filled()
    _ = try KeyRotation(instance.instance).prepare()
    let ann = try restarted(instance)
    #expect(ann.signIn("ann@example.test", TestInstance.password).status == 303)
    #expect(try KeyRotation(instance.reopened()).run() == 6)
    #expect(try restarted(instance).signIn("ben@example.test", TestInstance.password).status == 303)
  }

  @Test("Stopped after the transaction, the next start mends the file")
  func stoppedAfter() throws {
    let instance = try filled()
    let (grown, newest) = try KeyRotation(instance.instance).prepare()
    _ = try KeyRotation.change(instance.database, from: grown, to: newest)
    let unfinished = try file(instance)
    let ann = try restarted(instance)
    #expect(ann.signIn("ann@example.test", TestInstance.password).status == 303)
    #expect(try file(instance) != unfinished)
    #expect(try instance.reopened().keys.current == newest)
  }

  @Test("A transaction that fails leaves everything with the old keys")
  func failing() throws {
    let instance = try filled()
    let before = try sealed(instance)
    try instance.migrate(
      """
      CREATE TRIGGER no_rotation BEFORE UPDATE ON mail_queue
      BEGIN SELECT RAISE(ABORT, 'no'); END
      """)
    #expect(throws: (any Error).self) { try KeyRotation(instance.instance).run() }
    #expect(try sealed(instance) == before)
    #expect(try restarted(instance).signIn("ann@example.test", TestInstance.password).status == 303)
  }

  @Test(
    "Twice is fine, and a key file from before is refused",
    .onSQLite("on a server, other instances of the test keep it from running"))
  func twice() throws {
    let instance = try filled()
    let oldest = try file(instance)
    _ = try KeyRotation(instance.instance).run()
    _ = try KeyRotation(instance.reopened()).run()
    #expect(try restarted(instance).signIn("ann@example.test", TestInstance.password).status == 303)
    let path = "\(instance.instance.configuration.secretsFolder)/keys.json"
    try oldest.write(toFile: path, atomically: true, encoding: .utf8)
    chmod(path, 0o600)
    #expect(throws: KeyRotation.Refused.self) { try instance.reopened() }
  }
}
