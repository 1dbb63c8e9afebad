import Archive
import Core
import Database
import Foundation
import HTTPTypes
import Jobs
import Web
import WorkoutFiles

/// `/workouts/export.zip`: all workouts of a user, each as TCX and CSV.
///
/// Packed to disk during the request, one workout in memory at a time, and sent by nginx. A user
/// with more data than can be packed in a few seconds is redirected to the account export, which
/// the worker packs and which contains the same files.
struct WorkoutArchive {
  /// The maximum number of workouts packed in a request.
  static let maximumWorkouts: Int64 = 500
  /// The maximum size of all stored samples, in bytes: about a hundred hours.
  static let maximumSampleBytes: Int64 = 4 << 20

  private let site: AppEnvironment
  private let service: WorkoutService
  let archives: DownloadArchives
  private let concurrency: FileConcurrencyLimit

  init(
    site: AppEnvironment, service: WorkoutService, mediaFolder: String,
    concurrency: FileConcurrencyLimit
  ) {
    self.site = site
    self.service = service
    archives = DownloadArchives("workout-exports", mediaFolder: mediaFolder)
    self.concurrency = concurrency
  }

  @Sendable func send(_ context: Context) throws -> Response {
    let person = try context.signedIn().id
    let size = try site.database.read { try service.workouts.size(of: person, in: $0) }
    if size.count > Self.maximumWorkouts || size.sampleBytes > Self.maximumSampleBytes {
      context.flash("toast.workouts_many")
      return .seeOther(WorkoutFileLinks.accountExport)
    }
    let path = try concurrency.take {
      try archives.pack(for: person, at: context.now) {
        try add(workoutsOf: person, to: $0, in: context.timeZone)
      }
    }
    var response = Response.protectedFile(
      path, contentType: "application/zip", cacheControl: MediaCaching.header(forAll: false))
    let day = context.today
    response.headers[.contentDisposition] =
      "attachment; filename=\"pairspot-workouts-\(day).zip\""
    return response
  }

  private func add(workoutsOf person: ID<Person>, to zip: ZipWriter, in zone: TimeZone) throws {
    var names: [String: Int] = [:]
    var cursor: PageCursor<Workout>?
    while true {
      let page = try site.database.read {
        try service.workouts.list(
          of: person, after: cursor, limit: WorkoutStore.maximumPageSize, in: $0)
      }
      for workout in page {
        let samples = try site.database.read {
          try service.workouts.samples(of: workout.id, person, in: $0)
        }
        // Deleted since it was listed.
        guard let samples else { continue }
        let recording = WorkoutRecording(workout.content, samples: samples)
        let plain = WorkoutFileName.text(workout.content.startedAt, in: zone)
        let count = names[plain, default: 0] + 1
        names[plain] = count
        let name = count == 1 ? plain : "\(plain)-\(count)"
        try zip.add("\(name).tcx", bytes: TCXWriter.bytes(recording), packing: true)
        try zip.add("\(name).csv", bytes: CSVWriter.bytes(recording), packing: true)
      }
      guard page.count == WorkoutStore.maximumPageSize, let last = page.last else { return }
      cursor = PageCursor(last)
    }
  }

  var job: JobKind {
    .recurring("workouts.remove-archives", every: .hours(1)) { _ in archives.removeOld() }
  }
}
