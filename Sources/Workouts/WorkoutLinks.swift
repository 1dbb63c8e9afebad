import Core

/// The addresses of workouts.
public enum WorkoutLinks {
  public static let history = "/workouts"
  public static let record = "\(history)/record"
  /// The form to type in a workout.
  public static let add = "\(history)/add"
  /// The form to import files of other programs.
  public static let importing = "\(history)/import"
  public static let exportAll = "\(history)/export.zip"

  static func history(after cursor: WorkoutCursor) -> String { "\(history)?after=\(cursor.text)" }

  public static func one(_ id: ID<Workout>) -> String { "\(history)/\(id)" }
  public static func delete(_ id: ID<Workout>) -> String { "\(one(id))/delete" }
  public static func tcx(_ id: ID<Workout>) -> String { "\(one(id)).tcx" }
  public static func csv(_ id: ID<Workout>) -> String { "\(one(id)).csv" }
}

extension WorkoutCursor {
  init(_ workout: Workout) {
    self.init(startedAt: workout.content.startedAt, id: workout.id)
  }

  /// Reads "<ms>-<id>"; nil for anything else.
  init?(_ text: String?) {
    guard let parts = text?.split(separator: "-", maxSplits: 1), parts.count == 2,
      let milliseconds = Int64(parts[0]), let id = ID<Workout>(parts[1])
    else { return nil }
    self.init(startedAt: Instant(milliseconds: milliseconds), id: id)
  }

  var text: String { "\(startedAt.milliseconds)-\(id)" }
}
