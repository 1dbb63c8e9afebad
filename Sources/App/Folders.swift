import Foundation

/// The data directory's folders, readable by nobody else.
enum Folders {
  static func make(_ configuration: Configuration) throws {
    for folder in [
      configuration.data, configuration.mediaFolder, configuration.mailFolder,
      configuration.secretsFolder, configuration.runFolder, configuration.logFolder,
      configuration.uploadFolder,
    ] {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
  }
}
