import Accounts
import Basics
import Database
import Web

/// What this room offers to the house.
public struct WorkoutsModule: Sendable {
  /// What it needs from the house.
  public struct Needs: Sendable {
    public let site: Site

    public init(site: Site) {
      self.site = site
    }
  }

  public static let migrations = WorkoutSchema.migrations
  public let participant: any AccountParticipant
  public let doctorChecks: [DoctorCheck]
  public let gauges: [Gauge]
  /// Where workouts go in and out.
  public let desk: WorkoutDesk

  public init(_ needs: Needs) {
    let database = needs.site.database
    let keeper = StatsKeeper(
      people: PeopleDirectory(keys: needs.site.keys), defaultZone: needs.site.defaultTimeZone)
    desk = WorkoutDesk(database: database, keeper: keeper)
    participant = WorkoutsParticipant(keeper: keeper)
    doctorChecks = WorkoutsDoctor(keeper: keeper).checks
    gauges = [
      Gauge("pairspot_workouts") { _ in
        try database.read { try $0.count("SELECT count(*) FROM workouts") }
      }
    ]
  }
}
