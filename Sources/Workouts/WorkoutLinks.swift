import Core
import Database
import WorkoutFiles

/// The addresses of workouts.
public enum WorkoutLinks {
  public static let history = "/workouts"
  public static let record = "\(history)/record"
  /// The form to type in a workout.
  public static let add = "\(history)/add"
  /// The form to import files of other programs.
  public static let importing = "\(history)/import"
  public static let exportAll = "\(history)/export.zip"

  /// The list, or one page of it, of all workouts or those on one machine.
  static func history(after cursor: PageCursor<Workout>? = nil, on machine: Machine?) -> String {
    let query = [
      machine.map { "kind=\($0.rawValue)" }, cursor.map { "after=\($0.text)" },
    ].compactMap { $0 }
    return query.isEmpty ? history : "\(history)?\(query.joined(separator: "&"))"
  }

  public static func one(_ id: ID<Workout>) -> String { "\(history)/\(id)" }
  public static func delete(_ id: ID<Workout>) -> String { "\(one(id))/delete" }
  public static func edit(_ id: ID<Workout>) -> String { "\(one(id))/edit" }
  public static func share(_ id: ID<Workout>) -> String { "\(one(id))/share" }
  /// The picture of a post of a workout.
  public static func picture(_ id: ID<Workout>) -> String { "\(one(id))/picture" }
  public static let goal = "\(history)/goal"
  public static func tcx(_ id: ID<Workout>) -> String { "\(one(id)).tcx" }
  public static func csv(_ id: ID<Workout>) -> String { "\(one(id)).csv" }
}
