import Core

/// A training that people ride or row along with (docs/developer/workouts.md#trainings-for-admins).
public struct Training: Sendable, Equatable {
  /// How hard it is, from least to most.
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
  /// Nil for a draft, which admins alone see.
  public let publishedAt: Instant?
  /// Later with every change of what people see of it, so that a cache knows; two changes in one
  /// millisecond differ too.
  public let updatedAt: Instant

  public var isPublished: Bool { publishedAt != nil }
}

/// The words and stages of a training.
public struct TrainingDetails: Sendable, Equatable {
  public var name: String
  public var description: String
  public var difficulty: Training.Difficulty
  /// In the order in which they are done.
  public var stages: [TrainingStage]

  public init(
    name: String, description: String, difficulty: Training.Difficulty, stages: [TrainingStage]
  ) {
    self.name = name
    self.description = description
    self.difficulty = difficulty
    self.stages = stages
  }

  /// How long all stages take, in s.
  public var seconds: Int { stages.reduce(0) { $0 + $1.seconds } }

  /// The same in whole minutes, as a person says it: never 0 where there is something to do.
  public var minutes: Int { stages.isEmpty ? 0 : max(1, (seconds + 30) / 60) }
}

/// A part of a training with one aim.
public struct TrainingStage: Sendable, Equatable {
  public var seconds: Int
  public var target: TrainingTarget
  /// What to do or to think of; may be empty.
  public var text: String

  public init(seconds: Int, target: TrainingTarget, text: String) {
    self.seconds = seconds
    self.target = target
    self.text = text
  }
}

/// What a stage aims at.
public enum TrainingTarget: Sendable, Equatable, Hashable {
  /// As one likes.
  case free
  /// The machine's own level.
  case resistance(Int)
  /// Watts.
  case power(Int)
  /// Revolutions, or strokes, a minute.
  case cadence(Int)

  /// The kinds, as forms and the database name them.
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

  /// Nil for a value that no such target can have.
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

/// The kind of the random names of a training's files.
public enum TrainingFile {}

/// The picture of a training: `original`, `medium` and `thumb`.
public struct TrainingCover: Sendable, Equatable {
  public let id: ID<TrainingFile>
  public let fileExtension: String
  public let width: Int
  public let height: Int
  public let hasWebP: Bool
}

/// The film of a training.
public struct TrainingVideo: Sendable, Equatable {
  public let id: ID<TrainingFile>
  public let bytes: Int
  /// As the file itself says; 0 where it doesn't.
  public let seconds: Int
}

/// How much a training may hold.
public enum TrainingRules {
  public static let nameMost = FieldLimits(characters: 60)
  public static let descriptionMost = FieldLimits(characters: 1_000)
  public static let stageTextMost = FieldLimits(characters: 100)
  public static let stagesMost = 60
  /// s of one stage.
  public static let stageSeconds = 5...7_200
  /// s of all stages together: four hours.
  public static let secondsMost = 14_400
  /// All trainings of an instance: a list that a person can look through, and a phone can keep.
  public static let trainingsMost = 100
  /// 500 MiB: the kinder reading of "500 MB".
  public static let videoBytes = 500 << 20

  /// What can be aimed at: levels and watts as machines take them (FTMS 1.0, 4.16.2), cadences as
  /// people reach them, rowers' strokes included.
  static func values(of kind: TrainingTarget.Kind) -> ClosedRange<Int> {
    switch kind {
    case .free: 0...0
    case .resistance: 1...100
    case .power: 10...2_000
    case .cadence: 10...200
    }
  }
}
