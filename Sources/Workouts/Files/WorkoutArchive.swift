import Accounts
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
  /// The folder below the media folder.
  static let folder = "workout-exports"
  /// How long nginx may take to open an archive, in s; an open file stays readable.
  static let lifetime: TimeInterval = 3_600
  /// How long a user's last archive is kept beside a new one, in s: nginx may not have opened it
  /// yet.
  static let timeout: TimeInterval = 60

  private let site: AppEnvironment
  private let service: WorkoutService
  private let mediaFolder: String
  private let concurrency: FileConcurrencyLimit

  init(
    site: AppEnvironment, service: WorkoutService, mediaFolder: String,
    concurrency: FileConcurrencyLimit
  ) {
    self.site = site
    self.service = service
    self.mediaFolder = mediaFolder
    self.concurrency = concurrency
  }

  @Sendable func send(_ context: Context) throws -> Response {
    let person = try context.signedIn().id
    let size = try site.database.read { try service.workouts.size(of: person, in: $0) }
    if size.count > Self.maximumWorkouts || size.sampleBytes > Self.maximumSampleBytes {
      context.flash("toast.workouts_many")
      return .seeOther(WorkoutFileLinks.accountExport)
    }
    let path = try concurrency.take { try pack(person, context) }
    var response = Response.protectedFile(
      path, contentType: "application/zip", cacheControl: MediaCaching.header(forAll: false))
    let day = LocalDay(context.now, in: context.timeZone)
    response.headers[.contentDisposition] =
      "attachment; filename=\"pairspot-workouts-\(day).zip\""
    return response
  }

  /// Packs the archive and returns its path below the media folder.
  private func pack(_ person: ID<Person>, _ context: Context) throws -> String {
    remove(below: "\(person)-", olderThan: Self.timeout)
    let path = "\(Self.folder)/\(person)-\(ID<WorkoutArchive>.random()).zip"
    let full = "\(mediaFolder)/\(path)"
    try FileManager.default.createDirectory(
      atPath: "\(mediaFolder)/\(Self.folder)", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    do {
      let zip = try ZipWriter(path: full, moment: context.now)
      try add(workoutsOf: person, to: zip, in: context.timeZone)
      _ = try zip.finish()
      // Readable for the group, which may include the web server.
      guard chmod(full, 0o640) == 0 else { throw FileOperationError("chmod", full) }
      return path
    } catch {
      unlink(full)
      throw error
    }
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

  // MARK: Cleanup

  /// Removes archives that were sent. Ages are measured by the system clock, as file times are.
  func removeOld(at moment: Date = Date()) {
    remove(below: "", olderThan: Self.lifetime, at: moment)
  }

  private func remove(
    below prefix: String, olderThan seconds: TimeInterval, at moment: Date = Date()
  ) {
    let root = "\(mediaFolder)/\(Self.folder)"
    for name in (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [] {
      guard name.hasPrefix(prefix) else { continue }
      let attributes = try? FileManager.default.attributesOfItem(atPath: "\(root)/\(name)")
      guard let changed = attributes?[.modificationDate] as? Date,
        moment.timeIntervalSince(changed) > seconds
      else { continue }
      // A file that cannot be removed is retried the next time.
      unlink("\(root)/\(name)")
    }
  }

  var job: JobKind {
    .recurring("workouts.remove-archives", every: .hours(1)) { _ in removeOld() }
  }
}
