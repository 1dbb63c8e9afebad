import Core

/// The addresses of adding, importing and exporting workouts.
public enum WorkoutFileLinks {
  static let root = "/workouts"
  public static let add = "\(root)/add"
  public static let `import` = "\(root)/import"
  /// All workouts in one archive.
  public static let archive = "\(root)/export.zip"
  /// The account export, which packs large numbers of workouts in the background.
  static let accountExport = "/settings/export"

  /// The page of a workout.
  static func one(_ id: ID<Workout>) -> String { "\(root)/\(id)" }
  public static func tcx(_ id: ID<Workout>) -> String { "\(one(id)).tcx" }
  public static func csv(_ id: ID<Workout>) -> String { "\(one(id)).csv" }
}
