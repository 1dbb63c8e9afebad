import Archive
import Core
import Database
import Foundation
import Media

/// Writes an export: the JSON and pictures of all participants in one ZIP file, in chunks.
struct ExportArchive {
  /// The progress after which it is reported, in per cent.
  private static let step = 5

  /// The export is no longer wanted: the user deleted the account.
  struct Cancelled: Error {}

  private struct Progress {
    /// The bytes of all pictures, at least 1.
    let total: Int
    private var done = 0
    private var reported = 0

    init(total: Int) {
      self.total = max(1, total)
    }

    /// Counts bytes; returns the progress in per cent if it is to be reported.
    mutating func add(_ count: Int) -> Int? {
      done += count
      let percent = min(99, done * 100 / total)
      guard percent >= reported + ExportArchive.step else { return nil }
      reported = percent
      return percent
    }
  }

  private let database: Database
  private let media: any MediaStore
  private let participants: @Sendable () -> [any AccountParticipant]

  init(_ services: AccountsEnvironment) {
    database = services.site.database
    media = services.media
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
      if let pieces = file.pieces {
        try database.read { reader in
          var length = 0
          try pieces(reader) { length += $0.count }
          try archive.add(file.name, length: length) { try pieces(reader, $0) }
        }
      } else if let bytes = try database.read({ try file.bytes(in: $0) }) {
        try archive.add(file.name, bytes: bytes, packing: file.isLater)
      } else {
        missing.append(file.name)
      }
      // Checks from time to time whether the export is still wanted.
      guard try count % 200 != 199 || isWanted(0) else { throw Cancelled() }
    }
    let sizes = try media.map { try self.media.size(of: $0.path) ?? 0 }
    var progress = Progress(total: sizes.reduce(0, +))
    func report(_ count: Int) throws {
      if let percent = progress.add(count), try !isWanted(percent) { throw Cancelled() }
    }
    for picture in media {
      do {
        let isThere = try add(picture, to: archive) { try report($0) }
        if !isThere { missing.append(picture.name) }
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

  /// Adds a file; returns false if it is gone.
  private func add(
    _ picture: ExportedMedia, to archive: ZipWriter, _ report: (Int) throws -> Void
  ) throws -> Bool {
    if let content = picture.content {
      guard let bytes = try content() else { return false }
      try archive.add(picture.name, bytes: bytes)
      try report(bytes.count)
      return true
    }
    return try media.read(picture.path) {
      try archive.add(picture.name, file: $0, progress: report)
    } != nil
  }
}
