import App
import ArgumentParser
import Core
import Foundation
import Glibc

/// The command `pairspot`.
@main
struct PairSpot: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pairspot", abstract: "A small home on the web for two people.",
    subcommands: [
      ServeCommand.self, UpgradeCommand.self, HandlersCommand.self, WorkerCommand.self,
      MigrateCommand.self, DemoCommand.self, DoctorCommand.self, BackupCommand.self,
      RestoreCommand.self, RotateKeysCommand.self, ConfigCommand.self, AdminCommand.self,
      MailCommand.self, ImageProcessorCommand.self,
    ])

  /// Whoever asks for an upgrade before it can be heard ends nothing: that comes before all else.
  static func main() {
    // What any command makes is for its owner alone, whoever starts it.
    umask(0o077)
    Upgrade.holdRequests()
    main(nil)
  }
}

/// What several subcommands need.
enum Terminal {
  /// One line on standard output, at once.
  static func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }

  /// One line on standard error.
  static func complain(_ line: String) {
    FileHandle.standardError.write(Data("\(line)\n".utf8))
  }

  /// The configuration of this process. Throws `Configuration.Invalid`.
  static func configuration() throws -> Configuration {
    try Configuration(
      environment: ProcessInfo.processInfo.environment, now: SystemClock().now(),
      cores: ProcessInfo.processInfo.activeProcessorCount)
  }
}
