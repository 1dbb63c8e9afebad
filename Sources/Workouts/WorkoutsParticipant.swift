import Accounts
import Core
import Database
import Foundation
import WorkoutFiles

/// This module's part of a user's account.
struct WorkoutsParticipant: AccountParticipant {
  let statisticsService: StatisticsService
  private let workouts = WorkoutStore()
  private let deletedWorkouts = DeletedWorkoutStore()
  private let partner = PartnerWorkoutsStore()

  init(statisticsService: StatisticsService) {
    self.statisticsService = statisticsService
  }

  let tables = [
    PersonalTable("workout_cheers"), PersonalTable("workouts"), PersonalTable("user_stats"),
    PersonalTable("workout_goals"), PersonalTable("deleted_workouts"),
    PersonalTable("workout_viewers"),
    PersonalTable("workout_viewers", owner: "partner_id"),
  ]

  func endsWithAccount(
    _ person: ID<Person>, in reader: ReadTransaction
  ) throws -> [EndingWithAccount] {
    let count = Int(try workouts.size(of: person, in: reader).count)
    return count > 0 ? [EndingWithAccount("account_deletion.ends_workouts", count: count)] : []
  }

  // MARK: Export

  /// All workouts in one list, those that can be restored too, and each workout with its samples as
  /// CSV and TCX files that can be imported again; raw machine data is a separate file. Files are
  /// created one at a time, since ten thousand workouts don't fit into memory.
  func export(_ person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedFile] {
    var files: [ExportedFile] = []
    var listed: [ExportedWorkout] = []
    var cursor: PageCursor<Workout>?
    let raw = try workouts.withRaw(of: person, in: reader)
    while true {
      let page = try workouts.list(
        of: person, after: cursor, limit: WorkoutStore.maximumPageSize, in: reader)
      for workout in page {
        let (name, hasRaw) = ("workouts/\(fileName(workout))", raw.contains(workout.id))
        files += self.files(name, workout, of: person, from: workouts, hasRaw: hasRaw)
        listed.append(
          ExportedWorkout(workout, file: "\(name).csv", raw: hasRaw ? "\(name).raw" : nil))
      }
      guard page.count == WorkoutStore.maximumPageSize, let last = page.last else { break }
      cursor = PageCursor(last)
    }
    for (deleted, hasRaw) in try deletedWorkouts.all(of: person, in: reader) {
      let (workout, name) = (deleted.workout, "workouts/deleted/\(fileName(deleted.workout))")
      files += self.files(name, workout, of: person, from: deletedWorkouts, hasRaw: hasRaw)
      listed.append(
        ExportedWorkout(
          workout, file: "\(name).csv", raw: hasRaw ? "\(name).raw" : nil,
          deletedAt: deleted.deletedAt))
    }
    let statistics = try statisticsService.store.find(person, in: reader)
    let goal = try WorkoutGoalStore().minutes(of: person, in: reader)
    let isShared = try partner.isShared(by: person, in: reader)
    let cheers = try partner.cheers(of: person, in: reader)
    if listed.isEmpty, statistics == nil, goal == nil, !isShared, cheers.isEmpty { return [] }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let all = ExportedWorkouts(
      workouts: listed, statistics: statistics.map { ExportedStatistics($0.statistics) },
      weeklyGoalMinutes: goal, partnerSeesWorkouts: isShared,
      cheers: cheers.map {
        ExportedCheer(workout: $0.workout.description, cheeredAt: $0.at.rfc3339)
      })
    return [ExportedFile(name: "workouts.json", json: Array(try encoder.encode(all)))] + files
  }

  private func fileName(_ workout: Workout) -> String {
    "\(LocalDay(workout.content.startedAt, in: .gmt))-\(workout.id)"
  }

  /// The files of a workout, whose samples are in `store`.
  private func files(
    _ name: String, _ workout: Workout, of person: ID<Person>, from store: some StoredSamples,
    hasRaw: Bool
  ) -> [ExportedFile] {
    func file(
      _ format: String, _ write: @escaping @Sendable (WorkoutRecording) -> [UInt8]
    ) -> ExportedFile {
      ExportedFile(name: "\(name).\(format)") { reader in
        try store.samples(of: workout.id, person, in: reader).map {
          write(WorkoutRecording(workout.content, samples: $0))
        }
      }
    }
    let raw = ExportedFile(name: "\(name).raw") { try store.raw(of: workout.id, person, in: $0) }
    return [file("csv", CSVWriter.bytes), file("tcx", TCXWriter.bytes)] + (hasRaw ? [raw] : [])
  }

  func exportedMedia(of person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedMedia]
  { [] }

  // MARK: Leaving

  func left(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    try partner.endAll(of: person, in: writer)
  }

  func parted(
    _ person: ID<Person>, from former: ID<Person>, _ choice: PartnerContactChoice, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try partner.endAll(of: person, in: writer)
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
    try DeletedWorkoutStore().move(from: guest, to: member, in: writer)
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

/// A store of workouts with their samples.
private protocol StoredSamples: Sendable {
  func samples(
    of workout: ID<Workout>, _ person: ID<Person>, in reader: ReadTransaction
  ) throws -> RecordedSamples?
  func raw(
    of workout: ID<Workout>, _ person: ID<Person>, in reader: ReadTransaction
  ) throws -> [UInt8]?
}

extension WorkoutStore: StoredSamples {}
extension DeletedWorkoutStore: StoredSamples {}
