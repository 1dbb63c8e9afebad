/// The stages of a training as a drawing: the width is the duration, the height the intensity
/// relative to others of the same kind. Watts and levels can't be compared, so each kind has its
/// own scale.
struct TrainingProfile {
  /// The size of the drawing, in its own units.
  static let width = 600
  static let height = 64
  private static let lowest = 12
  private static let gap = 2

  private let stages: [TrainingStage]

  init(_ stages: [TrainingStage]) {
    self.stages = stages
  }

  /// The bars of one kind as an SVG path; empty if there are none.
  func path(_ kind: TrainingTarget.Kind) -> String {
    let whole = stages.reduce(0) { $0 + $1.seconds }
    guard whole > 0 else { return "" }
    let maximum = stages.filter { $0.target.kind == kind }.compactMap(\.target.value).max()
    var path = ""
    var before = 0
    for stage in stages {
      let left = before * Self.width / whole
      before += stage.seconds
      guard stage.target.kind == kind else { continue }
      // A short stage between long ones stays visible as a line.
      let right = max(before * Self.width / whole - Self.gap, left + 1)
      let height = Self.height(stage.target.value, maximum)
      path += "M\(left) \(Self.height - height)H\(right)V\(Self.height)H\(left)z"
    }
    return path
  }

  private static func height(_ value: Int?, _ maximum: Int?) -> Int {
    guard let value, let maximum, maximum > 0 else { return lowest }
    return lowest + (height - lowest) * value / maximum
  }
}
