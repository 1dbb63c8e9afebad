import Archive
import Core
import Database
import Foundation
import Jobs
import Web

/// Builds an export: the JSON and pictures of all participants in one ZIP file, written in chunks.
struct ExportJob {
  static let jobKind = "accounts.export"
  static func jobKey(_ id: ID<PersonalExport>) -> String { "export:\(id)" }
  /// The number of attempts before the user is notified of the failure.
  private static let attempts = 3
  /// The progress after which the page is updated, in per cent.
  private static let step = 5

  /// The export is no longer wanted: the user deleted the account.
  private struct Cancelled: Error {}

  private let site: AppEnvironment
  private let store: ExportStore
  private let removals: FileDeletionQueue
  private let participants: @Sendable () -> [any AccountParticipant]

  init(_ services: AccountsEnvironment) {
    site = services.site
    store = services.exports
    removals = services.accountDeletion.removals
    participants = services.participants
  }

  /// Runs the job for one export.
  func run(_ job: Job, now: Instant) throws -> JobOutcome {
    guard let id = ID<PersonalExport>(job.payload),
      let person = try store.person(waitingFor: id)
    else { return .done }
    do {
      try make(id, of: person, now: now)
    } catch is Cancelled {
      // Except when another worker finished it, because this one took longer than its lease.
      if try !store.isReady(id) { try abandon(id, nil) }
    } catch {
      if job.attempts < Self.attempts { throw error }
      site.logger.error("export: \(error)")
      try abandon(id, .failed)
    }
    return .done
  }

  private func abandon(_ id: ID<PersonalExport>, _ state: PersonalExport.State?) throws {
    try site.database.write { writer in
      if let state { try store.fail(id, state, in: writer) }
      try removals.add([ExportStore.folder(id)], in: writer)
    }
    try removals.run()
  }

  private func make(_ id: ID<PersonalExport>, of person: ID<Person>, now: Instant) throws {
    let (files, media) = try site.database.read { reader in
      let all = participants()
      return (
        try all.flatMap { try $0.export(person, from: reader) },
        try all.flatMap { try $0.exportedMedia(of: person, from: reader) }
      )
    }
    let folder = "\(removals.mediaFolder)/\(ExportStore.folder(id))"
    // An interrupted attempt may have left a file.
    try? FileManager.default.removeItem(atPath: folder)
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let unfinished = "\(folder)/\(UUID()).part"
    let length: UInt64
    do {
      length = try write(files, media, to: unfinished, id, now: now)
      try FileManager.default.moveItem(
        atPath: unfinished, toPath: "\(removals.mediaFolder)/\(ExportStore.file(id))")
    } catch {
      // A partial file on a full disk takes space that all others need. Only its own file is
      // removed: another worker may use the folder by now.
      try? FileManager.default.removeItem(atPath: unfinished)
      throw error
    }
    guard try store.finish(id, bytes: length, now: now) else { throw Cancelled() }
  }

  private func write(
    _ files: [ExportedFile], _ media: [ExportedMedia], to path: String, _ id: ID<PersonalExport>,
    now: Instant
  ) throws -> UInt64 {
    let archive = try ZipWriter(path: path, moment: now)
    var missing: [String] = []
    for (count, file) in files.enumerated() {
      let bytes = try site.database.read { try file.bytes(in: $0) }
      if let bytes {
        try archive.add(file.name, bytes: bytes, packing: file.isLater)
      } else {
        missing.append(file.name)
      }
      // Checks from time to time whether the export is still wanted.
      guard try count % 200 != 199 || store.setProgress(0, of: id) else { throw Cancelled() }
    }
    let paths = media.map { "\(removals.mediaFolder)/\($0.path)" }
    let total = max(1, paths.reduce(0) { $0 + Self.length(of: $1) })
    var (done, percentReported) = (0, 0)
    for (picture, path) in zip(media, paths) {
      do {
        try archive.add(picture.name, file: path) { count in
          done += count
          let percent = min(99, done * 100 / total)
          guard percent >= percentReported + Self.step else { return }
          percentReported = percent
          guard try store.setProgress(percent, of: id) else { throw Cancelled() }
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
