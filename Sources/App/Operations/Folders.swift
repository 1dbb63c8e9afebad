import Backup
import Foundation

/// The data directory's folders, readable by nobody else.
enum Folders {
  /// Makes the data folder itself, and answers the lock that who opens it holds. A restore that was
  /// interrupted is finished; `say` is told.
  static func open(_ configuration: Configuration, say: (String) -> Void) throws -> FolderLock {
    try make([configuration.data])
    return try DataLock.open(configuration.data, say: say)
  }

  /// Makes the one in which `serve` says that it is there.
  static func makeRunFolder(_ configuration: Configuration) throws {
    try make([configuration.runFolder])
  }

  /// Makes those that are missing. To be called by who has it open.
  static func make(_ configuration: Configuration) throws {
    try make([
      configuration.data, configuration.mediaFolder, configuration.mailFolder,
      configuration.secretsFolder, configuration.runFolder, configuration.logFolder,
      configuration.uploadFolder,
    ])
  }

  private static func make(_ folders: [String]) throws {
    for folder in folders {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
  }
}
