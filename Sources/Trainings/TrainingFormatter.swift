import Web

/// Formats trainings in the viewer's language.
struct TrainingFormatter {
  let context: Context

  /// "150 W".
  func target(_ target: TrainingTarget) -> String {
    switch target {
    case .free: context.text("training.target_free")
    case .resistance(let level): text("training.target_resistance", level)
    case .power(let watts): text("training.target_power", watts)
    case .cadence(let cadence): text("training.target_cadence", cadence)
    }
  }

  private func text(_ key: String, _ value: Int) -> String {
    context.text(key, ["value": String(value)])
  }

  func difficulty(_ difficulty: Training.Difficulty) -> String {
    switch difficulty {
    case .easy: context.text("training.easy")
    case .moderate: context.text("training.moderate")
    case .hard: context.text("training.hard")
    }
  }

  func minutes(_ details: TrainingDetails) -> String {
    context.text("training.minutes", count: details.minutes)
  }

  func stages(_ details: TrainingDetails) -> String {
    context.text("training.stages", count: details.stages.count)
  }

  /// "32 min · Moderate · 8 stages".
  func summary(_ details: TrainingDetails) -> String {
    [minutes(details), difficulty(details.difficulty), stages(details)].joined(separator: " · ")
  }

  /// "12:30 · 84 MB"; without the time if the file doesn't contain it.
  func videoDescription(_ video: TrainingVideo) -> String {
    let size = context.text(
      "training.megabytes", ["value": String(max(1, (video.bytes + 500_000) / 1_000_000))])
    return video.seconds > 0 ? "\(DurationFormatter.clock(video.seconds)) · \(size)" : size
  }
}
