import Core
import HTTPTypes
import Web
import WorkoutFiles

/// `/workouts/{id}.tcx` and `.csv`: one of the user's workouts as a file.
struct WorkoutDownloads {
  let site: AppEnvironment
  let service: WorkoutService

  @Sendable func sendTCX(_ context: Context) throws -> Response {
    try send(context, "tcx", "application/vnd.garmin.tcx+xml", TCXWriter.bytes)
  }

  @Sendable func sendCSV(_ context: Context) throws -> Response {
    try send(context, "csv", "text/csv; charset=utf-8", CSVWriter.bytes)
  }

  private func send(
    _ context: Context, _ ending: String, _ type: String,
    _ write: (WorkoutRecording) -> [UInt8]
  ) throws -> Response {
    let id: ID<Workout> = try context.id()
    let person = try context.signedIn().id
    let found = try site.database.read { reader -> WorkoutRecording? in
      guard let workout = try service.workouts.find(id, of: person, in: reader) else { return nil }
      let samples = try service.workouts.samples(of: id, person, in: reader)
      return WorkoutRecording(workout.content, samples: samples ?? RecordedSamples())
    }
    guard let found else { throw Problem.notFound }
    let name = WorkoutFileName.text(found.startedAt, in: context.timeZone)
    return Response(
      .ok,
      headers: [
        .contentType: type,
        .contentDisposition: "attachment; filename=\"pairspot-\(name).\(ending)\"",
      ], body: write(found))
  }
}
