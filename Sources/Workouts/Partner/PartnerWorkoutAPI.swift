import Core
import Database
import Web

/// `/api/v1/partner/sessions`: the partner's workouts, if the partner shows them
/// (docs/api/workouts.md).
struct PartnerWorkoutAPI {
  private static let list = "partner-sessions"

  let service: WorkoutService
  let partner: PartnerWorkoutsService

  var routes: [Route] {
    [
      .api(
        .get, "/partner/sessions", .atLeast(.member),
        Operation(
          "List your partner's workouts", .workouts,
          note: "Newest first, without samples. 404 unless your partner lets you see them.",
          errors: [.notFound]),
        handler: all),
      .api(
        .get, "/partner/sessions/:id", .atLeast(.member),
        Operation(
          "Get a workout of your partner with all measurements", .workouts,
          note: "Without the machine's raw data."),
        handler: show),
    ]
  }

  @Sendable private func all(
    _ query: ListQuery, _ context: Context
  ) throws -> PartnerWorkoutListResponse {
    let viewer = try context.signedIn()
    let place = try context.place(of: query.cursor, in: Self.list, Workout.self)
    let page = try service.database.read { reader in
      let owner = try partner.owner(for: viewer, in: reader)
      return try ListPage(limit: query.limit, cursor: PageCursor<Workout>.init) {
        try service.workouts.list(of: owner, after: place, limit: $0, in: reader)
      }
    }
    return PartnerWorkoutListResponse(
      sessions: page.rows.map { WorkoutResponse($0) },
      nextCursor: context.nextCursor(page, in: Self.list))
  }

  @Sendable private func show(_ context: Context) throws -> WorkoutResponse {
    let id: ID<Workout> = try context.id()
    return try service.database.read { reader in
      let seen = try partner.find(id, for: context.signedIn(), in: reader)
      return WorkoutResponse(
        seen.workout, samples: try service.workouts.samples(of: id, seen.owner, in: reader))
    }
  }
}

/// A page of the partner's workouts.
struct PartnerWorkoutListResponse: JSONResponse {
  let sessions: [WorkoutResponse]
  let nextCursor: String?

  static let jsonName = "PartnerWorkoutList"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("sessions") { $0.sessions },
    JSONField("next_cursor", note: "Null on the last page.") { $0.nextCursor },
  ]
}
