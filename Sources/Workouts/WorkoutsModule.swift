import Accounts
import Basics
import Database
import Images
import Jobs
import Web

/// What this room offers to the house.
public struct WorkoutsModule: Sendable {
  /// What it needs from the house.
  public struct Needs: Sendable {
    public let site: Site
    public let workshop: PictureWorkshop
    public let mediaFolder: String

    public init(site: Site, workshop: PictureWorkshop, mediaFolder: String) {
      self.site = site
      self.workshop = workshop
      self.mediaFolder = mediaFolder
    }
  }

  public static let migrations = WorkoutSchema.migrations + TrainingsRoom.migrations
  public let routes: [Route]
  public let jobs: [JobKind]
  public let participant: any AccountParticipant
  public let doctorChecks: [DoctorCheck]
  public let gauges: [Gauge]
  /// What the front page of staff leads to.
  public let staffEntries = [
    StaffEntry(WebLinks.adminTrainings, icon: "bike", "admin.training.title", for: .admin)
  ]
  /// Where workouts go in and out.
  public let desk: WorkoutDesk

  /// Compiles the pages of this room; throws what is wrong with their templates.
  public init(_ needs: Needs) throws {
    let trainings = try TrainingsRoom(
      site: needs.site, workshop: needs.workshop, mediaFolder: needs.mediaFolder)
    routes = trainings.routes
    jobs = trainings.jobs
    let database = needs.site.database
    let keeper = StatsKeeper(
      people: PeopleDirectory(keys: needs.site.keys), defaultZone: needs.site.defaultTimeZone)
    desk = WorkoutDesk(database: database, keeper: keeper)
    participant = WorkoutsParticipant(keeper: keeper)
    doctorChecks = WorkoutsDoctor(keeper: keeper).checks + trainings.doctorChecks
    gauges = [
      Gauge("pairspot_workouts") { _ in
        try database.read { try $0.count("SELECT count(*) FROM workouts") }
      }
    ]
  }
}
