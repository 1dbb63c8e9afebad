import App
import ArgumentParser
import Foundation
import Glibc

/// `pairspot setup`
struct SetupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup", abstract: "Sets this server up, and says what is missing.",
    discussion: """
      Asks what it is not told by options, writes the settings, starts the services, prints a link \
      for the first admin and sends a test mail. Can be run again at any time. Passwords are asked \
      for, or read from files. Exits with 1 if something is missing.
      """)

  @Flag(help: "Change nothing: only look what works.")
  var check = false

  @Flag(help: "Ask nothing: what is not given keeps its value, or gets the usual one.")
  var noInput = false

  @Option(help: "The domain of this server.")
  var domain: String?

  @Option(help: "The address of the first admin, who also gets the test mail.")
  var admin: String?

  @Option(help: "acme, files or proxy.")
  var tls: String?

  @Option(help: "With --tls files: the certificate chain.")
  var certificate: String?

  @Option(help: "With --tls files: the private key.")
  var key: String?

  @Option(help: "With --tls proxy: the addresses of the proxy.")
  var proxies: String?

  @Option(help: "The time zone, like Asia/Taipei.")
  var timeZone: String?

  @Option(help: "en, zh-Hant or zh-Hans.")
  var language: String?

  @Option(help: "The address from which mails are sent.")
  var from: String?

  @Option(help: "smtp or resend.")
  var mail: String?

  @Option(help: "The mail server.")
  var smtpHost: String?

  @Option(help: "Its port.")
  var smtpPort: String?

  @Option(help: "starttls, tls or none.")
  var smtpTls: String?

  @Option(help: "The user at the mail server.")
  var smtpUser: String?

  @Option(help: "A file with the password of that user.")
  var smtpPasswordFile: String?

  @Option(help: "A file with the key of Resend's API.")
  var resendKeyFile: String?

  @Option(help: "Another setting, as NAME=value; can be given several times.")
  var set: [String] = []

  func run() throws {
    if check { return try report(SetupChecks(Terminal.readConfiguration()).lines()) }
    let program = try Terminal.program()
    let environment = ProcessInfo.processInfo.environment
    let file = environment["PAIRSPOT_CONFIG"] ?? Installation.settingsFile
    var answers = SetupAnswers(
      settings: try SettingsFile(path: file), environment: environment,
      defaults: Installation.defaults(program: program))
    try answers.fill(given: try given()) { question, offered, wrong in
      ask(question.text, offered, wrong, isSecret: question.isSecret)
    }
    let setup = Setup(
      file: file, program: program, environment: environment, printLine: Terminal.printLine)
    let configuration = try answers.configuration()
    let hasChanged = try setup.write(answers.settings, of: configuration)
    let isRunning = try setup.start(configuration, hasChanged: hasChanged)
    var lines: [SetupChecks.Line] = []
    if isRunning, let missing = try setup.getCertificate(configuration) { lines.append(missing) }
    let address = admin ?? ask("Address of the first admin", nil, nil, isSecret: false)
    if let address, !address.isEmpty {
      try setup.makeFirstAdmin(address)
      lines.append(try setup.sendTestMail(to: address))
    }
    try report(lines + SetupChecks(Terminal.readConfiguration()).lines())
  }

  /// The values of the options, by setting.
  private func given() throws -> [String: String] {
    let options: [(String, String?)] = [
      ("PAIRSPOT_BASE_URL", domain), ("PAIRSPOT_TLS", tls),
      ("PAIRSPOT_TLS_CERTIFICATE", certificate), ("PAIRSPOT_TLS_KEY", key),
      ("PAIRSPOT_TRUSTED_PROXIES", proxies), ("PAIRSPOT_TIME_ZONE", timeZone),
      ("PAIRSPOT_LANGUAGE", language), ("FROM_EMAIL", from), ("PAIRSPOT_MAIL", mail),
      ("SMTP_HOST", smtpHost), ("SMTP_PORT", smtpPort), ("SMTP_TLS", smtpTls),
      ("SMTP_USER", smtpUser), ("SMTP_PASSWORD", try smtpPasswordFile.map(Self.secret)),
      ("RESEND_API_KEY", try resendKeyFile.map(Self.secret)),
    ]
    var given: [String: String] = [:]
    for (name, value) in options {
      guard let value, let question = SetupQuestion.all.first(where: { $0.setting == name }) else {
        continue
      }
      given[name] = question.value(of: value)
    }
    for setting in set {
      guard let equals = setting.firstIndex(of: "=") else {
        throw ValidationError("--set \(setting): expected NAME=value")
      }
      given[String(setting[..<equals])] = String(setting[setting.index(after: equals)...])
    }
    return given
  }

  private static func secret(file: String) throws -> String {
    guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
      throw ValidationError("cannot read \(file)")
    }
    return text.trimmingCharacters(in: .newlines)
  }

  /// Asks on the terminal; nil without one.
  private func ask(
    _ text: String, _ offered: String?, _ wrong: String?, isSecret: Bool
  ) -> String? {
    guard !noInput, isatty(STDIN_FILENO) == 1 else { return nil }
    if let wrong { Terminal.printLine(wrong) }
    if isSecret {
      let kept = offered == nil ? "" : " [unchanged]"
      return getpass("\(text)\(kept): ").map { String(cString: $0) }
    }
    FileHandle.standardOutput.write(Data("\(text)\(offered.map { " [\($0)]" } ?? ""): ".utf8))
    return readLine()
  }

  /// Prints the check list. Exits with 1 if something is missing.
  private func report(_ lines: [SetupChecks.Line]) throws {
    for line in lines {
      let columns = [(line.state.rawValue, 9), (line.subject, 9)].map { text, width in
        text.padding(toLength: width, withPad: " ", startingAt: 0)
      }
      Terminal.printLine(columns.joined() + line.text)
    }
    if lines.contains(where: { $0.state == .missing }) { throw ExitCode.failure }
  }
}
