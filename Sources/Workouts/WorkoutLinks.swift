import Core
import Database

/// The addresses of workouts.
public enum WorkoutLinks {
  public static let history = "/workouts"
  public static let record = "\(history)/record"
  /// The form to type in a workout.
  public static let add = "\(history)/add"
  /// The form to import files of other programs.
  public static let importing = "\(history)/import"
  public static let exportAll = "\(history)/export.zip"

  static func history(after cursor: PageCursor<Workout>) -> String {
    "\(history)?after=\(cursor.text)"
  }

  public static func one(_ id: ID<Workout>) -> String { "\(history)/\(id)" }
  public static func delete(_ id: ID<Workout>) -> String { "\(one(id))/delete" }
  public static func tcx(_ id: ID<Workout>) -> String { "\(one(id)).tcx" }
  public static func csv(_ id: ID<Workout>) -> String { "\(one(id)).csv" }
}
