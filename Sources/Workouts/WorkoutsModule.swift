import Accounts
import Basics
import Database
import Images
import Jobs
import Web

/// What this module offers to the application.
public struct WorkoutsModule: Sendable {
  /// What it needs from the application.
  public struct Needs: Sendable {
    public let site: Site
    public let workshop: PictureWorkshop
    public let mediaFolder: String
    /// Where it is written down what admins do to trainings.
    public let record: any StaffRecord
    public let limits: RateLimitStore

    public init(
      site: Site, workshop: PictureWorkshop, mediaFolder: String, record: any StaffRecord,
      limits: RateLimitStore
    ) {
      self.limits = limits
      self.record = record
      self.site = site
      self.workshop = workshop
      self.mediaFolder = mediaFolder
    }
  }

  public static let migrations =
    WorkoutSchema.migrations + TrainingsRoom.migrations + WorkoutHistorySchema.migrations
    + DataEpoch.migrations
  /// What this module does with a restored backup.
  public static let restoreSteps = [DataEpoch.restoreStep]
  /// The files that rows of this module speak of.
  public static let namedFiles = [TrainingStore.named]
  public let routes: [Route]
  public let jobs: [JobKind]
  public let participant: any AccountParticipant
  public let doctorChecks: [DoctorCheck]
  public let gauges: [Gauge]
  /// Where trainings are put out without an admin.
  public let shelf: TrainingShelf
  /// What the front page of staff leads to.
  public let staffEntries = [
    StaffEntry(WebLinks.adminTrainings, icon: "bike", "admin.training.title", for: .admin)
  ]
  /// Where workouts go in and out.
  public let desk: WorkoutDesk

  /// Compiles the pages of this module; throws what is wrong with their templates.
  public init(_ needs: Needs) throws {
    let trainings = try TrainingsRoom(
      site: needs.site, workshop: needs.workshop, mediaFolder: needs.mediaFolder,
      record: needs.record)
    shelf = trainings.shelf
    let database = needs.site.database
    let keeper = StatsKeeper(
      people: PeopleDirectory(keys: needs.site.keys), defaultZone: needs.site.defaultTimeZone)
    desk = WorkoutDesk(database: database, keeper: keeper, limits: needs.limits)
    let files = try WorkoutFilesRoom(
      site: needs.site, desk: desk, trainings: trainings.store, mediaFolder: needs.mediaFolder)
    routes =
      try trainings.routes + files.routes
      + WorkoutPages(needs.site, desk: desk).routes
      + RecordPage(site: needs.site).routes
      + WorkoutAPI(desk: desk, site: needs.site).routes
      + StatsAPI(desk: desk, site: needs.site).routes
    jobs = trainings.jobs + files.jobs
    participant = WorkoutsParticipant(keeper: keeper)
    doctorChecks = WorkoutsDoctor(keeper: keeper).checks
    gauges = [
      Gauge("pairspot_workouts") { _ in
        try database.read { try $0.count("SELECT count(*) FROM workouts") }
      }
    ]
  }
}
