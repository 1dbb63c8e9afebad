import Accounts
import Core
import Database
import Images
import Jobs
import Web

/// Routes, jobs, migrations and checks of the Workouts module.
public struct WorkoutsModule: Sendable {
  /// Dependencies injected by App.
  public struct Dependencies: Sendable {
    public let site: AppEnvironment
    public let imageProcessor: ImageProcessor
    public let mediaFolder: String
    /// The audit log of admin actions on trainings.
    public let record: any AuditLogging
    public let limits: RateLimitStore

    public init(
      site: AppEnvironment, imageProcessor: ImageProcessor, mediaFolder: String,
      record: any AuditLogging,
      limits: RateLimitStore
    ) {
      self.limits = limits
      self.record = record
      self.site = site
      self.imageProcessor = imageProcessor
      self.mediaFolder = mediaFolder
    }
  }

  public static let migrations =
    WorkoutSchema.migrations + TrainingsModule.migrations + WorkoutHistorySchema.migrations
    + RestoreGeneration.migrations
  /// The steps of this module after a restored backup.
  public static let restoreSteps = [RestoreGeneration.restoreStep]
  /// The files that rows of this module refer to.
  public static let namedFiles = [TrainingStore.named]
  public let routes: [Route]
  public let jobs: [JobKind]
  public let participant: any AccountParticipant
  public let doctorChecks: [DoctorCheck]
  public let gauges: [Gauge]
  /// Publishes trainings without an admin.
  public let directory: TrainingSeeder
  /// The entries of this module in the admin menu.
  public let staffEntries = [
    AdminMenuItem(WebLinks.adminTrainings, icon: "bike", "admin.training.title", for: .admin)
  ]
  /// Adds and removes workouts.
  public let service: WorkoutService

  /// Compiles the pages of this module; throws errors in their templates.
  public init(_ needs: Dependencies) throws {
    let trainings = try TrainingsModule(
      site: needs.site, imageProcessor: needs.imageProcessor, mediaFolder: needs.mediaFolder,
      record: needs.record)
    directory = trainings.directory
    let database = needs.site.database
    let statisticsService = StatisticsService(
      people: UserDirectory(keys: needs.site.keys), defaultZone: needs.site.defaultTimeZone)
    service = WorkoutService(
      database: database, statisticsService: statisticsService, limits: needs.limits)
    let files = try WorkoutFilesModule(
      site: needs.site, service: service, trainings: trainings.store, mediaFolder: needs.mediaFolder
    )
    routes =
      try trainings.routes + files.routes
      + WorkoutPages(needs.site, service: service).routes
      + RecorderPage(site: needs.site).routes
      + WorkoutAPI(service: service, site: needs.site).routes
      + StatisticsAPI(service: service, site: needs.site).routes
    jobs = trainings.jobs + files.jobs
    participant = WorkoutsParticipant(statisticsService: statisticsService)
    doctorChecks = WorkoutsDoctor(statisticsService: statisticsService).checks
    gauges = [
      Gauge("pairspot_workouts") { _ in
        try database.read { try $0.count("SELECT count(*) FROM workouts") }
      }
    ]
  }
}
