import Core
import Database
import Foundation
import Jobs
import Media
import Web

/// Builds a requested export in the background, and stores its progress.
struct ExportJob {
  static let jobKind = "accounts.export"
  static func jobKey(_ id: ID<PersonalExport>) -> String { "export:\(id)" }
  /// The number of attempts before the user is notified of the failure.
  private static let attempts = 3

  private let site: AppEnvironment
  private let store: ExportStore
  private let removals: FileDeletionQueue
  private let archive: ExportArchive
  private let media: any MediaStore
  private let notifyReady: @Sendable (ID<Person>, Instant, WriteTransaction) throws -> Void

  init(_ services: AccountsEnvironment) {
    site = services.site
    store = services.exports
    removals = services.accountDeletion.removals
    archive = ExportArchive(services)
    media = services.media
    notifyReady = services.notifyExportReady
  }

  /// Runs the job for one export.
  func run(_ job: Job, now: Instant) throws -> JobOutcome {
    guard let id = ID<PersonalExport>(job.payload),
      let person = try store.person(waitingFor: id)
    else { return .done }
    do {
      try make(id, of: person, now: now)
    } catch is ExportArchive.Cancelled {
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
    let folder = ExportStore.folder(id)
    // An interrupted attempt may have left a file.
    try media.deleteAll(at: folder)
    let length = try media.write(into: folder) { path -> UInt64 in
      // Only its own file is removed after an error: another worker may use the folder by now.
      let unfinished = "\(path)/.\(UUID()).part"
      let length = try archive.write(person, to: unfinished, now: now) {
        try store.setProgress($0, of: id)
      }
      try FileManager.default.moveItem(
        atPath: unfinished, toPath: "\(path)/\(ExportStore.fileName)")
      return length
    }
    let isReady = try store.finish(id, bytes: length, now: now) {
      try notifyReady(person, now, $0)
    }
    guard isReady else { throw ExportArchive.Cancelled() }
  }
}
