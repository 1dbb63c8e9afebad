import Core
import Web

/// The form of a training: the values as typed, and their validation.
struct TrainingForm {
  /// One stage as typed.
  struct Row: Equatable {
    var minutes = ""
    var seconds = ""
    var target = TrainingTarget.Kind.free.rawValue
    var value = ""
    var text = ""

    /// Whether it has no input.
    var isEmpty: Bool {
      [minutes, seconds, value, text].allSatisfy(\.isEmpty)
        && target == TrainingTarget.Kind.free.rawValue
    }
  }

  /// The action of a button beside the stages.
  enum Change: Equatable {
    case add
    case remove(Int)
    case up(Int)
    case down(Int)
    case copy(Int)

    /// "add", or "up-3": stages are numbered from 1. Nil for anything else.
    init?(_ text: String) {
      if text == "add" {
        self = .add
        return
      }
      let parts = text.split(separator: "-", maxSplits: 1)
      guard parts.count == 2, let number = Int(parts[1]),
        1...TrainingRules.maximumStages + 1 ~= number
      else { return nil }
      switch parts[0] {
      case "remove": self = .remove(number)
      case "up": self = .up(number)
      case "down": self = .down(number)
      case "copy": self = .copy(number)
      default: return nil
      }
    }
  }

  var name = ""
  var description = ""
  var difficulty = Training.Difficulty.moderate.rawValue
  var rows: [Row] = []

  /// An empty form with one stage to fill in.
  init() {
    rows = [Row()]
  }

  init(_ details: TrainingDetails) {
    name = details.name
    description = details.description
    difficulty = details.difficulty.rawValue
    rows = details.stages.map { stage in
      Row(
        minutes: String(stage.seconds / 60), seconds: String(stage.seconds % 60),
        target: stage.target.kind.rawValue, value: stage.target.value.map(String.init) ?? "",
        text: stage.text)
    }
  }

  init(_ form: Form) {
    name = form["name"].asOneLine
    description = form["description"].asParagraphs
    difficulty = form["difficulty"]
    // One more than allowed, so that too many cause an error and are not dropped silently.
    rows = (1...TrainingRules.maximumStages + 1).filter { form.has("minutes_\($0)") }.map {
      number in
      Row(
        minutes: form["minutes_\(number)"].asOneLine,
        seconds: form["seconds_\(number)"].asOneLine, target: form["target_\(number)"],
        value: form["value_\(number)"].asOneLine, text: form["text_\(number)"].asOneLine)
    }
  }

  /// Whether another stage may be added.
  var hasRoom: Bool { rows.count < TrainingRules.maximumStages }

  /// Performs a button's action; returns the number of the stage to focus, nil if the button is
  /// invalid.
  mutating func apply(_ change: Change) -> Int? {
    switch change {
    case .add:
      if hasRoom { rows.append(Row()) }
      return rows.count
    case .remove(let number):
      guard rows.indices.contains(number - 1) else { return nil }
      rows.remove(at: number - 1)
      return min(number, rows.count)
    case .copy(let number):
      guard rows.indices.contains(number - 1) else { return nil }
      guard hasRoom else { return number }
      rows.insert(rows[number - 1], at: number)
      return number + 1
    case .up(let number): return swap(number, number - 1)
    case .down(let number): return swap(number, number + 1)
    }
  }

  private mutating func swap(_ number: Int, _ other: Int) -> Int? {
    guard rows.indices.contains(number - 1) else { return nil }
    guard rows.indices.contains(other - 1) else { return number }
    rows.swapAt(number - 1, other - 1)
    return other
  }

  // MARK: Validation

  /// The validated details; nil if there are errors, which `errors` then contains by field.
  func details(_ errors: inout [String: FieldError]) -> TrainingDetails? {
    if name.isEmpty { errors["name"] = FieldError("admin.training.name_missing") }
    Self.check(name, TrainingRules.nameLimits, "name", &errors)
    Self.check(description, TrainingRules.descriptionLimits, "description", &errors)
    let difficulty = Training.Difficulty(rawValue: difficulty)
    if difficulty == nil { errors["difficulty"] = FieldError("admin.training.difficulty_missing") }
    if rows.count > TrainingRules.maximumStages {
      errors["stages"] = FieldError(
        "admin.training.stages_many", ["most": String(TrainingRules.maximumStages)])
    }
    let stages = rows.enumerated().compactMap { place, row in
      row.isEmpty ? nil : Self.stage(row, number: place + 1, &errors)
    }
    if stages.reduce(0, { $0 + $1.seconds }) > TrainingRules.maximumSeconds {
      errors["stages"] = FieldError("admin.training.stages_long")
    }
    guard errors.isEmpty, let difficulty else { return nil }
    return TrainingDetails(
      name: name, description: description, difficulty: difficulty, stages: stages)
  }

  private static func check(
    _ text: String, _ limits: FieldLimits, _ field: String, _ errors: inout [String: FieldError]
  ) {
    if let error = FieldError.tooLong(text, limits) { errors[field] = error }
  }

  private static func stage(
    _ row: Row, number: Int, _ errors: inout [String: FieldError]
  ) -> TrainingStage? {
    let minutes = row.minutes.isEmpty ? 0 : wholeNumber(row.minutes)
    let seconds = row.seconds.isEmpty ? 0 : wholeNumber(row.seconds)
    let length = minutes.flatMap { minutes in seconds.map { minutes * 60 + $0 } }
    if !(length.map(TrainingRules.stageSeconds.contains) ?? false) {
      errors["minutes_\(number)"] = FieldError(
        "admin.training.stage_time", ["number": String(number)])
    }
    check(row.text, TrainingRules.stageTextLimits, "text_\(number)", &errors)
    let kind = TrainingTarget.Kind(rawValue: row.target) ?? .free
    let target = TrainingTarget(kind, wholeNumber(row.value))
    if target == nil {
      let values = TrainingRules.values(of: kind)
      errors["value_\(number)"] = FieldError(
        "admin.training.stage_value",
        [
          "number": String(number), "least": String(values.lowerBound),
          "most": String(values.upperBound),
        ])
    }
    guard let length, let target else { return nil }
    return TrainingStage(seconds: length, target: target, text: row.text)
  }

  /// Up to four digits, including full-width ones of Chinese keyboards.
  static func wholeNumber(_ text: String) -> Int? {
    let digits = text.unicodeScalars.map { scalar in
      (0xFF10...0xFF19).contains(scalar.value)
        ? Unicode.Scalar(UInt8(scalar.value - 0xFF10 + 0x30)) : scalar
    }
    guard (1...4).contains(digits.count), digits.allSatisfy({ ("0"..."9").contains($0) }) else {
      return nil
    }
    return Int(String(String.UnicodeScalarView(digits)))
  }

  /// The fields in page order.
  var fieldOrder: [String] {
    ["name", "description", "difficulty", "stages"]
      + (1...max(1, rows.count)).flatMap { ["minutes_\($0)", "value_\($0)", "text_\($0)"] }
  }
}
