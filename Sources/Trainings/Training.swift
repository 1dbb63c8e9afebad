import Core

/// A training to ride or row along with (docs/developer/workouts.md#trainings-for-admins).
public struct Training: Sendable, Equatable {
  /// The difficulty, from easiest to hardest.
  public enum Difficulty: String, Sendable, CaseIterable {
    case easy
    case moderate
    case hard
  }

  public let id: ID<Training>
  public internal(set) var details: TrainingDetails
  public let cover: TrainingCover?
  public let video: TrainingVideo?
  public let captions: TrainingCaptions?
  /// Nil for a draft, which only admins see.
  public let publishedAt: Instant?
  /// Increases with every change of the visible content, for caches; two changes in one millisecond
  /// differ too.
  public let updatedAt: Instant

  public var isPublished: Bool { publishedAt != nil }
}

/// The texts and stages of a training.
public struct TrainingDetails: Sendable, Equatable {
  public var name: String
  public var description: String
  public var difficulty: Training.Difficulty
  /// In order.
  public var stages: [TrainingStage]

  public init(
    name: String, description: String, difficulty: Training.Difficulty, stages: [TrainingStage]
  ) {
    self.name = name
    self.description = description
    self.difficulty = difficulty
    self.stages = stages
  }

  /// The duration of all stages, in s.
  public var seconds: Int { stages.reduce(0) { $0 + $1.seconds } }

  /// The duration in whole minutes; never 0 if there are stages.
  public var minutes: Int { stages.isEmpty ? 0 : max(1, (seconds + 30) / 60) }
}

/// A part of a training with one target.
public struct TrainingStage: Sendable, Equatable {
  public var seconds: Int
  public var target: TrainingTarget
  /// Instructions; may be empty.
  public var text: String

  public init(seconds: Int, target: TrainingTarget, text: String) {
    self.seconds = seconds
    self.target = target
    self.text = text
  }
}

/// The target of a stage.
public enum TrainingTarget: Sendable, Equatable, Hashable {
  /// No target.
  case free
  /// The machine's resistance level.
  case resistance(Int)
  /// In W.
  case power(Int)
  /// Revolutions or strokes per minute.
  case cadence(Int)

  /// The kinds, as named in forms and in the database.
  public enum Kind: String, Sendable, CaseIterable {
    case free, resistance, power, cadence
  }

  public var kind: Kind {
    switch self {
    case .free: .free
    case .resistance: .resistance
    case .power: .power
    case .cadence: .cadence
    }
  }

  /// Nil for `free`, which has none.
  public var value: Int? {
    switch self {
    case .free: nil
    case .resistance(let value), .power(let value), .cadence(let value): value
    }
  }

  /// Nil for a value out of range.
  init?(_ kind: Kind, _ value: Int?) {
    if kind == .free {
      self = .free
      return
    }
    guard let value, TrainingRules.values(of: kind).contains(value) else { return nil }
    switch kind {
    case .free: self = .free
    case .resistance: self = .resistance(value)
    case .power: self = .power(value)
    case .cadence: self = .cadence(value)
    }
  }
}

/// The type of the random names of a training's files.
public enum TrainingFile {}

/// The cover image of a training: `original`, `medium` and `thumb`.
public struct TrainingCover: Sendable, Equatable {
  public let id: ID<TrainingFile>
  public let fileExtension: String
  public let width: Int
  public let height: Int
  public let hasWebP: Bool
}

/// The video of a training.
public struct TrainingVideo: Sendable, Equatable {
  public let id: ID<TrainingFile>
  public let bytes: Int
  /// From the file's header; 0 if unknown.
  public let seconds: Int
}

/// The limits of a training.
public enum TrainingRules {
  public static let nameLimits = FieldLimits(characters: 60)
  public static let descriptionLimits = FieldLimits(characters: 1_000)
  public static let stageTextLimits = FieldLimits(characters: 100)
  public static let maximumStages = 60
  /// In s, per stage.
  public static let stageSeconds = 5...7_200
  /// In s, all stages together: four hours.
  public static let maximumSeconds = 14_400
  /// The maximum number of trainings of an instance: small enough to browse, and to store on a
  /// phone.
  public static let maximumTrainings = 100
  /// 500 MiB: the more generous reading of "500 MB".
  public static let videoBytes = 500 << 20

  /// The possible targets: levels and watts as machines accept them (FTMS 1.0, 4.16.2), cadences
  /// that users reach, including rowers' strokes.
  static func values(of kind: TrainingTarget.Kind) -> ClosedRange<Int> {
    switch kind {
    case .free: 0...0
    case .resistance: 1...100
    case .power: 10...2_000
    case .cadence: 10...200
    }
  }
}
