import Core
import Database
import Foundation
import Web
import WorkoutFiles

/// The result of a batch (docs/api/README.md, `POST /sessions/batch_upload`).
public struct UploadOutcome: Sendable, Equatable {
  /// A workout that was refused, with all its errors.
  public struct Failed: Sendable, Equatable {
    /// The index in the batch.
    public let index: Int
    /// The client's name for it, if sent.
    public let session: ID<ClientSession>?
    public let failures: [WorkoutIssue]
  }

  /// The stored workouts, in the order of the batch.
  public var stored: [ID<Workout>] = []
  /// The workouts that already existed, by their index in the batch.
  public var duplicateIDs: [Int: ID<Workout>] = [:]
  public var failed: [Failed] = []
  /// The statistics after the upload.
  public var statistics: EffectiveStatistics

  public var successes: Int { stored.count }
  public var duplicates: Int { duplicateIDs.count }
}

/// Adds and removes workouts, for pages and the API.
public struct WorkoutService: Sendable {
  /// The maximum number of workouts in a batch.
  public static let maximumBatchSize = 20
  /// Uploads of one user: a typed workout, a batch of an app or a form with files.
  static let uploads = RateLimit("workout-uploads", maximum: 300, window: .hours(1))

  /// The batch as a whole is refused.
  public enum Rejection: Error, Sendable, Equatable {
    case empty
    /// More than `maximumBatchSize`.
    case tooLarge
  }

  /// Learns that a user has uploaded a workout which ended today.
  public typealias Uploaded = @Sendable (ID<Person>, Instant, WriteTransaction) throws -> Void

  let database: Database
  let statisticsService: StatisticsService
  let observer: any WorkoutObserver
  private let uploaded: Uploaded
  private let limits: RateLimitStore
  public let workouts = WorkoutStore()

  init(
    database: Database, statisticsService: StatisticsService, limits: RateLimitStore,
    observer: any WorkoutObserver, uploaded: @escaping Uploaded
  ) {
    self.observer = observer
    self.uploaded = uploaded
    self.limits = limits
    self.database = database
    self.statisticsService = statisticsService
  }

  /// Counts an upload; throws 429 after too many.
  func countUpload(of person: ID<Person>, now: Instant) throws {
    try limits.count(Self.uploads, person.description, now: now)
  }

  /// Stores a batch in one transaction. Each workout is judged separately: stored, duplicate (by
  /// the client's name for it, even if other data changed; a file's workout also by its content),
  /// or failed. Throws `Rejection` and database errors, in which case nothing is stored.
  public func upload(
    _ drafts: [WorkoutDraft], of person: ID<Person>, now: Instant
  ) throws -> UploadOutcome {
    if drafts.isEmpty { throw Rejection.empty }
    guard drafts.count <= Self.maximumBatchSize else { throw Rejection.tooLarge }
    let judged = drafts.map { ValidatedWorkout($0, now: now) }
    return try database.write { try take(judged, of: person, now: now, in: $0) }
  }

  /// A workout validated before the transaction begins, since validation and packing take time.
  private struct ValidatedWorkout {
    let session: ID<ClientSession>?
    let isFromFile: Bool
    let result:
      Result<
        (workout: ValidWorkout, samples: [UInt8]?, bests: WorkoutBests), WorkoutValidationError
      >

    init(_ draft: WorkoutDraft, now: Instant) {
      session = draft.clientSessionID
      isFromFile = draft.source == .file
      do throws(WorkoutValidationError) {
        let workout = try WorkoutValidation.check(draft, now: now)
        let samples = workout.samples.isEmpty ? nil : SamplesCodec.encode(workout.samples)
        result = .success((workout, samples, WorkoutBests(workout.samples)))
      } catch {
        result = .failure(error)
      }
    }
  }

