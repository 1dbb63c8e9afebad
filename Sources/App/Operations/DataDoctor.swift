import Backup
import Core
import Database
import Foundation
import Glibc

/// The invariants of the data folder that belong to no module: files and rows agree, there is free
/// space.
struct DataDoctor: Sendable {
  /// The minimum age of a file without a row, in s: a younger one may be about to get its row.
  static let youngest: Int64 = .days(1)
  static let diskCheck = "enough disk space is free"
  /// The prefix of the folder for files that no row refers to; it ends in the time.
  static let asidePrefix = "nobodys-"
  /// Folders of the media folder with files for one download, deleted within the hour, without
  /// rows.
  private static let fleeting = ["workout-exports/", "photo-exports/", "record-exports/"]

  let configuration: Configuration
  let disks: DiskSpaceMonitor
  let named: [ReferencedFiles]
  /// The kernel's time, which stamps files; tests set it.
  var today: @Sendable () -> Date = { Date() }

  init(
    _ configuration: Configuration, disks: DiskSpaceMonitor? = nil,
    named: [ReferencedFiles] = BackupCommands.namedFiles
  ) {
    self.configuration = configuration
    self.disks = disks ?? DiskSpaceMonitor(configuration)
    self.named = named
  }

  var checks: [DoctorCheck] {
    [disk, namedFilesAreThere, filesAreNamed, restoresAreOver]
  }

  private var disk: DoctorCheck {
    DoctorCheck(Self.diskCheck) { _ in disks.shortages.map(\.description) }
  }

  /// The doctor holds the folder's lock, so no restore is running.
  private var restoresAreOver: DoctorCheck {
    DoctorCheck(
      "no restore is unfinished",
      find: { _ in
        InterruptedRestore.cleanup(in: configuration.data).map {
          "\($0) is an unused copy of a backup, with its keys"
        }
      },
      repairInSteps: { _ in try InterruptedRestore.removeOrphans(in: configuration.data) })
  }

  // MARK: Media

  /// The files that rows refer to; none if they are in a bucket.
  private func referenced(_ reader: ReadTransaction) throws -> Set<String> {
    guard configuration.bucket == nil else { return [] }
    return try named.reduce(into: Set<String>()) { try $0.formUnion($1.find(reader)) }
  }

  private var namedFilesAreThere: DoctorCheck {
    DoctorCheck(
      "every file in the database exists",
      findIn: { database in
        let missing = try database.read(referenced).filter {
          !FileManager.default.fileExists(atPath: "\(configuration.mediaFolder)/\($0)")
        }
        if missing.isEmpty { return [] }
        // A row drops its file before the file is deleted: files deleted in between are referred to
        // no more.
        return missing.intersection(try database.read(referenced)).sorted()
          .map { "media/\($0) is missing" }
      }, repairInSteps: nil)
  }

  private var filesAreNamed: DoctorCheck {
    DoctorCheck(
      "every file is in the database",
      find: { try unreferencedFiles($0).map { "media/\($0) is not in the database" } },
      repairInSteps: { try moveAside(try $0.read { try unreferencedFiles($0) }) })
  }

  /// Files that no row refers to, older than a day by the kernel's clock, which stamps them.
  private func unreferencedFiles(_ reader: ReadTransaction) throws -> [String] {
    // Listed before the rows are read: a file that gets its row in between is not on the list.
    let files = Self.files(below: configuration.mediaFolder)
    let referenced = try referenced(reader)
    let latest = Instant(date: today()).adding(seconds: -Self.youngest)
    return files.filter { path in
      guard !referenced.contains(path), !Self.fleeting.contains(where: path.hasPrefix) else {
        return false
      }
      var status = stat()
      guard lstat("\(configuration.mediaFolder)/\(path)", &status) == 0 else { return false }
      // Links to pictures have an old mtime, but a recent ctime.
      let seconds = max(status.st_mtim.tv_sec, status.st_ctim.tv_sec)
      return Instant(milliseconds: Int64(seconds) * 1000) < latest
    }
  }

  /// Moves the files out of the media folder, for the operator to check; deletes nothing.
  private func moveAside(_ paths: [String]) throws {
    let now = configuration.clock.now()
    let aside = "\(configuration.data)/\(Self.asidePrefix)\(now.milliseconds)"
    for path in paths {
      let target = URL(fileURLWithPath: "\(aside)/\(path)")
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      try FileManager.default.moveItem(
        atPath: "\(configuration.mediaFolder)/\(path)", toPath: target.path)
    }
  }

  private static func files(below folder: String) -> [String] {
    let walk = FileManager.default.enumerator(atPath: folder)
    var found: [String] = []
    while let path = walk?.nextObject() as? String {
      if walk?.fileAttributes?[.type] as? FileAttributeType == .typeRegular { found.append(path) }
    }
    return found.sorted()
  }
}
