import Accounts
import Core
import Database
import Jobs
import Web

/// Routes, jobs, migrations and checks of the Workouts module.
public struct WorkoutsModule: Sendable {
  /// Dependencies injected by App.
  public struct Dependencies: Sendable {
    public let site: AppEnvironment
    public let mediaFolder: String
    public let limits: RateLimitStore
    public let trainings: any FollowableTrainings
    public let posts: any PicturePostCreator
    public let observer: any WorkoutObserver
    /// Called in the transaction that stores a workout which ended today.
    public let uploaded: WorkoutService.Uploaded

    public init(
      site: AppEnvironment, mediaFolder: String, limits: RateLimitStore,
      trainings: any FollowableTrainings, posts: any PicturePostCreator,
      observer: any WorkoutObserver, uploaded: @escaping WorkoutService.Uploaded
    ) {
      self.site = site
      self.mediaFolder = mediaFolder
      self.limits = limits
      self.trainings = trainings
      self.posts = posts
      self.observer = observer
      self.uploaded = uploaded
    }
  }

  public static let migrations = WorkoutSchema.migrations
  /// The migrations that were released after those of `Trainings`; new ones are appended here.
  public static let laterMigrations =
    WorkoutHistorySchema.migrations + RestoreGeneration.migrations
    + PartnerWorkoutsSchema.migrations + DeletedWorkoutsSchema.migrations
  /// The steps of this module after a restored backup.
  public static let restoreSteps = [RestoreGeneration.restoreStep]
  public let routes: [Route]
  public let jobs: [JobKind]
  public let participant: any AccountParticipant
  public let doctorChecks: [DoctorCheck]
  public let gauges: [Gauge]
  /// Deletes the archives that have expired on this node: a recurring job runs on one node only.
  public let removeOldArchives: @Sendable () -> Void
  /// Adds and removes workouts.
  public let service: WorkoutService

  /// Compiles the pages of this module; throws errors in their templates.
  public init(_ needs: Dependencies) throws {
    let database = needs.site.database
    let people = UserDirectory(keys: needs.site.keys)
    let statisticsService = StatisticsService(
      people: people, defaultZone: needs.site.defaultTimeZone)
    let service = WorkoutService(
      database: database, statisticsService: statisticsService, limits: needs.limits,
      observer: needs.observer, uploaded: needs.uploaded)
    self.service = service
    let partner = PartnerWorkoutsService(
      database: database, people: people, limits: needs.limits, observer: needs.observer)
    let files = try WorkoutFilesModule(
      site: needs.site, service: service, trainings: needs.trainings,
      mediaFolder: needs.mediaFolder)
    routes =
      try files.routes
      + WorkoutPages(
        needs.site, service: service, partner: partner, trainings: needs.trainings
      ).routes
      + PartnerWorkoutPages(
        needs.site, service: service, partner: partner, trainings: needs.trainings
      ).routes
      + WorkoutEditPages(needs.site, service: service, trainings: needs.trainings).routes
      + DeletedWorkoutPages(needs.site, service: service, trainings: needs.trainings).routes
      + WorkoutSharePages(
        needs.site, service: service, trainings: needs.trainings, posts: needs.posts
      ).routes
      + WorkoutGoalPages(needs.site).routes + RecorderPage(site: needs.site).routes
      + WorkoutAPI(service: service, site: needs.site).routes
      + DeletedWorkoutAPI(service: service).routes
      + PartnerWorkoutAPI(service: service, partner: partner).routes
      + StatisticsAPI(service: service, site: needs.site).routes
    removeOldArchives = files.removeOldArchives
    jobs =
      files.jobs + [
        // Those of workouts stored before bests were kept.
        .recurring("workouts.find-bests", every: .hours(1)) { _ in
          while try database.write({ try WorkoutBestsStore().fill(limit: 50, in: $0) }) {}
        },
        .recurring("workouts.purge-deleted", every: .hours(6)) { try service.purge(now: $0) },
      ]
    participant = WorkoutsParticipant(statisticsService: statisticsService)
    doctorChecks = WorkoutsDoctor(statisticsService: statisticsService).checks
    gauges = [
      Gauge("pairspot_workouts", "Workouts.") { _ in
        try database.read { try WorkoutStore.count(in: $0) }
      }
    ]
  }
}
