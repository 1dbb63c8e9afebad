import Core
import CryptoExtras
import Dispatch
import Foundation
import Secrets
import Synchronization
import Testing

@testable import SignedTokens

@Suite("The keys of tokens")
struct TokenKeysTests {
  private static let now = SignedTokenTests.now

  private func folder() -> String {
    FileManager.default.temporaryDirectory.appending(path: "token-keys-\(UUID())").path
  }

  private func signer(_ keys: TokenKeys) -> SignedToken {
    SignedToken(keys: keys, issuer: TestClaims().iss, audience: TestClaims().aud)
  }

  private func opens(_ token: String, _ folder: String, at now: Instant = Self.now) throws -> Bool {
    let keys = try TokenKeys.loadOrMake(in: folder, now: now)
    return (try? signer(keys).verify(token, as: TestClaims.self, now: now)) != nil
  }

  @Test("They are made at the first start, for the owner alone, and stay")
  func made() throws {
    let folder = folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let token = try signer(.loadOrMake(in: folder, now: Self.now)).sign(TestClaims())
    let path = "\(folder)/token-keys.json"
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(try opens(token, folder))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    #expect(throws: KeyFileError.tooOpen(path)) {
      try TokenKeys.loadOrMake(in: folder, now: Self.now)
    }
  }

  @Test("Several that start at once agree")
  func atOnce() throws {
    let folder = folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let found = Mutex<Set<String>>([])
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      let keys = try? TokenKeys.loadOrMake(in: folder, now: Self.now)
      found.withLock { _ = $0.insert(keys?.signing.id ?? "none") }
    }
    #expect(found.withLock { $0.count } == 1 && !found.withLock { $0.contains("none") })
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["token-keys.json"])
  }

  @Test("After a rotation the new key signs, the old one verifies for an hour and then is gone")
  func rotated() throws {
    let folder = folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let before = try TokenKeys.loadOrMake(in: folder, now: Self.now)
    var lasting = TestClaims()
    lasting.exp = lasting.iat + 86_400
    let token = try signer(before).sign(lasting)
    try TokenKeys.rotate(in: folder, now: Self.now)
    let after = try TokenKeys.loadOrMake(in: folder, now: Self.now)
    #expect(after.signing.id != before.signing.id)
    let end = Self.now.adding(seconds: TokenKeys.formerKeyLifetime)
    let last = Instant(milliseconds: end.milliseconds - 1)
    #expect(try opens(token, folder, at: last))
    // A process that has been running since then knows it, too.
    #expect(after.key(before.signing.id, now: last) != nil)
    #expect(after.key(before.signing.id, now: end) == nil)
    #expect(try TokenKeyFile.read(from: folder).keys.count == 2)
    #expect(try !opens(token, folder, at: end))
    #expect(try TokenKeyFile.read(from: folder).keys.map(\.id) == [after.signing.id])
  }

  @Test("New keys have at least 3072 bits")
  func size() throws {
    let folder = folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(try TokenKeys.loadOrMake(in: folder, now: Self.now).signing.key.keySizeInBits >= 3072)
  }

  @Test("A smaller key of before signs no more, and verifies until its tokens have ended")
  func smallKey() throws {
    let folder = folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try SecretFiles.makeDirectory(folder)
    let small = TokenKeyFile(keys: [
      TokenKey(
        id: "small",
        secret: try _RSA.Signing.PrivateKey(keySize: .bits2048).derRepresentation, endsAt: nil)
    ])
    try small.replace(in: folder)
    let path = "\(folder)/token-keys.json"
    let token = try signer(TokenKeys(small, path: path)).sign(TestClaims())
    let found = Mutex<Set<String>>([])
    DispatchQueue.concurrentPerform(iterations: 3) { _ in
      let keys = try? TokenKeys.loadOrMake(in: folder, now: Self.now)
      found.withLock { _ = $0.insert(keys?.signing.id ?? "none") }
    }
    #expect(found.withLock { $0.count } == 1)
    #expect(found.withLock { $0.isDisjoint(with: ["none", "small"]) })
    let last = Self.now.adding(seconds: TokenKeys.formerKeyLifetime - 1)
    #expect(try TokenKeys.loadOrMake(in: folder, now: last).key("small", now: last) != nil)
    #expect(try opens(token, folder))
    #expect(try !opens(token, folder, at: Self.now.adding(seconds: TokenKeys.formerKeyLifetime)))
  }

  @Test("Twice in a row, the first key still has its hour and no more")
  func twice() throws {
    let folder = folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let token = try signer(.loadOrMake(in: folder, now: Self.now)).sign(TestClaims())
    try TokenKeys.rotate(in: folder, now: Self.now)
    try TokenKeys.rotate(in: folder, now: Self.now.adding(seconds: 60))
    #expect(try opens(token, folder, at: Self.now.adding(seconds: 899)))
    let ends = try TokenKeyFile.read(from: folder).keys.map(\.endsAt)
    #expect(
      ends == [
        nil, Self.now.milliseconds + 3_660_000, Self.now.milliseconds + 3_600_000,
      ])
  }

  @Test("A damaged file is reported, not replaced")
  func damaged() throws {
    let folder = folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try SecretFiles.makeDirectory(folder)
    for text in ["", "{}", "{\"keys\":[]}", "{\"keys\":[{\"id\":\"a\",\"secret\":\"AAAA\"}]}"] {
      try SecretFiles.replace(Array(text.utf8), name: "token-keys.json", in: folder)
      #expect(throws: KeyFileError.unreadable("\(folder)/token-keys.json")) {
        try TokenKeys.loadOrMake(in: folder, now: Self.now)
      }
    }
  }
}
