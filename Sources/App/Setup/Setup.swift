import Foundation
import Processes

/// `pairspot setup`: writes the settings, starts the services, makes the first admin, and sends a
/// test mail. It can be run again at any time.
public struct Setup {
  /// A step that failed, in one line.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  private static let systemctl = "/usr/bin/systemctl"

  private let file: String
  private let program: String
  private let environment: [String: String]
  private let printLine: (String) -> Void

  /// `file` is the path of the settings, `program` the absolute path of this very program,
  /// `environment` that of this process.
  public init(
    file: String, program: String, environment: [String: String],
    printLine: @escaping (String) -> Void
  ) {
    self.file = file
    self.program = program
    self.environment = environment.merging(["PAIRSPOT_CONFIG": file]) { $1 }
    self.printLine = printLine
  }

  /// Writes the settings if they have changed, and returns whether they have. The file is readable
  /// by the group of the user who owns the data.
  public func write(_ settings: SettingsFile, of configuration: Configuration) throws -> Bool {
    if let present = try? String(contentsOfFile: file, encoding: .utf8), present == settings.text {
      printLine("\(file) stays as it is")
      return false
    }
    try settings.write(to: file, group: CommandUser.owner(of: configuration.data)?.group)
    printLine("wrote \(file)")
    return true
  }

  /// Makes secrets and the database, and starts the services; those that run are restarted if the
  /// settings have changed. Returns whether PairSpot runs: false without systemd. Throws `Failure`.
  public func start(_ configuration: Configuration, hasChanged: Bool) throws -> Bool {
    guard try ChildProcess.runAttached(program, ["migrate"], environment: environment) == 0 else {
      throw Failure(description: "the database could not be made")
    }
    guard FileManager.default.fileExists(atPath: "/run/systemd/system") else {
      printLine("systemd does not run here: start pairspot serve yourself")
      return false
    }
    if configuration.port == 443 || configuration.redirectPort == 80 { try freePorts() }
    if hasChanged { _ = try systemctl(["try-restart", Installation.services[0]]) }
    let enabled = try systemctl(["--quiet", "enable", "--now"] + Installation.services)
    guard enabled, try systemctl(["is-active", "--quiet", Installation.services[0]]) else {
      throw Failure(description: "PairSpot did not start: see journalctl -u pairspot")
    }
    printLine("PairSpot runs; it is backed up each night and the backups are tried each week")
    return true
  }

  /// Gets the certificate if ACME is on, while PairSpot runs; returns why there is none.
  public func getCertificate(_ configuration: Configuration) throws -> SetupChecks.Line? {
    guard case .acme = configuration.tls else { return nil }
    printLine("getting a certificate")
    let renewed = try run(["certificate", "renew"], timeout: 600)
    if renewed.status == 0 { return nil }
    return SetupChecks.Line(
      state: .missing, subject: "ACME",
      text: "there is no certificate: \(reason(renewed)): see docs/operator/tls.md")
  }

  private func freePorts() throws {
    let server = DefaultWebServer(environment: environment)
    guard try server.isActive() else { return }
    guard try server.isUnchanged(), try server.disable() else {
      throw Failure(
        description: "nginx.service serves other sites here: put PairSpot behind it with "
          + "--tls proxy (docs/operator/behind-a-proxy.md)")
    }
    printLine("stopped nginx.service, which showed only its default page")
  }

  private func systemctl(_ arguments: [String]) throws -> Bool {
    try ChildProcess.runAttached(Self.systemctl, arguments, environment: environment) == 0
  }

  /// Gives the address the role of an admin and prints the link to sign in, unless there is an
  /// admin. Throws `Failure`.
  public func makeFirstAdmin(_ address: String) throws {
    let list = try run(["admin", "list"])
    if String(decoding: list.output, as: UTF8.self).split(separator: "\n").contains(where: {
      $0.hasPrefix("admin\t")
    }) {
      return printLine("there is an admin already")
    }
    let arguments = ["admin", "create", "--email", address, "--role", "admin"]
    let status = try ChildProcess.runAttached(program, arguments, environment: environment)
    guard status == 0 else { throw Failure(description: "the first admin could not be made") }
  }

  /// Sends a test mail; returns how it went.
  public func sendTestMail(to address: String) throws -> SetupChecks.Line {
    let sent = try run(["mail", "test", address])
    guard sent.status == 0 else {
      return SetupChecks.Line(
        state: .missing, subject: "mail",
        text: "the test mail was not sent: \(reason(sent)): see docs/operator/mail.md")
    }
    return SetupChecks.Line(
      state: .good, subject: "mail", text: "a test mail was sent to \(address)")
  }

  private func reason(_ result: ChildProcess.Result) -> String {
    String(decoding: result.errors, as: UTF8.self)
      .replacing("Error: ", with: "").trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// `timeout` in s.
  private func run(_ arguments: [String], timeout: Double = 120) throws -> ChildProcess.Result {
    try ChildProcess.run(program, arguments, environment: environment, timeout: timeout)
  }
}
