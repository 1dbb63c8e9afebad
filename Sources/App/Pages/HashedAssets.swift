import Foundation

/// The files of `public/` under their common hash, as nginx serves them with unlimited caching:
/// `run/kept/assets/<hash>/…`. They are copies, so the content of an address never changes, and a
/// page from before an upgrade finds its own version.
struct HashedAssets {
  /// The number of versions that are kept.
  private static let maximumVersions = 3

  private let assets: Assets
  private let publicFolder: String
  private let joined: String
  private let folder: String

  init(_ instance: Instance) {
    assets = instance.assets
    publicFolder = instance.configuration.publicFolder
    joined = "\(instance.configuration.runFolder)/assets/css/all.css"
    folder = "\(instance.configuration.runFolder)/kept/assets"
  }

  /// Copies the current files unless the copy exists, and deletes the oldest copies.
  func write() throws {
    let files = FileManager.default
    try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let target = "\(folder)/\(assets.hash)"
    if !files.fileExists(atPath: target) {
      let unfinished = "\(folder)/.unfinished"
      try? files.removeItem(atPath: unfinished)
      do {
        try Self.copy(publicFolder, to: unfinished)
        try Self.copy(joined, to: "\(unfinished)/css/all.css")
        try files.moveItem(atPath: unfinished, toPath: target)
      } catch {
        // Half a copy on a full disk wastes space that running processes need.
        try? files.removeItem(atPath: unfinished)
        throw error
      }
    }
    try files.setAttributes([.modificationDate: Date()], ofItemAtPath: target)
    try unblock()
  }

  /// Copies the content of a file or folder, but neither its owner nor its mode: those are the
  /// program's, which belongs to another user than the running one.
  private static func copy(_ source: String, to target: String) throws {
    let files = FileManager.default
    var isFolder: ObjCBool = false
    guard files.fileExists(atPath: source, isDirectory: &isFolder), isFolder.boolValue else {
      return try Data(contentsOf: URL(filePath: source)).write(to: URL(filePath: target))
    }
    try files.createDirectory(atPath: target, withIntermediateDirectories: false)
    for name in try files.contentsOfDirectory(atPath: source) {
      try copy("\(source)/\(name)", to: "\(target)/\(name)")
    }
  }

  private func unblock() throws {
    let files = FileManager.default
    let versions = try files.contentsOfDirectory(atPath: folder).map { name in
      let path = "\(folder)/\(name)"
      let time = try files.attributesOfItem(atPath: path)[.modificationDate] as? Date
      return (path: path, time: time ?? .distantPast)
    }
    for version in versions.sorted(by: { $0.time > $1.time }).dropFirst(Self.maximumVersions) {
      try files.removeItem(atPath: version.path)
    }
  }
}
