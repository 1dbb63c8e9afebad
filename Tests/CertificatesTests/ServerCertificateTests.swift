import Core
import Foundation
import Testing

@testable import Certificates

@Suite("A server's certificate and key")
struct ServerCertificateTests {
  /// Files made by openssl, deleted with the test.
  private final class Made: Sendable {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID())").path

    init() throws {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func openssl(_ arguments: String) throws {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
      process.arguments = arguments.split(separator: " ").map(String.init)
      process.currentDirectoryURL = URL(fileURLWithPath: folder)
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }

    func certificate(_ name: String, key: String = "ec -pkeyopt ec_paramgen_curve:P-256") throws {
      try openssl(
        "req -x509 -newkey \(key) -nodes -days 90 -subj /CN=\(name) -keyout \(name).key -out "
          + "\(name).pem -addext subjectAltName=DNS:pairspot.test,DNS:*.home.test,IP:192.0.2.1")
    }

    func bytes(_ name: String) throws -> [UInt8] {
      Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")))
    }

    func failure(_ chain: String, _ key: String) throws -> ServerCertificate.Failure? {
      let (chain, key) = (try bytes(chain), try bytes(key))
      do throws(ServerCertificate.Failure) {
        _ = try ServerCertificate(chain: chain, key: key)
        return nil
      } catch {
        return error
      }
    }
  }

  @Test(
    "Chain and key are read, and written into one file that is read again",
    arguments: ["ec -pkeyopt ec_paramgen_curve:P-256", "rsa:2048", "ed25519"])
  func reads(key: String) throws {
    let made = try Made()
    try made.certificate("a", key: key)
    let read = try ServerCertificate(chain: made.bytes("a.pem"), key: made.bytes("a.key"))
    let days =
      (read.notAfter.milliseconds - Int64(Date().timeIntervalSince1970) * 1000) / 86_400_000
    #expect(89...90 ~= days)
    let again = try ServerCertificate(chain: read.pem, key: read.pem)
    #expect(again.notAfter == read.notAfter)
  }

  @Test(
    "Its hosts are those of its names",
    arguments: [
      ("pairspot.test", true), ("PAIRSPOT.test", true), ("a.home.test", true), ("192.0.2.1", true),
      ("other.test", false), ("a.b.home.test", false), ("home.test", false), ("192.0.2.2", false),
      ("", false),
    ])
  func hosts(host: String, isCovered: Bool) throws {
    let made = try Made()
    try made.certificate("a")
    let read = try ServerCertificate(chain: made.bytes("a.pem"), key: made.bytes("a.key"))
    #expect(read.covers(host: host) == isCovered)
  }

  @Test("Files that are no chain and key are refused with the reason")
  func refused() throws {
    let made = try Made()
    try made.certificate("a")
    try made.certificate("b")
    try made.openssl("ec -in a.key -aes256 -passout pass:secret -out locked.key")
    try Data().write(to: URL(fileURLWithPath: "\(made.folder)/empty"))
    try Data("hello".utf8).write(to: URL(fileURLWithPath: "\(made.folder)/text"))
    #expect(try made.failure("a.pem", "b.key") == .otherKey)
    #expect(try made.failure("a.pem", "locked.key") == .noKey)
    #expect(try made.failure("a.pem", "a.pem") == .noKey)
    for name in ["a.key", "empty", "text"] {
      #expect(try made.failure(name, "a.key") == .noCertificate)
    }
    for name in ["empty", "text"] { #expect(try made.failure("a.pem", name) == .noKey) }
  }
}
