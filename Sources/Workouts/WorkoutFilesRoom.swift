import Basics
import Foundation
import Jobs
import Web

/// Workouts in and out as figures and files: what this part of the module offers.
struct WorkoutFilesRoom {
  let routes: [Route]
  let jobs: [JobKind]

  /// Compiles its pages; throws what is wrong with their templates.
  init(site: Site, desk: WorkoutDesk, trainings: TrainingStore, mediaFolder: String) throws {
    let add = try AddWorkoutPage(site: site, desk: desk, trainings: trainings)
    // Half of the threads at most: the others are everybody else's.
    let turns = FileTurns(most: ProcessInfo.processInfo.activeProcessorCount)
    let files = try ImportPage(site: site, desk: desk, turns: turns)
    let downloads = WorkoutDownloads(site: site, desk: desk)
    let archive = WorkoutArchive(
      site: site, desk: desk, mediaFolder: mediaFolder, turns: turns)
    jobs = [archive.job]
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
