import Core
import Foundation
import Jobs
import Web

/// The routes and jobs for adding, importing and exporting workouts.
struct WorkoutFilesModule {
  let routes: [Route]
  let jobs: [JobKind]
  /// Deletes the archives that have expired on this node.
  let removeOldArchives: @Sendable () -> Void

  /// Compiles the pages; throws errors in their templates.
  init(
    site: AppEnvironment, service: WorkoutService, trainings: any FollowableTrainings,
    mediaFolder: String
  ) throws {
    let add = try AddWorkoutPage(site: site, service: service, trainings: trainings)
    // Half of the threads at most; the others serve other requests.
    let concurrency = FileConcurrencyLimit(maximum: ProcessInfo.processInfo.activeProcessorCount)
    let files = try ImportPage(site: site, service: service, concurrency: concurrency)
    let downloads = WorkoutDownloads(site: site, service: service)
    let archive = WorkoutArchive(
      site: site, service: service, mediaFolder: mediaFolder, concurrency: concurrency)
    jobs = [archive.job]
    let archives = archive.archives
    removeOldArchives = { archives.removeOld() }
    routes = [
      Route(.get, WorkoutFileLinks.add, .atLeast(.guest), handler: add.show),
      Route(.post, WorkoutFileLinks.add, .atLeast(.guest), handler: add.add),
      Route(.get, WorkoutFileLinks.import, .atLeast(.guest), handler: files.show),
      Route(
        .post, WorkoutFileLinks.import, .atLeast(.guest), bodyLimit: ImportPage.bodyLimit,
        files: ImportPage.limits, handler: files.take),
      Route(
        .get, WorkoutFileLinks.archive, .atLeast(.guest), options: .noStore,
        handler: archive.send),
      Route(
        .get, "\(WorkoutFileLinks.root)/:id.tcx", .atLeast(.guest), options: .noStore,
        handler: downloads.sendTCX),
      Route(
        .get, "\(WorkoutFileLinks.root)/:id.csv", .atLeast(.guest), options: .noStore,
        handler: downloads.sendCSV),
    ]
  }
}
