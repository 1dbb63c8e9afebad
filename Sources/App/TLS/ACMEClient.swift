import Backup
import Certificates
import Core
import Foundation
import Processes

/// Gets and renews the instance's certificate by ACME (RFC 8555): runs dehydrated, which proves the
/// control of the host by files below `/.well-known/acme-challenge/` (HTTP-01, section 8.3).
struct ACMEClient {
  /// The time that getting a certificate may take, in s.
  static let timeout: Int64 = .minutes(5)
  private static let program = "/usr/bin/dehydrated"
  /// Certificates are renewed so long before they end, in days.
  private static let renewal = 30

  private let configuration: Configuration
  private let folder: String

  init(_ configuration: Configuration) {
    self.configuration = configuration
    folder = "\(configuration.data)/acme"
  }

  var chain: String { "\(folder)/certs/\(configuration.hostName)/fullchain.pem" }
  var key: String { "\(folder)/certs/\(configuration.hostName)/privkey.pem" }
  var hasCertificate: Bool {
    [chain, key].allSatisfy(FileManager.default.fileExists(atPath:))
  }

  /// Gets a certificate if there is none, or one that is about to end. Throws `Serve.Failure` with
  /// the last words of dehydrated.
  func renew(_ settings: ACMESettings) throws {
    guard FileManager.default.isExecutableFile(atPath: Self.program) else {
      throw Serve.Failure("dehydrated is not installed")
    }
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let lock = try lock()
    defer { withExtendedLifetime(lock) {} }
    let file = "\(folder)/config"
    try content(settings).write(toFile: file, atomically: true, encoding: .utf8)
    let arguments = [
      ["--register", "--accept-terms"], ["--cron", "--domain", configuration.hostName],
    ]
    // Its own lock is a file that stays if it is killed; this instance's lock does not.
    for arguments in arguments { try run(arguments + ["--no-lock", "--config", file]) }
  }

  /// The lock of those who get a certificate: the worker and the command. Waits for the other one.
  private func lock() throws -> FolderLock {
    for _ in 0..<Self.timeout {
      if let lock = try FolderLock.take(.alone, folder, name: "renewal.lock") { return lock }
      sleep(1)
    }
    throw Serve.Failure("another process is getting the certificate: try again later")
  }

  private func content(_ settings: ACMESettings) -> String {
    """
    BASEDIR="\(folder)"
    WELLKNOWN="\(Self.challenges(configuration))"
    CA="\(settings.directory)"
    CONTACT_EMAIL="\(settings.email ?? "")"
    CHALLENGETYPE="http-01"
    KEY_ALGO=prime256v1
    RENEW_DAYS="\(Self.renewal)"

    """
  }

  private func run(_ arguments: [String]) throws {
    let result = try ChildProcess.run(
      Self.program, arguments,
      environment: ["PATH": "/usr/bin:/bin", "HOME": folder], timeout: Double(Self.timeout))
    guard result.status != 0 || result.timedOut else { return }
    let lines = String(decoding: result.errors + result.output, as: UTF8.self)
      .split(whereSeparator: \.isNewline)
    let words = lines.first { $0.contains("ERROR") } ?? lines.last ?? "no message"
    throw Serve.Failure(
      result.timedOut ? "dehydrated takes too long: \(words)" : "dehydrated: \(words)")
  }

  /// The folder of the files that the authority requests.
  static func challenges(_ configuration: Configuration) -> String {
    "\(configuration.runFolder)/acme-challenges"
  }
}
