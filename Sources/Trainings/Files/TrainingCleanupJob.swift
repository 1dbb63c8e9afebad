import Core
import Database
import Foundation
import Jobs

/// Removes files of trainings without a row, left by a crash between the disk and the database.
struct TrainingCleanupJob: Sendable {
  static let job = "trainings.remove-leftovers"

  let files: TrainingFiles

  /// Removes them once they can no longer be needed (`OrphanFileCollector`), and folders of deleted
  /// trainings. A failure doesn't stop the others and is thrown at the end. Ages are measured by
  /// the system clock, as file times are.
  func remove(_ database: Database, now: Instant = Instant(date: Date())) throws {
    guard let latest = try OrphanFileCollector(Self.job, database: database).latest(now: now) else {
      return
    }
    var failure: (any Error)?
    for path in try database.read({ try find(in: $0) }) where changed(path, before: latest) {
      do {
        try FileManager.default.removeItem(atPath: "\(files.mediaFolder)/\(path)")
      } catch CocoaError.fileNoSuchFile {
        // Already removed, with its folder or by another process.
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  /// The paths below the media folder; a deleted training's folder counts as one.
  private func find(in reader: ReadTransaction) throws -> [String] {
    let rows = try TrainingStore.files(in: reader)
    return Self.entries(files.mediaFolder, TrainingFiles.root).flatMap { folder -> [String] in
      guard let id = ID<Training>(folder.split(separator: "/").last ?? ""), let known = rows[id]
      else { return [folder] }
      return Self.entries(files.mediaFolder, folder).filter { file in
        !known.contains(file.split(separator: "/").last.map(String.init) ?? "")
      }
    }
  }

  private static func entries(_ mediaFolder: String, _ folder: String) -> [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: "\(mediaFolder)/\(folder)")
    return (names ?? []).sorted().map { "\(folder)/\($0)" }
  }

  private func changed(_ path: String, before moment: Instant) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(
      atPath: "\(files.mediaFolder)/\(path)")
    guard let changed = attributes?[.modificationDate] as? Date else { return false }
    return Instant(date: changed) < moment
  }
}
