import WorkoutFiles

/// The kinds of charts over the time of a workout, in page order.
enum ChartKind: String, CaseIterable {
  case power
  case heartRate = "heart"
  case cadence
  case speed

  var samples: RecordedSamples.Kind {
    switch self {
    case .power: .power
    case .heartRate: .heartRate
    case .cadence: .cadence
    case .speed: .speed
    }
  }

  var decimals: Int { self == .speed ? 1 : 0 }

  var titleKey: String {
    switch self {
    case .power: "workout.power"
    case .heartRate: "workout.heart_rate"
    case .cadence: "workout.cadence"
    case .speed: "workout.speed"
    }
  }

  func average(_ figures: WorkoutFigures) -> Double? {
    switch self {
    case .power: figures.averagePower
    case .heartRate: figures.averageHeartRate
    case .cadence: figures.averageCadence
    case .speed: figures.averageSpeed
    }
  }

  func maximum(_ figures: WorkoutFigures) -> Double? {
    switch self {
    case .power: figures.maximumPower
    case .heartRate: figures.maximumHeartRate
    case .cadence: figures.maximumCadence
    case .speed: figures.maximumSpeed
    }
  }

  /// The targets of a training for this kind, by stage; empty if it has none.
  func aims(_ stages: [FollowedTraining.Stage]) -> [WorkoutChart.TrainingGoal] {
    var start = 0
    return stages.compactMap { stage in
      defer { start += stage.seconds }
      let value: Int? =
        switch (self, stage.target) {
        case (.power, .power(let watts)): watts
        case (.cadence, .cadence(let cadence)): cadence
        default: nil
        }
      return value.map {
        WorkoutChart.TrainingGoal(from: start, to: start + stage.seconds, value: Double($0))
      }
    }
  }
}
