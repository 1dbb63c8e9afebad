import Core
import Foundation
import Templates
import Web
import WorkoutFiles

/// `/workouts/import`: imports several files of other programs at once. The response shows the
/// result of each file; a single new workout is opened directly.
struct ImportPage {
  /// 30 MB per file, the limit of the readers, and 120 MB in total.
  static let limits = MultipartLimits(
    files: 40, fileBytes: WorkoutFile.largest, allFilesBytes: 120 << 20)
  /// Larger than the limit of all files, so that an error message can be shown; equal to nginx's
  /// limit.
  static let bodyLimit = 256 << 20

  private let files: FileImport
  private let concurrency: FileConcurrencyLimit
  private let page: Page<ImportView>

  init(site: AppEnvironment, service: WorkoutService, concurrency: FileConcurrencyLimit) throws {
    files = FileImport(database: site.database, service: service)
    self.concurrency = concurrency
    page = try Page("workouts/import", title: "workout_import.title", in: site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    respond([], nil, context)
  }

  @Sendable func take(_ context: Context) throws -> Response {
    let person = try context.signedIn().id
    let form = context.form
    if form.filesAreTooLargeTogether {
      return respond([], FieldError("workout_import.error_total_size"), context)
    }
    if form.hasTooManyFiles { return respond([], FieldError("workout_import.error_many"), context) }
    let sent = form.files.filter {
      $0.fieldName == "file" && !($0.bytes == 0 && $0.fileName.isEmpty)
    }
    if sent.isEmpty { return respond([], FieldError("workout_import.error_none"), context) }
    try files.service.countUpload(of: person, now: context.now)
    let taken = try concurrency.take {
      try files.take(sent, of: person, zone: context.timeZone, now: context.now)
    }
    if taken.count == 1, taken[0].entries.count == 1,
      case .stored(let workout) = taken[0].entries[0]
    {
      context.flash("toast.workout_imported")
      return .seeOther(WorkoutFileLinks.one(workout.id))
    }
    return respond(taken, nil, context)
  }

  private func respond(
    _ files: [ImportedFile], _ error: FieldError?, _ context: Context
  ) -> Response {
    let view = ImportView(
      files: files.map { ImportedFileView($0, context) },
      counts: ImportCounts(files), context: context, error: error?.text(context))
    let isGood = error == nil && !files.contains { $0.isRefused }
    return page.response(view, context, status: isGood ? .ok : .unprocessableContent)
  }
}

/// The numbers of imported, duplicate and refused workouts.
struct ImportCounts {
  private(set) var stored = 0
  private(set) var duplicates = 0
  private(set) var refused = 0

  init(_ files: [ImportedFile]) {
    for file in files {
      if file.rejection != nil { refused += 1 }
      for entry in file.entries {
        switch entry {
        case .stored: stored += 1
        case .duplicate: duplicates += 1
        case .refused: refused += 1
        }
      }
    }
  }
}

/// The form, and below it the results of the previous files.
struct ImportView: View {
  let files: [ImportedFileView]
  let stored: String?
  let duplicates: String?
  let refused: String?
  let error: String?

  init(
    files: [ImportedFileView], counts: ImportCounts, context: Context,
    error: String?
  ) {
    self.files = files
    self.error = error
    func line(_ key: String, _ count: Int) -> String? {
      count > 0 ? context.text(key, count: count) : nil
    }
    stored = line("workout_import.count_stored", counts.stored)
    duplicates = line("workout_import.count_duplicates", counts.duplicates)
    refused = line("workout_import.count_refused", counts.refused)
  }

  static let fields: [String: Field<ImportView>] = [
    "action": .text { _ in WorkoutFileLinks.import },
    "all_link": .text { _ in WorkoutFileLinks.root },
    "add_link": .text { _ in WorkoutFileLinks.add },
    "archive_link": .text { _ in WorkoutFileLinks.archive },
    "has_files": .flag { !$0.files.isEmpty },
    "files": .list { $0.files },
    "stored": .optionalText { $0.stored },
    "duplicates": .optionalText { $0.duplicates },
    "refused": .optionalText { $0.refused },
    "file_error": .optionalText { $0.error },
    "errors": .optional { ErrorsView($0.error.map { ["file": $0] } ?? [:], order: ["file"]) },
  ]
}

/// One file and the result of each of its workouts.
struct ImportedFileView: View {
  let name: String
  let rejection: String?
  let entries: [ImportEntryView]

