import Core
import Database
import Secrets

/// Something other than a tap that may count as a check-in, if the user has chosen so.
public enum SignOfLife: String, Sendable, CaseIterable {
  /// A post in the feed.
  case post
  /// An uploaded workout.
  case workout
  /// A call of the API with a token of its own, by home automation or a phone's shortcut.
  case ping
}

/// The signs of life that a user has chosen.
struct SignChoice: Sendable, Equatable {
  var countsPosts = false
  var countsWorkouts = false
  /// Whether there is a token for calls.
  var hasPing = false

  func counts(_ sign: SignOfLife) -> Bool {
    switch sign {
    case .post: countsPosts
    case .workout: countsWorkouts
    case .ping: hasPing
    }
  }
}

/// Stores which signs of life count.
struct SignStore {
  func choice(of person: ID<Person>, in reader: ReadTransaction) throws -> SignChoice {
    try reader.first(
      """
      SELECT counts_posts, counts_workouts, ping_hash IS NOT NULL FROM checkin_settings
      WHERE user_id = \(person)
      """
    ) { row in
      SignChoice(
        countsPosts: try row.next(), countsWorkouts: try row.next(), hasPing: try row.next())
    } ?? SignChoice()
  }

  /// Stores all but the token.
  func save(_ choice: SignChoice, of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      UPDATE checkin_settings
      SET counts_posts = \(choice.countsPosts), counts_workouts = \(choice.countsWorkouts)
      WHERE user_id = \(person)
      """)
  }

  /// Replaces the token for calls; nil removes it.
  func setPing(_ token: Token?, of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute(
      "UPDATE checkin_settings SET ping_hash = \(token?.sha256) WHERE user_id = \(person)")
  }

  /// The user of a token for calls.
  func person(with token: Token, in reader: ReadTransaction) throws -> ID<Person>? {
    try reader.value(
      "SELECT user_id FROM checkin_settings WHERE ping_hash = \(token.sha256)")
  }
}
