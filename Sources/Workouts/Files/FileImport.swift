import Core
import Database
import Foundation
import Web
import WorkoutFiles

/// What became of one file of an import.
struct ImportedFile {
  /// One workout of it.
  enum Entry {
    case stored(Workout)
    /// It was there before.
    case duplicate(Workout)
    /// What the rules say is wrong with it.
    case refused(WorkoutIssue)
  }

  /// Why the file as a whole isn't taken.
  enum Rejection: Equatable {
    case file(WorkoutFileError)
    case empty
    /// The form took its time before it came to this one.
    case noTime
  }

  /// As the browser calls it.
  let name: String
  var entries: [Entry] = []
  var refusal: Rejection?

  init(name: String) {
    self.name = name
  }

  /// Whether anything in it wasn't taken.
  var isRefused: Bool {
    refusal != nil || entries.contains { if case .refused = $0 { true } else { false } }
  }
}

/// Takes workouts out of files, each file and each workout judged by itself
/// (docs/developer/workout-files.md#import-and-export).
struct FileImport {
  /// How long one form may keep a thread; files behind that aren't looked at.
  static let timeout: Duration = .seconds(20)

  let database: Database
  let service: WorkoutService

  /// Takes the files in their order.
  func take(
    _ files: [UploadedFile], of person: ID<Person>, zone: TimeZone, now: Instant
  ) throws -> [ImportedFile] {
    let begin = ContinuousClock.now
    return try files.map { file in
      var imported = ImportedFile(name: file.fileName)
      if file.tooLarge {
        imported.refusal = .file(.tooLarge)
      } else if file.bytes == 0 {
        imported.refusal = .empty
      } else if ContinuousClock.now - begin > Self.timeout {
        imported.refusal = .noTime
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
      imported.refusal = .file(error)
      return
    }
    var place = 0
    while place < drafts.count {
      let batch = Array(drafts[place..<min(place + WorkoutService.mostInBatch, drafts.count)])
      let outcome = try service.upload(batch, of: person, now: now)
      imported.entries += try entries(batch, outcome, of: person)
      place += batch.count
    }
  }

  /// What became of each workout of a batch, in their order.
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
