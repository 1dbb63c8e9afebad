import Core
import Database
import Foundation
import Testing

@testable import Backup

/// A data folder and a folder of backups; deleted with the test.
final class Place: Sendable {
  static let moment = Instant(milliseconds: 1_772_409_600_000)
  static let migrations = [
    Migration("test 1: pictures", "CREATE TABLE pictures (path TEXT PRIMARY KEY) STRICT;")
  ]
  static let named = ReferencedFiles("pictures") {
    Set(try $0.values("SELECT path FROM pictures", as: String.self))
  }

  let root: String
  var data: DataLayout { DataLayout("\(root)/data") }
  var directory: String { "\(root)/backups" }
  var first: String { "\(directory)/20260302T000000Z" }

  init() throws {
    root = FileManager.default.temporaryDirectory.appending(path: "backup-\(UUID())").path
    for folder in [data.media, data.secrets] { try PlainFile.makeFolder(folder) }
    try database().migrate(Self.migrations)
    try write("the key", to: "secrets/keys.json")
    try picture("couples/a/one.jpg", "one")
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func database() throws -> Database { try Database(path: data.database) }

  func write(_ text: String, to path: String, in folder: String? = nil) throws {
    let target = "\(folder ?? data.folder)/\(path)"
    try FileManager.default.createDirectory(
      atPath: (target as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try text.write(toFile: target, atomically: false, encoding: .utf8)
  }

  /// Adds a file and a row that references it.
  func picture(_ path: String, _ text: String) throws {
    try write(text, to: "media/\(path)")
    try database().write { try $0.execute("INSERT INTO pictures VALUES (\(path))") }
  }

  @discardableResult
  func back(
    up after: Int64 = 0, named: [ReferencedFiles] = [Place.named], keep: RetentionPolicy? = nil,
    space: DiskReserve = DiskReserve(), keysFit: @escaping KeyCheck = { _, _ in }
  ) throws -> FinishedBackup {
    try Backups(in: directory, space: space).make(
      of: data, migrations: Self.migrations.map(\.name), named: named,
      now: Self.moment.adding(seconds: after), keep: keep, keysFit: keysFit)
  }

  func restore(
    _ path: String? = nil, into folder: String? = nil,
    migrations: [Migration] = Place.migrations, steps: [RestoreStep] = [],
    keysFit: @escaping KeyCheck = { _, _ in }
  ) throws -> Restore.Outcome {
    try Restore(
      into: folder.map(DataLayout.init) ?? data, migrations: migrations, steps: steps,
      keysFit: keysFit
    ).run(from: path ?? directory, now: Self.moment.adding(seconds: 3600))
  }

  func text(_ path: String, in folder: String? = nil) -> String? {
    try? String(contentsOfFile: "\(folder ?? data.folder)/\(path)", encoding: .utf8)
  }

  func names(_ folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }

  func pictures(in folder: String? = nil) throws -> [String] {
    try Database.inspect("\(folder ?? data.folder)/pairspot.sqlite") {
      try $0.values("SELECT path FROM pictures ORDER BY path", as: String.self)
    }
  }

  func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }
}

/// The thrown error as shown to the operator.
func errorMessage(_ body: () throws -> Void) -> String? {
  do {
    try body()
    return nil
  } catch {
    return "\(error)"
  }
}
