import Accounts
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
  /// Workouts that can be restored.
  static let deleted = AccountLinks.deletedWorkouts
  /// Restores a deleted workout.
  static func undo(_ id: ID<Workout>) -> String { "\(one(id))/undo" }
  public static func edit(_ id: ID<Workout>) -> String { "\(one(id))/edit" }
  public static func share(_ id: ID<Workout>) -> String { "\(one(id))/share" }
  /// The picture of a post of a workout.
  public static func picture(_ id: ID<Workout>) -> String { "\(one(id))/picture" }
  /// Whether the partner sees the user's workouts.
  static let sharing = "\(history)/sharing"
  /// The partner's workouts.
  static let partner = "\(history)/partner"
  static func partners(_ id: ID<Workout>) -> String { "\(partner)/\(id)" }
  static func cheer(_ id: ID<Workout>) -> String { "\(partners(id))/cheer" }
  public static let goal = "\(history)/goal"
  public static func tcx(_ id: ID<Workout>) -> String { "\(one(id)).tcx" }
  public static func csv(_ id: ID<Workout>) -> String { "\(one(id)).csv" }
}
