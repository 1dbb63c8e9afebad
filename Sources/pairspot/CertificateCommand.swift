import App
import ArgumentParser

/// `pairspot certificate install|renew`
struct CertificateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "certificate", abstract: "Manages the certificate of https.",
    subcommands: [Install.self, Renew.self])

  struct Install: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "install", abstract: "Serves the newest certificate at once.",
      discussion: """
        The worker does the same every minute with PAIRSPOT_TLS=files. Open connections keep the \
        previous certificate; none is interrupted.
        """)

    func run() throws {
      try CertificateCommands(Terminal.configuration()).install(printLine: Terminal.printLine)
    }
  }

  struct Renew: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "renew",
      abstract: "Gets a certificate by ACME if there is none, or one that is about to end.",
      discussion: """
        The worker does the same every hour with PAIRSPOT_TLS=acme. PairSpot must be running: the \
        authority requests a file from it over plain http.
        """)

    func run() throws {
      try CertificateCommands(Terminal.configuration()).renew(printLine: Terminal.printLine)
    }
  }
}
