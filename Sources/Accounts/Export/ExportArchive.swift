import Archive
import Core
import Database
import Foundation

/// Writes an export: the JSON and pictures of all participants in one ZIP file, in chunks.
struct ExportArchive {
  /// The progress after which it is reported, in per cent.
  private static let step = 5

  /// The export is no longer wanted: the user deleted the account.
  struct Cancelled: Error {}

  private let database: Database
  private let mediaFolder: String
  private let participants: @Sendable () -> [any AccountParticipant]

  init(_ services: AccountsEnvironment) {
    database = services.site.database
    mediaFolder = services.mediaFolder
    participants = services.participants
  }

  /// Writes the archive; returns its length in bytes. Calls `isWanted` with the progress in per
  /// cent from time to time, and throws `Cancelled` once that is false. Removes the file after an
  /// error: on a full disk a part of it takes space that all others need.
  func write(
    _ person: ID<Person>, to path: String, now: Instant, isWanted: (Int) throws -> Bool
  ) throws -> UInt64 {
    let (files, media) = try database.read { reader in
      let all = participants()
      return (
        try all.flatMap { try $0.export(person, from: reader) },
        try all.flatMap { try $0.exportedMedia(of: person, from: reader) }
      )
    }
    do {
      return try write(files, media, to: path, now: now, isWanted: isWanted)
    } catch {
      try? FileManager.default.removeItem(atPath: path)
      throw error
    }
  }

  private func write(
    _ files: [ExportedFile], _ media: [ExportedMedia], to path: String, now: Instant,
    isWanted: (Int) throws -> Bool
  ) throws -> UInt64 {
    let archive = try ZipWriter(path: path, moment: now)
    var missing: [String] = []
    for (count, file) in files.enumerated() {
      let bytes = try database.read { try file.bytes(in: $0) }
      if let bytes {
        try archive.add(file.name, bytes: bytes, packing: file.isLater)
      } else {
        missing.append(file.name)
      }
      // Checks from time to time whether the export is still wanted.
      guard try count % 200 != 199 || isWanted(0) else { throw Cancelled() }
    }
    let paths = media.map { "\(mediaFolder)/\($0.path)" }
    let total = max(1, paths.reduce(0) { $0 + Self.length(of: $1) })
    var (done, percentReported) = (0, 0)
    for (picture, path) in zip(media, paths) {
      do {
        try archive.add(picture.name, file: path) { count in
          done += count
          let percent = min(99, done * 100 / total)
          guard percent >= percentReported + Self.step else { return }
          percentReported = percent
          guard try isWanted(percent) else { throw Cancelled() }
        }
      } catch ZipError.missing {
        // Deleted since it was listed; the archive names it as missing.
        missing.append(picture.name)
      }
    }
    if !missing.isEmpty {
      try archive.add("missing.txt", bytes: Array(missing.joined(separator: "\n").utf8))
    }
    return try archive.finish()
  }

  private static func length(of path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? Int) ?? 0
  }
}
