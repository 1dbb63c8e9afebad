import Core
import Database
import Foundation
import Web
import WorkoutFiles

/// `/api/v1/sessions`: workouts for apps and for scripts of the pages (docs/api/workouts.md). Any
/// signed-in user may upload from any device, bound or not: data on a released device must never be
/// stuck there (docs/developer/workouts.md#binding).
struct WorkoutAPI {
  private static let list = "sessions"
  /// The limit of a batch, in bytes.
  private static let bodyLimit = 8 << 20

  private let service: WorkoutService
  private let database: Database

  init(service: WorkoutService, site: AppEnvironment) {
    self.service = service
    database = site.database
  }

  var routes: [Route] {
    [
      .api(
        .post, "/sessions/batch_upload", .atLeast(.guest),
        Operation(
          "Upload workouts", .workouts,
          note: """
            At most \(WorkoutService.maximumBatchSize) workouts and 8 MiB, oldest first. Each workout \
            is processed separately: stored, duplicate (counted, not an error), or failed with a \
            reason. Accepted from any signed-in user, whichever device is bound.
            """,
          errors: [.batchTooLarge]),
        options: .idempotent, bodyLimit: Self.bodyLimit, handler: upload),
      .api(
        .post, "/sessions", .atLeast(.guest),
        Operation(
          "Upload one workout", .workouts,
          note:
            "400 `duplicate_session` if a workout with this `client_session_id` already exists.",
          errors: [.duplicateSession]),
        options: .idempotent, bodyLimit: Self.bodyLimit, handler: add),
      .api(
        .get, "/sessions", .atLeast(.guest),
        Operation(
          "List your workouts", .workouts,
          note: "Newest first, without samples and `raw`; get a single workout for those."),
        handler: all),
      .api(
        .get, "/sessions/:id", .atLeast(.guest),
        Operation("Get a workout with all measurements", .workouts), handler: show),
      .api(
        .patch, "/sessions/:id", .atLeast(.guest),
        Operation(
          "Describe a workout", .workouts, note: "Omitted fields stay unchanged."),
        handler: change),
      .api(
        .delete, "/sessions/:id", .atLeast(.guest),
        Operation(
          "Delete a workout", .workouts,
          note: """
            Its values are subtracted from the statistics. It can be restored for 30 days \
            (`POST /sessions/{id}/restore`).
            """),
        handler: delete),
    ]
  }

  // MARK: Uploading

  @Sendable private func upload(_ batch: WorkoutBatch, _ context: Context) throws -> UploadResponse
  {
    let viewer = try context.signedIn()
    try service.countUpload(of: viewer.id, now: context.now)
    do {
      return try context.answering(
        {
          try service.upload(batch.sessions.workouts.map(\.draft), of: viewer.id, now: context.now)
        }, { record(of: $0, batch, context) })
    } catch WorkoutService.Rejection.tooLarge {
      throw Problem(.batchTooLarge)
    } catch WorkoutService.Rejection.empty {
      throw Problem.invalid(["sessions": FieldError("api.workout.none")])
    }
  }

  private func record(
    of outcome: UploadOutcome, _ batch: WorkoutBatch, _ context: Context
  ) -> UploadResponse {
    UploadResponse(
      stored: outcome.successes, duplicates: outcome.duplicates,
      failed: outcome.failed.map { failed in
        UploadResponse.Failed(
          session: batch.sessions.workouts[failed.index].name ?? "\(failed.index)",
          message: WorkoutIssueFormatter.message(failed.failures, context))
      },
      statistics: outcome.statistics)
  }

  @Sendable private func add(
    _ draft: WorkoutDraft, _ context: Context
  ) throws -> Created<WorkoutResponse> {
    let viewer = try context.signedIn()
    try service.countUpload(of: viewer.id, now: context.now)
    let id = try context.making(
      { try added(draft, of: viewer, context) },
      name: { (outcome: UploadOutcome) in outcome.stored.first?.description },
      read: { ID<Workout>($0) })
    return Created(try record(id, of: viewer))
  }

  private func added(
    _ draft: WorkoutDraft, of viewer: Viewer, _ context: Context
  ) throws -> ID<Workout> {
    let outcome = try service.upload([draft], of: viewer.id, now: context.now)
    if let failed = outcome.failed.first {
      throw Problem.invalid(WorkoutIssueFormatter.errors(failed.failures))
    }
    guard let id = outcome.stored.first else { throw Problem(.duplicateSession) }
    return id
  }

  // MARK: Reading

  @Sendable private func all(_ query: WorkoutQuery, _ context: Context) throws
    -> WorkoutListResponse
  {
    let viewer = try context.signedIn()
    let place = try context.place(of: query.cursor, in: Self.list, Workout.self)
    let (page, epoch) = try database.read { reader in
      let page = try ListPage(limit: query.limit, cursor: PageCursor<Workout>.init) {
        try service.workouts.list(
          of: viewer.id, after: place, since: query.since,
          from: query.from?.instant(minute: 0, in: context.timeZone),
          until: query.to?.adding(days: 1).instant(minute: 0, in: context.timeZone),
          limit: $0, in: reader)
      }
      return (page, try RestoreGeneration.current(in: reader))
    }
    return WorkoutListResponse(
      sessions: page.rows.map { WorkoutResponse($0) },
      nextCursor: context.nextCursor(page, in: Self.list), epoch: epoch)
  }

