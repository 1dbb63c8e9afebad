import Accounts
import Core
import Database
import Web

/// Learns of cheers, in their transaction.
public protocol WorkoutObserver: Sendable {
  func cheered(
    _ workout: ID<Workout>, of owner: ID<Person>, by person: ID<Person>, now: Instant,
    in writer: WriteTransaction) throws
  func uncheered(_ workout: ID<Workout>, by person: ID<Person>, in writer: WriteTransaction) throws
  func removed(_ workout: ID<Workout>, in writer: WriteTransaction) throws
}

/// Lets a user show all workouts to the partner, and the partner cheer, for pages and the API.
struct PartnerWorkoutsService: Sendable {
  /// A workout of the partner as the viewer sees it.
  struct Seen {
    let owner: ID<Person>
    let workout: Workout
    let isCheered: Bool
  }

  /// More cheers in this window than a user taps by hand.
  static let cheersLimit = RateLimit("cheers", maximum: 300, window: .minutes(10))

  let database: Database
  let people: UserDirectory
  let limits: RateLimitStore
  let observer: any WorkoutObserver
  let store = PartnerWorkoutsStore()
  private let workouts = WorkoutStore()

  /// Turns it on for the viewer's partner, or off. Throws 404 without a partner.
  func setShared(_ isShared: Bool, by viewer: Viewer) throws {
    try database.write { writer in
      guard let partner = try people.partner(of: viewer, in: writer) else {
        throw Problem.notFound
      }
      if isShared {
        try store.share(of: viewer.id, with: partner.id, in: writer)
      } else {
        try store.stop(of: viewer.id, in: writer)
      }
    }
  }

  /// The partner who lets the viewer see their workouts. Throws 404 if there is none.
  func owner(for viewer: Viewer, in reader: ReadTransaction) throws -> ID<Person> {
    guard let owner = try store.owner(for: viewer.id, in: reader) else { throw Problem.notFound }
    return owner
  }

  /// Throws 404 for any workout that the viewer's partner does not show.
  func find(_ id: ID<Workout>, for viewer: Viewer, in reader: ReadTransaction) throws -> Seen {
    let owner = try owner(for: viewer, in: reader)
    guard let workout = try workouts.find(id, of: owner, in: reader) else {
      throw Problem.notFound
    }
    return Seen(
      owner: owner, workout: workout,
      isCheered: try store.hasCheered(viewer.id, for: id, in: reader))
  }

  /// Cheers for the partner's workout, or takes it back. Throws 404 like `find`, and 429.
  func setCheer(_ isOn: Bool, for id: ID<Workout>, by viewer: Viewer, now: Instant) throws {
    // Each cheer makes a notice.
    if isOn { try limits.count(Self.cheersLimit, viewer.id.description, now: now) }
    try database.write { writer in
      let seen = try find(id, for: viewer, in: writer)
      guard try store.setCheer(isOn, for: id, by: viewer.id, now: now, in: writer) else { return }
      if isOn {
        try observer.cheered(id, of: seen.owner, by: viewer.id, now: now, in: writer)
      } else {
        try observer.uncheered(id, by: viewer.id, in: writer)
      }
    }
  }
}
