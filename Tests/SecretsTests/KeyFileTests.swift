import Core
import Foundation
import Synchronization
import Testing

@testable import Secrets

@Suite("The file of keys")
struct KeyFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private var secrets: String { "\(folder.path)/var/secrets" }

  @Test("The first start makes a directory and a file that only the owner may read")
  func made() throws {
    _ = try KeyRing.loadOrMake(in: secrets)
    #expect(try folder.mode(of: "var/secrets") == 0o700)
    #expect(try folder.mode(of: "var/secrets/keys.json") == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: secrets) == ["keys.json"])
  }

  @Test("The next start reads the same keys")
  func readAgain() throws {
    let first = try KeyRing.loadOrMake(in: secrets)
    let second = try KeyRing.loadOrMake(in: secrets)
    let third = try KeyRing.load(from: secrets)
    #expect(first.lookupHash("a") == second.lookupHash("a"))
    #expect(first.derivedKey(purpose: "csrf") == third.derivedKey(purpose: "csrf"))
  }

  @Test("Concurrent starts get the same keys")
  func race() throws {
    let secrets = secrets
    let hashes = Mutex<Set<[UInt8]>>([])
    let failures = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 32) { _ in
      do {
        let hash = try KeyRing.loadOrMake(in: secrets).lookupHash("a")
        hashes.withLock { _ = $0.insert(hash) }
      } catch {
        failures.withLock { $0 += 1 }
      }
    }
    #expect(hashes.withLock { $0.count } == 1)
    #expect(failures.withLock { $0 } == 0)
  }

  @Test("A missing file is an error where it must exist")
  func missing() {
    #expect(throws: KeyFileError.missing("\(secrets)/keys.json")) {
      try KeyRing.load(from: secrets)
    }
  }

  @Test("A file that others may read is refused")
  func tooOpen() throws {
    _ = try KeyRing.loadOrMake(in: secrets)
    let path = "\(secrets)/keys.json"
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    #expect(throws: KeyFileError.tooOpen(path)) { try KeyRing.loadOrMake(in: secrets) }
  }

  @Test(
    "A damaged file is refused and never replaced",
    arguments: ["", "{}", "not json", #"{"encryption":{"current":1,"keys":[]}}"#])
  func damaged(text: String) throws {
    _ = try KeyRing.loadOrMake(in: secrets)
    let path = "\(secrets)/keys.json"
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: Data(text.utf8))
    try handle.close()
    #expect(throws: KeyFileError.unreadable(path)) { try KeyRing.loadOrMake(in: secrets) }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
  }
}
