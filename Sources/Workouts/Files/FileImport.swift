import Core
import Database
import Foundation
import Web
import WorkoutFiles

/// The result of one file of an import.
struct ImportedFile {
  /// The result of one workout in the file.
  enum Entry {
    case stored(Workout)
    /// It already existed.
    case duplicate(Workout)
    /// The rule that the workout violates.
    case refused(WorkoutIssue)
  }

  /// Why the file as a whole was refused.
  enum Rejection: Equatable {
    case file(WorkoutFileError)
    case empty
    /// The time limit of the form was reached before this file.
    case noTime
  }

  /// The file name sent by the browser.
  let name: String
  var entries: [Entry] = []
  var rejection: Rejection?

  init(name: String) {
    self.name = name
  }

  /// Whether the file or any of its workouts was refused.
  var isRefused: Bool {
    rejection != nil || entries.contains { if case .refused = $0 { true } else { false } }
  }
}

/// Imports workouts from files; each file and each workout is judged separately
/// (docs/developer/workout-files.md#import-and-export).
struct FileImport {
  /// How long one form may occupy a thread; the files after that are not read.
  static let timeout: Duration = .seconds(20)

  let database: Database
  let service: WorkoutService

  /// Imports the files in their order.
  func take(
    _ files: [UploadedFile], of person: ID<Person>, zone: TimeZone, now: Instant
  ) throws -> [ImportedFile] {
    let begin = ContinuousClock.now
    return try files.map { file in
      var imported = ImportedFile(name: file.fileName)
      if file.tooLarge {
        imported.rejection = .file(.tooLarge)
      } else if file.bytes == 0 {
        imported.rejection = .empty
      } else if ContinuousClock.now - begin > Self.timeout {
        imported.rejection = .noTime
      } else {
        try read(file, into: &imported, of: person, zone: zone, now: now)
      }
      return imported
    }
  }

  private func read(
    _ file: UploadedFile, into imported: inout ImportedFile, of person: ID<Person>,
    zone: TimeZone, now: Instant
  ) throws {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: file.path)))
    let drafts: [WorkoutDraft]
    do throws(WorkoutFileError) {
      drafts = try WorkoutImport.drafts(bytes, zone: zone)
    } catch {
      imported.rejection = .file(error)
      return
    }
    var place = 0
    while place < drafts.count {
      let batch = Array(drafts[place..<min(place + WorkoutService.maximumBatchSize, drafts.count)])
      let outcome = try service.upload(batch, of: person, now: now)
      imported.entries += try entries(batch, outcome, of: person)
      place += batch.count
    }
  }

  /// The result of each workout of a batch, in order.
  private func entries(
    _ batch: [WorkoutDraft], _ outcome: UploadOutcome, of person: ID<Person>
  ) throws -> [ImportedFile.Entry] {
    let failed = Dictionary(
      outcome.failed.map { ($0.index, $0) }, uniquingKeysWith: { first, _ in first })
    var stored = outcome.stored.makeIterator()
    return try database.read { reader in
      try batch.indices.compactMap { index in
        if let failure = failed[index]?.failures.first { return .refused(failure) }
        let known = outcome.duplicateIDs[index]
        guard let id = known ?? stored.next(),
          let workout = try service.workouts.find(id, of: person, in: reader)
        else { return nil }
        return known == nil ? .stored(workout) : .duplicate(workout)
      }
    }
  }
}
