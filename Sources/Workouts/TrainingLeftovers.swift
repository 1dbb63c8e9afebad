import Basics
import Database
import Foundation

/// Files of trainings that no row speaks of: left by a crash between the disk and the database.
struct TrainingLeftovers: Sendable {
  /// A file is put down moments before its row says so; this much younger is not judged yet, in s.
  static let grace: TimeInterval = 3_600

  let files: TrainingFiles

  /// Their paths below the media folder; a folder of a training that is gone counts as one.
  /// Files' ages are told by the disk's clock, which is the machine's and no other.
  func find(in reader: Reader, at moment: Date = Date()) throws -> [String] {
    let rows = try TrainingStore.files(in: reader)
    return Self.entries(files.mediaFolder, TrainingFiles.root).flatMap { folder -> [String] in
      guard let id = ID<Training>(folder.split(separator: "/").last ?? ""), let known = rows[id]
      else { return isOld(folder, moment) ? [folder] : [] }
      return Self.entries(files.mediaFolder, folder).filter { file in
        !known.contains(file.split(separator: "/").last.map(String.init) ?? "")
          && isOld(file, moment)
      }
    }
  }

  /// Removes what `find` found; one that can't be removed doesn't keep the others, and is thrown
  /// about at the end.
  func remove(in reader: Reader, at moment: Date = Date()) throws {
    var failure: (any Error)?
    for path in try find(in: reader, at: moment) {
      do {
        try FileManager.default.removeItem(atPath: "\(files.mediaFolder)/\(path)")
      } catch CocoaError.fileNoSuchFile {
        // Gone already, with its folder or by somebody who was quicker.
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  func checks() -> [DoctorCheck] {
    [
      DoctorCheck(
        "every file of a training has its row",
        find: { try find(in: $0).map { "\($0) belongs to nothing" } },
        repairInSteps: { try $0.read { try remove(in: $0) } })
    ]
  }

  private static func entries(_ mediaFolder: String, _ folder: String) -> [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: "\(mediaFolder)/\(folder)")
    return (names ?? []).sorted().map { "\(folder)/\($0)" }
  }

  private func isOld(_ path: String, _ moment: Date) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(
      atPath: "\(files.mediaFolder)/\(path)")
    guard let changed = attributes?[.modificationDate] as? Date else { return false }
    return moment.timeIntervalSince(changed) > Self.grace
  }
}