  @Sendable private func show(_ context: Context) throws -> WorkoutResponse {
    try record(context.id(), of: context.signedIn())
  }

  @Sendable private func change(
    _ input: WorkoutChangeRequest, _ context: Context
  ) throws -> WorkoutResponse {
    let viewer = try context.signedIn()
    let id: ID<Workout> = try context.id()
    let before = try record(id, of: viewer).workout
    let description = WorkoutDescription(
      title: input.title?.asOneLine ?? before.title,
      note: input.note?.asParagraphs ?? before.note,
      machine: input.machine ?? before.content.machine)
    let errors = description.errors
    guard errors.isEmpty else { throw Problem.invalid(errors) }
    guard try service.describe(id, as: description, of: viewer.id) else {
      throw Problem.notFound
    }
    return try record(id, of: viewer)
  }

  @Sendable private func delete(_ context: Context) throws -> NoContent {
    let person = try context.signedIn().id
    guard try service.remove(context.id(), of: person, now: context.now) else {
      throw Problem.notFound
    }
    return NoContent()
  }

  /// Throws 404 if there is none, and for another user's workout.
  private func record(_ id: ID<Workout>, of viewer: Viewer) throws -> WorkoutResponse {
    try database.read { reader in
      let store = service.workouts
      guard let workout = try store.find(id, of: viewer.id, in: reader) else {
        throw Problem.notFound
      }
      return WorkoutResponse(
        workout, samples: try store.samples(of: id, viewer.id, in: reader),
        raw: try store.raw(of: id, viewer.id, in: reader))
    }
  }
}

/// A change of a workout's words or machine.
struct WorkoutChangeRequest: JSONRequest {
  var title: String?
  var note: String?
  var machine: Machine?

  static let jsonName = "WorkoutChange"
  static let jsonFields: [InputField<Self>] = [
    .optional(
      "title",
      note: "Up to \(WorkoutDescription.titleLimits.characters) characters; empty for none.",
      example: "Hill repeats"
    ) { $0.title = $1 },
    .optional(
      "note", note: "Up to \(WorkoutDescription.noteLimits.characters) characters.",
      example: "Legs were heavy."
    ) { $0.note = $1 },
    .optional("device_type") { $0.machine = $1 },
  ]
}

/// The parameters of a list of workouts.
struct WorkoutQuery: ListRequest {
  var limit = 50
  var cursor: String?
  var since: Instant?
  var from: LocalDay?
  var to: LocalDay?

  static let jsonFields =
    listFields(maximum: WorkoutStore.maximumPageSize) + [
      .optional("since", note: "Only workouts received at or after this time (`received_at`).") {
        $0.since = $1
      },
      .optional("from", note: "The first day, in your time zone.") { $0.from = $1 },
      .optional("to", note: "The last day, inclusive.") { $0.to = $1 },
    ]
}

/// A batch of workouts.
struct WorkoutBatch: JSONRequest {
  var sessions = WorkoutBatchItems(workouts: [])

  static let jsonName = "WorkoutBatch"
  static let jsonFields: [InputField<Self>] = [
    .required(
      "sessions",
      bounds: ["minItems": 1, "maxItems": .integer(Int64(WorkoutService.maximumBatchSize))]
    ) { $0.sessions = $1 }
  ]
}

/// The workouts of a batch, read no further than one beyond the limit: a list of millions is
/// refused for its length without being parsed.
struct WorkoutBatchItems: JSONDecodable {
  let workouts: [WorkoutBatchItem]

  static var jsonSchema: JSONSchema { [WorkoutBatchItem].jsonSchema }
  static var jsonExample: JSON { [WorkoutBatchItem].jsonExample }

  static func read(
    _ json: JSON, at path: @autoclosure () -> String, _ errors: inout [String: FieldError]
  ) -> WorkoutBatchItems? {
    var json = json
    if let values = json.elements, values.count > WorkoutService.maximumBatchSize {
      json = .list(Array(values.prefix(WorkoutService.maximumBatchSize + 1)))
    }
    return [WorkoutBatchItem].read(json, at: path(), &errors).map(WorkoutBatchItems.init)
  }
}

/// One workout of a batch with the client's name for it, which the response repeats even if it is
/// not a valid identifier.
struct WorkoutBatchItem: JSONDecodable {
  /// In bytes.
  private static let maximumNameLength = 255

  let draft: WorkoutDraft
  let name: String?

  static var jsonSchema: JSONSchema { WorkoutDraft.jsonSchema }
  static var jsonExample: JSON { WorkoutDraft.jsonExample }

  static func read(
    _ json: JSON, at path: @autoclosure () -> String, _ errors: inout [String: FieldError]
  ) -> WorkoutBatchItem? {
    guard let draft = WorkoutDraft.read(json, at: path(), &errors) else { return nil }
    guard case .text(let name)? = json[WorkoutDraft.Field.clientSessionID.rawValue],
      1...maximumNameLength ~= name.utf8.count
    else { return WorkoutBatchItem(draft: draft, name: nil) }
    return WorkoutBatchItem(draft: draft, name: name)
  }
}
