import Core

/// `workouts.json` of an export.
struct ExportedWorkouts: Encodable {
  let workouts: [ExportedWorkout]
  let statistics: ExportedStatistics?
  let weeklyGoalMinutes: Int?
  let partnerSeesWorkouts: Bool
  let cheers: [ExportedCheer]
}

/// A cheer for a workout of the partner.
struct ExportedCheer: Encodable {
  let workout: String
  let cheeredAt: String
}

/// A workout in an export.
struct ExportedWorkout: Encodable {
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
  /// Nil unless it was deleted and can still be restored.
  let deletedAt: String?

  init(_ workout: Workout, file: String, raw: String?, deletedAt: Instant? = nil) {
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
    self.deletedAt = deletedAt?.rfc3339
  }
}

/// The statistics in an export, with what a client claimed.
struct ExportedStatistics: Encodable {
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
