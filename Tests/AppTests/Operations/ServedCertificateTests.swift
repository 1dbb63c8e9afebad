import Core
import Foundation
import Testing
import Web

@testable import App

@Suite("The served certificate")
struct ServedCertificateTests {
  private let instance: TestInstance
  private let files: String

  init() throws {
    instance = try TestInstance()
    files = instance.instance.configuration.data + "/tls-files"
    try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
  }

  /// A certificate by openssl, valid for so many days.
  private func make(_ name: String, days: Int = 90, host: String = "pairspot.test") throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    process.arguments =
      ("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days \(days) -subj /CN=x "
      + "-keyout \(files)/\(name).key -out \(files)/\(name).pem -addext subjectAltName=DNS:\(host)")
      .split(separator: " ").map(String.init)
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  private func use(_ name: String) throws {
    for ending in ["pem", "key"] {
      let current = "\(files)/current.\(ending)"
      try? FileManager.default.removeItem(atPath: current)
      try FileManager.default.copyItem(atPath: "\(files)/\(name).\(ending)", toPath: current)
    }
  }

  private func configuration() throws -> Configuration {
    try Configuration(
      environment: [
        "PAIRSPOT_ENV": "development", "PAIRSPOT_SHARE": TestInstance.checkout.path,
        "PAIRSPOT_DATA": instance.instance.configuration.data, "PAIRSPOT_TLS": "files",
        "PAIRSPOT_BASE_URL": "https://pairspot.test",
        "PAIRSPOT_TLS_CERTIFICATE": "\(files)/current.pem",
        "PAIRSPOT_TLS_KEY": "\(files)/current.key",
      ], now: Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)), cores: 2)
  }

  private func problem(_ served: ServedCertificate) throws -> String? {
    let now = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    return try #require(served.healthChecks.first).problem(now)?.key
  }

  @Test("New files are taken over; files that do not fit leave the one before")
  func install() throws {
    try make("a")
    try make("b")
    try use("a")
    let configuration = try configuration()
    let served = ServedCertificate(configuration)
    let path = "\(configuration.runFolder)/certificate.pem"
    #expect(try problem(served) == "health.no_certificate")
    try served.install()
    let first = try [UInt8].read(path)
    #expect(first.starts(with: try [UInt8].read("\(files)/a.pem")))
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(try problem(served) == nil)
    try use("b")
    try FileManager.default.removeItem(atPath: "\(files)/current.key")
    try FileManager.default.copyItem(atPath: "\(files)/a.key", toPath: "\(files)/current.key")
    let failure = #expect(throws: Serve.Failure.self) { try served.install() }
    #expect("\(try #require(failure))".hasSuffix("the key belongs to another certificate"))
    #expect(try [UInt8].read(path) == first)
    try use("b")
    try served.install()
    #expect(try [UInt8].read(path).starts(with: try [UInt8].read("\(files)/b.pem")))
  }

  @Test("An instance is unhealthy with a certificate of another host, or about to end")
  func health() throws {
    try make("soon", days: 19)
    try make("later", days: 22)
    try make("other", host: "other.test")
    try use("soon")
    let served = ServedCertificate(try configuration())
    for (name, key) in [
      ("soon", "health.certificate_ends"), ("later", nil), ("other", "health.certificate_host"),
    ] {
      try use(name)
      try served.install()
      #expect(try problem(served) == key, "\(name)")
    }
    #expect(ServedCertificate(instance.instance.configuration).healthChecks.isEmpty)
  }
}
