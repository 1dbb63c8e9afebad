import Backup
import Core
import Database
import Foundation
import Glibc

/// `pairspot drill`: restores the last backup into a temporary folder, has the doctor check it, and
/// records the result for monitoring (docs/operator/backup-and-restore.md#drill).
public struct DrillCommands: Sendable {
  private let configuration: Configuration
  private let options: Instance.Options
  private let user: uid_t

  /// Tests set `options` and `user`; else they are those of the product and the current user.
  public init(
    _ configuration: Configuration, options: Instance.Options = Instance.Options(),
    user: uid_t = geteuid()
  ) {
    self.configuration = configuration
    self.options = options
    self.user = user
  }

  private var clock: any Clock { options.clock ?? configuration.clock }

  /// Tries a backup, or the last one of a folder, in a temporary folder, by default beside it.
  /// `printLine` prints a line for the operator. Throws the reason why the drill failed.
  public func run(of path: String, in folder: String?, printLine: (String) -> Void) throws {
    try refuseUser()
    try refuseFolder(folder ?? path)
    let drill = Drill(
      of: path, in: folder, server: configuration.database.address, migrations: Migrations.all,
      steps: BackupCommands.steps(configuration), keysFit: BackupCommands.checkKeys)
    do {
      try drill.run(now: clock.now(), printLine: printLine) { copy in
        try examine(copy, printLine: printLine)
      }
    } catch let error as Drill.Busy {
      throw error
    } catch let error as Drill.Impossible {
      throw error
    } catch {
      note(hasPassed: false, printLine: printLine)
      throw BackupError("the drill failed: \(error)")
    }
    note(hasPassed: true, printLine: printLine)
  }

  private func examine(_ copy: DataLayout, printLine: (String) -> Void) throws {
    var found = 0
    let isHealthy = try Doctor.examineCopy(
      at: configuration.withData(copy.folder, databaseAddress: copy.server), options: options
    ) { line in
      found += 1
      printLine(line)
    }
    guard isHealthy else { throw BackupError("the doctor found errors (\(found))") }
  }

  /// Records the result in the data in use. The result is valid even if this fails.
  private func note(hasPassed: Bool, printLine: (String) -> Void) {
    guard configuration.database.mayExist else {
      printLine("not recorded: no database in \(configuration.data)")
      return
    }
    do {
      // No restore can run while this writes.
      let lock = try DataLock.open(configuration.data, printLine: printLine)
      defer { withExtendedLifetime(lock) {} }
      try configuration.database.open().write {
        try DrillRecord.note(hasPassed: hasPassed, now: clock.now(), in: $0)
      }
    } catch {
      printLine("not recorded: \(error)")
    }
  }

  /// Files that root creates can't be used by the user that runs PairSpot, which the doctor would
  /// report.
  private func refuseUser() throws {
    try BackupCommands(configuration, clock: clock, user: user).refuseOtherUser()
    guard user == 0, !configuration.isDevelopment else { return }
    throw BackupError("run the drill as the user that runs PairSpot (sudo -u USER …), not as root")
  }

  /// A copy inside the data would be in the next backup.
  private func refuseFolder(_ folder: String) throws {
    func real(_ path: String) -> String {
      URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }
    for part in [configuration.mediaFolder, configuration.secretsFolder] {
      guard "\(real(folder))/".hasPrefix("\(real(part))/") else { continue }
      throw BackupError("\(folder) is inside \(part): name another folder with --into")
    }
  }
}
