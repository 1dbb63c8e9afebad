import App
import ArgumentParser
import Core
import Foundation
import Glibc

/// The command `pairspot`. All subcommands have explicit names: deriving them from their types takes
/// milliseconds at each start.
@main
struct PairSpot: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pairspot", abstract: "A small website for couples.",
    version: Version.line,
    subcommands: [
      SetupCommand.self, ServeCommand.self, UpgradeCommand.self, HandlersCommand.self,
      WorkerCommand.self, MigrateCommand.self, DemoCommand.self, DoctorCommand.self,
      BackupCommand.self, RestoreCommand.self, DrillCommand.self, MoveDatabaseCommand.self,
      MoveMediaCommand.self,
      RotateKeysCommand.self,
      ConfigCommand.self, AdminCommand.self, UserCommand.self, GroupCommand.self,
      SessionsCommand.self, InviteCommand.self, JobsCommand.self, MailCommand.self,
      CertificateCommand.self, HealthcheckCommand.self, WatchmanCommand.self,
    ])

  /// First makes requests for an upgrade wait: before `serve` listens, their signal would end the
  /// process.
  static func main() {
    // Files of any command are accessible to their owner alone, whichever user runs it.
    umask(0o077)
    Upgrade.holdRequests()
    main(nil)
  }
}

/// Helpers of several subcommands.
enum Terminal {
  /// Writes one line to standard output, unbuffered.
  static func printLine(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }

  /// Writes one line to standard error.
  static func printError(_ line: String) {
    FileHandle.standardError.write(Data("\(line)\n".utf8))
  }

  /// The configuration of this process. A command of root goes on as the user who owns the data.
  /// Throws `Configuration.Invalid` and `CommandUser.Failure`.
  static func configuration() throws -> Configuration {
    let configuration = try readConfiguration()
    try CommandUser.assume(for: configuration)
    return configuration
  }

  /// The configuration, without a change of the user. Throws `Configuration.Invalid`.
  static func readConfiguration() throws -> Configuration {
    try Configuration(
      environment: ProcessInfo.processInfo.environment,
      defaults: Installation.defaults(program: program()), now: SystemClock().now(),
      cores: ProcessInfo.processInfo.activeProcessorCount)
  }

  /// The absolute path of this program. Throws if `/proc` is missing.
  static func program() throws -> String {
    try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
  }
}
