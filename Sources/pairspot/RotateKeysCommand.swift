import App
import ArgumentParser

/// `pairspot rotate-keys`
struct RotateKeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate-keys",
    abstract:
      "Re-encrypts addresses and mails with new keys. Stop PairSpot first, back up afterwards.")

  func run() throws {
    let count = try KeyRotation(Instance(Terminal.configuration())).run()
    Terminal.printLine("\(count) values encrypted with new keys; older backups keep their own keys")
  }
}
