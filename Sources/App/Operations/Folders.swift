import Backup
import Foundation

/// The folders of the data directory, accessible to their owner alone.
enum Folders {
  /// Makes the data folder itself, and returns the lock that a process which opens it must hold.
  /// Finishes an interrupted restore and reports that to `printLine`.
  static func open(_ configuration: Configuration, printLine: (String) -> Void) throws -> FolderLock
  {
    try make([configuration.data])
    return try DataLock.open(configuration.data, printLine: printLine)
  }

  /// Makes the run folder, in which `serve` shows that it is running.
  static func makeRunFolder(_ configuration: Configuration) throws {
    try make([configuration.runFolder])
  }

  /// Makes the missing folders. The caller must hold the data folder's lock.
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
