import Accounts
import Core
import Database
import Foundation
import WorkoutFiles

/// This module's part of a user's account.
struct WorkoutsParticipant: AccountParticipant {
  let statisticsService: StatisticsService
  private let workouts = WorkoutStore()

  init(statisticsService: StatisticsService) {
    self.statisticsService = statisticsService
  }

  let tables = [
    PersonalTable("workouts"), PersonalTable("user_stats"), PersonalTable("workout_goals"),
  ]

  func endsWithAccount(
    _ person: ID<Person>, in reader: ReadTransaction
  ) throws -> [EndingWithAccount] {
    let count = Int(try workouts.size(of: person, in: reader).count)
    return count > 0 ? [EndingWithAccount("account_deletion.ends_workouts", count: count)] : []
  }

  // MARK: Export

  /// All workouts in one list, and each workout with its samples as CSV and TCX files that can be
  /// imported again; raw machine data is a separate file. Files are created one at a time, since
  /// ten thousand workouts don't fit into memory.
  func export(_ person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedFile] {
    var files: [ExportedFile] = []
    var listed: [ExportedWorkout] = []
    var cursor: PageCursor<Workout>?
    let raw = try workouts.withRaw(of: person, in: reader)
    while true {
      let page = try workouts.list(
        of: person, after: cursor, limit: WorkoutStore.maximumPageSize, in: reader)
      for workout in page {
        let day = LocalDay(workout.content.startedAt, in: .gmt)
        let name = "workouts/\(day)-\(workout.id)"
        files.append(file("\(name).csv", workout, of: person, CSVWriter.bytes))
        files.append(file("\(name).tcx", workout, of: person, TCXWriter.bytes))
        if raw.contains(workout.id) {
          files.append(
            ExportedFile(name: "\(name).raw") { [workouts] in
              try workouts.raw(of: workout.id, person, in: $0)
            })
        }
        listed.append(
          ExportedWorkout(
            workout, file: "\(name).csv",
            raw: raw.contains(workout.id) ? "\(name).raw" : nil))
      }
      guard page.count == WorkoutStore.maximumPageSize, let last = page.last else { break }
      cursor = PageCursor(last)
    }
    let statistics = try statisticsService.store.find(person, in: reader)
    let goal = try WorkoutGoalStore().minutes(of: person, in: reader)
    if listed.isEmpty, statistics == nil, goal == nil { return [] }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let all = ExportedWorkouts(
      workouts: listed, statistics: statistics.map { ExportedStatistics($0.statistics) },
      weeklyGoalMinutes: goal)
    return [ExportedFile(name: "workouts.json", json: Array(try encoder.encode(all)))] + files
  }

  private func file(
    _ name: String, _ workout: Workout, of person: ID<Person>,
    _ write: @escaping @Sendable (WorkoutRecording) -> [UInt8]
  ) -> ExportedFile {
    ExportedFile(name: name) { [workouts] reader in
      try workouts.samples(of: workout.id, person, in: reader).map {
        write(WorkoutRecording(workout.content, samples: $0))
      }
    }
  }

  func exportedMedia(of person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedMedia]
  { [] }

  // MARK: Leaving

  func left(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // Only the user sees their workouts, and no notice is sent because of one.
  }

  func returned(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // A deleted account has no time zone; days counted since may be in another one.
    try moved(person, now: now, in: writer)
  }

  func moved(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // A user without workouts has no days to recount.
    guard try statisticsService.store.find(person, in: writer) != nil else { return }
    _ = try statisticsService.inCurrentZone(person, in: writer)
  }

  /// The guest's claim ends with the guest: it covered the guest's workouts only.
  func merge(
    guest: ID<Person>, into member: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    try WorkoutGoalStore().move(from: guest, to: member, in: writer)
    guard try statisticsService.store.find(guest, in: writer) != nil else { return }
    let kept = try statisticsService.inCurrentZone(member, in: writer)
    try workouts.move(from: guest, to: member, round: kept.statistics.round, now: now, in: writer)
    try statisticsService.store.purge(guest, in: writer)
    try statisticsService.recount(member, in: writer)
  }

  func signOut(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // Stored workouts belong to the user; unsent ones in the browser are handled by the browser.
  }
}

private struct ExportedWorkouts: Encodable {
  let workouts: [ExportedWorkout]
  let statistics: ExportedStatistics?
  let weeklyGoalMinutes: Int?
}

private struct ExportedWorkout: Encodable {
  let id: String
  let clientSessionID: String
  let startedAt: String
  let endedAt: String
  let duration: Double
  let paused: Double?
  let energy: Double
  let distance: Double
  let machine: String
  let title: String
  let note: String
  let training: String?
  let source: String
  let receivedAt: String
  /// Names in the export: that of the figures and samples, and that of the raw machine data.
  let file: String
  let rawFile: String?

  init(_ workout: Workout, file: String, raw: String?) {
    let content = workout.content
    id = workout.id.description
    clientSessionID = content.clientSessionID.description
    startedAt = content.startedAt.rfc3339
    endedAt = content.endedAt.rfc3339
    duration = content.duration.value
    paused = content.paused?.value
    energy = content.energy.value
    distance = content.distance.value
    machine = content.machine.rawValue
    title = workout.title
    note = workout.note
    training = content.training?.description
    source = content.source.rawValue
    receivedAt = workout.receivedAt.rfc3339
    self.file = file
    rawFile = raw
  }
}

private struct ExportedStatistics: Encodable {
  let count: Int64
  let energy: Double
  let distance: Double
  let duration: Double
  let claimedCount: Int64?
  let claimedEnergy: Double?
  let claimedDistance: Double?
  let claimedDuration: Double?
  let claimedStreak: Int?
  let claimedLastDay: String?
  let claimedAt: String?

  init(_ statistics: WorkoutStatistics) {
    let claim = statistics.claim
    count = statistics.totals.count
    energy = statistics.totals.energy.value
    distance = statistics.totals.distance.value
    duration = statistics.totals.duration.value
    claimedCount = claim.count
    claimedEnergy = claim.energy?.value
    claimedDistance = claim.distance?.value
    claimedDuration = claim.duration?.value
    claimedStreak = claim.streak
    claimedLastDay = claim.lastDay?.description
    claimedAt = statistics.claimedAt?.rfc3339
  }
}