  private func take(
    _ all: [ValidatedWorkout], of person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws -> UploadOutcome {
    let zone = try statisticsService.zone(of: person, in: writer)
    var kept = try statisticsService.inCurrentZone(person, in: writer)
    let receipt = try workouts.receipt(of: person, now: now, in: writer)
    var stored: [ID<Workout>] = []
    var failed: [UploadOutcome.Failed] = []
    var duplicates: [Int: ID<Workout>] = [:]
    var endedToday = false
    for (index, judged) in all.enumerated() {
      if let known = try known(judged, of: person, in: writer) {
        duplicates[index] = known
        continue
      }
      switch judged.result {
      case .failure(let refused):
        failed.append(
          UploadOutcome.Failed(index: index, session: judged.session, failures: refused.failures))
      case .success((let workout, let samples, let bests)):
        let day = LocalDay(workout.content.startedAt, in: zone)
        stored.append(
          try workouts.add(
            workout, samples: samples, bests: bests, of: person, on: day,
            round: kept.statistics.round,
            received: receipt, in: writer))
        endedToday =
          endedToday || LocalDay(workout.content.endedAt, in: zone) == LocalDay(now, in: zone)
        let streakDay = workout.content.countsForStreak ? day : nil
        try kept.statistics.add(workout.content.totals, on: streakDay) {
          try statisticsService.store.hasWorkout(on: $0, of: person, in: writer)
        }
      }
    }
    if endedToday { try uploaded(person, now, writer) }
    if !stored.isEmpty { try statisticsService.store.save(kept, of: person, in: writer) }
    return UploadOutcome(
      stored: stored, duplicateIDs: duplicates, failed: failed,
      statistics: try statisticsService.effective(person, now: now, in: writer))
  }

  /// The user's workout of which this one is a duplicate.
  private func known(
    _ judged: ValidatedWorkout, of person: ID<Person>, in reader: ReadTransaction
  ) throws -> ID<Workout>? {
    if let session = judged.session,
      let found = try workouts.id(of: session, person, in: reader)
    {
      return found
    }
    guard judged.isFromFile, case .success((let workout, _, _)) = judged.result else { return nil }
    return try workouts.id(like: workout.content, of: person, in: reader)
  }

  /// The data of a workout's page, without its training.
  func details(
    _ workout: Workout, of owner: ID<Person>, in reader: ReadTransaction
  ) throws -> WorkoutDetails {
    WorkoutDetails(
      workout: workout,
      samples: try workouts.samples(of: workout.id, owner, in: reader) ?? RecordedSamples(),
      training: nil,
      zones: HeartZones(
        highest: try WorkoutHistoryStore().highestHeartRate(
          of: owner, upTo: HeartZones.plausible.upperBound, in: reader)))
  }

  /// Changes the words and the machine of a user's workout; false if there is none.
  func describe(
    _ id: ID<Workout>, as description: WorkoutDescription, of person: ID<Person>
  ) throws -> Bool {
    try database.write { try workouts.describe(id, as: description, of: person, in: $0) }
  }

  /// Changes the words, the machine and the figures of a workout that the user typed in, and its
  /// part of the statistics; false if there is none. Throws `WorkoutValidationError`.
  func revise(
    _ id: ID<Workout>, as description: WorkoutDescription, with draft: WorkoutDraft,
    of person: ID<Person>, now: Instant
  ) throws -> Bool {
    let content = try WorkoutValidation.check(draft, now: now).content
    return try database.write { writer in
      let zone = try statisticsService.zone(of: person, in: writer)
      var kept = try statisticsService.inCurrentZone(person, in: writer)
      guard let before = try workouts.entered(id, of: person, in: writer) else { return false }
      let day = LocalDay(content.startedAt, in: zone)
      try workouts.revise(
        id, as: content, of: person, on: day, round: kept.statistics.round,
        received: try workouts.receipt(of: person, now: now, in: writer), in: writer)
      // As if it had been removed and added: the days are asked for after the change.
      let has = { (day: LocalDay) in
        try statisticsService.store.hasWorkout(on: day, of: person, in: writer)
      }
      try kept.statistics.remove(
        before.totals, of: before.round, on: before.day,
        latest: try statisticsService.store.latestDay(of: person, in: writer), has: has)
      try kept.statistics.add(
        content.totals, on: content.countsForStreak ? day : nil, has: has)
      try statisticsService.store.save(kept, of: person, in: writer)
      return try workouts.describe(id, as: description, of: person, in: writer)
    }
  }

  /// A user's statistics at `now`.
  public func statistics(of person: ID<Person>, now: Instant) throws -> EffectiveStatistics {
    try database.read { try statisticsService.effective(person, now: now, in: $0) }
  }

  /// Stores a client's claim; returns the resulting statistics.
  public func claim(
    _ claim: StatisticsClaim, of person: ID<Person>, now: Instant
  ) throws -> EffectiveStatistics {
    try database.write { writer in
      var kept = try statisticsService.inCurrentZone(person, in: writer)
      if !claim.isEmpty {
        kept.statistics.take(claim, now: now)
        try statisticsService.store.save(kept, of: person, in: writer)
      }
      return try statisticsService.effective(person, now: now, in: writer)
    }
  }
}