  init(_ file: ImportedFile, _ context: Context) {
    name = file.name.isEmpty ? context.text("workout_import.unnamed") : file.name
    rejection = file.rejection.map { ImportErrorFormatter.rejection($0, context) }
    entries = file.entries.enumerated().map {
      ImportEntryView($0.element, number: $0.offset + 1, context)
    }
  }

  static let fields: [String: Field<ImportedFileView>] = [
    "name": .text { $0.name },
    "refusal": .optionalText { $0.rejection },
    "entries": .list { $0.entries },
    "has_entries": .flag { !$0.entries.isEmpty },
  ]
}

/// One workout of a file.
struct ImportEntryView: View {
  let title: String
  let link: String?
  let state: String
  let text: String

  init(_ entry: ImportedFile.Entry, number: Int, _ context: Context) {
    switch entry {
    case .stored(let workout):
      (title, link) = (Self.title(workout, context), WorkoutFileLinks.one(workout.id))
      (state, text) = ("stored", context.text("workout_import.stored"))
    case .duplicate(let workout):
      (title, link) = (Self.title(workout, context), WorkoutFileLinks.one(workout.id))
      (state, text) = ("duplicate", context.text("workout_import.duplicate"))
    case .refused(let failure):
      title = context.text("workout_import.number", ["number": String(number)])
      link = nil
      (state, text) = ("refused", ImportErrorFormatter.failure(failure, context))
    }
  }

  private static func title(_ workout: Workout, _ context: Context) -> String {
    DateFormatting(context).moment(workout.content.startedAt)
  }

  static let fields: [String: Field<ImportEntryView>] = [
    "title": .text { $0.title },
    "link": .optionalText { $0.link },
    "state": .text { $0.state },
    "refused": .flag { $0.state == "refused" },
    "words": .text { $0.text },
  ]
}

/// The messages for files and workouts that are refused.
enum ImportErrorFormatter {
  static func rejection(_ rejection: ImportedFile.Rejection, _ context: Context) -> String {
    switch rejection {
    case .empty: context.text("workout_import.file_empty")
    case .noTime: context.text("workout_import.file_timeout")
    case .file(.tooLarge): context.text("workout_import.file_large")
    case .file(.unknownFormat): context.text("workout_import.file_format")
    case .file(.broken): context.text("workout_import.file_broken")
    case .file(.noWorkout): context.text("workout_import.file_no_workout")
    case .file(.noStart): context.text("workout_import.file_no_start")
    case .file(.tooLong): context.text("workout_import.file_long")
    case .file(.tooMuch): context.text("workout_import.file_too_big")
    }
  }

  static func failure(_ failure: WorkoutIssue, _ context: Context) -> String {
    switch (failure.field, failure.code) {
    case (.startedAt, .inFuture): context.text("workout_import.failed_future")
    case (.startedAt, .tooOld): context.text("workout_import.failed_old")
    case (.duration, _), (.paused, _), (.endedAt, _):
      context.text("workout_import.failed_duration")
    case (.energy, _): context.text("workout_import.failed_energy")
    case (.distance, _), (.distances, _): context.text("workout_import.failed_distance")
    case (.averageHeartRate, _), (.maximumHeartRate, _), (.heartRate, _):
      context.text("workout_import.failed_heart")
    case (.averagePower, _), (.maximumPower, _), (.power, _):
      context.text("workout_import.failed_power")
    case (.averageCadence, _), (.maximumCadence, _), (.cadence, _):
      context.text("workout_import.failed_cadence")
    case (.averageSpeed, _), (.maximumSpeed, _), (.speed, _):
      context.text("workout_import.failed_speed")
    default: context.text("workout_import.failed_other")
    }
  }
}
