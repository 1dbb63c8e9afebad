import Accounts
import Core
import Database
import Templates
import Web
import WorkoutFiles

/// `/workouts`, a workout's page and its deletion; users see only their own.
struct WorkoutPages {
  static let pageSize = 20

  private let service: WorkoutService
  private let partner: PartnerWorkoutsService
  private let trainings: any FollowableTrainings
  private let history: Page<WorkoutHistoryView>
  private let detail: Page<WorkoutDetailView>
  private let deletion: Page<WorkoutDeleteView>
  private let store = WorkoutHistoryStore()

  /// Throws if a template doesn't compile.
  init(
    _ site: AppEnvironment, service: WorkoutService, partner: PartnerWorkoutsService,
    trainings: any FollowableTrainings
  ) throws {
    self.service = service
    self.partner = partner
    self.trainings = trainings
    history = try Page("workouts/history", title: "workout.title", in: site)
    detail = try Page("workouts/workout", in: site)
    deletion = try Page("workouts/delete", title: "workout.delete_title", in: site)
  }

  var routes: [Route] {
    [
      Route(.get, WorkoutLinks.history, .atLeast(.guest), handler: showAll),
      Route(.get, "\(WorkoutLinks.history)/:id", .atLeast(.guest), handler: show),
      Route(
        .get, "\(WorkoutLinks.history)/:id/delete", .atLeast(.guest), handler: askDeletion),
      Route(.post, "\(WorkoutLinks.history)/:id/delete", .atLeast(.guest), handler: delete),
    ]
  }

  // MARK: The list

  @Sendable func showAll(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let cursor = PageCursor<Workout>(context.request.queryValue("after"))
    let machine = context.request.queryValue("kind").flatMap(Machine.init(rawValue:))
    let formatter = WorkoutFormatter(context)
    let view = try service.database.read { reader in
      let list = try ListPage(limit: Self.pageSize, cursor: PageCursor<Workout>.init) {
        try service.workouts.list(
          of: viewer.id, after: cursor, on: machine, limit: $0, in: reader)
      }
      let workouts = list.rows
      let names = try trainings.names(
        of: Set(workouts.compactMap(\.content.training)), in: reader)
      let statistics = try service.statisticsService.effective(
        viewer.id, now: context.now, in: reader)
      let isEmpty = cursor == nil && machine == nil && workouts.isEmpty
      return WorkoutHistoryView(
        // A client's claim may include workouts that are not on the server.
        sums: cursor == nil && machine == nil && (!isEmpty || statistics.totals.count > 0)
          ? try sums(statistics, of: viewer.id, formatter, in: reader) : nil,
        months: WorkoutMonthView.all(workouts, names, formatter),
        older: list.next.map { WorkoutLinks.history(after: $0, on: machine) },
        isEmpty: isEmpty, isNoneOfKind: machine != nil && cursor == nil && workouts.isEmpty,
        kinds: WorkoutKindView.all(chosen: machine, formatter),
        partner: try partner.people.partner(of: viewer, in: reader)?.name,
        isShared: try partner.store.isShared(by: viewer.id, in: reader),
        isPartnerShown: try partner.store.owner(for: viewer.id, in: reader) != nil)
    }
    return history.response(view, context)
  }

  private func sums(
    _ statistics: EffectiveStatistics, of person: ID<Person>, _ formatter: WorkoutFormatter,
    in reader: ReadTransaction
  ) throws -> WorkoutSumsView {
    let zone = try service.statisticsService.zone(of: person, in: reader)
    let today = LocalDay(formatter.context.now, in: zone)
    let days = try store.sums(
      of: person, from: WorkoutSpans.first(today: today), through: today, in: reader)
    return WorkoutSumsView(
      statistics, WorkoutSpans(days, today: today),
      goal: try WorkoutGoalStore().minutes(of: person, in: reader),
      bests: try WorkoutBestsStore().bests(of: person, in: reader), formatter)
  }

  // MARK: One workout

  @Sendable func show(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let id: ID<Workout> = try context.id()
    var (details, cheerer) = try service.database.read { reader in
      guard let workout = try service.workouts.find(id, of: viewer.id, in: reader) else {
        throw Problem.notFound
      }
      return (
        try service.details(workout, of: viewer.id, in: reader),
        try partner.store.cheerer(of: id, by: viewer.id, in: reader)
      )
    }
    details.training = try details.content.training.flatMap { try trainings.find($0, for: viewer) }
    let view = WorkoutDetailView(details, context, cheerer: cheerer)
    return detail.response(view, context, title: .named(view.title))
  }

  // MARK: Deleting

  @Sendable func askDeletion(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let id: ID<Workout> = try context.id()
    let found = try service.database.read { reader in
      try service.workouts.find(id, of: viewer.id, in: reader).map { workout in
        (
          workout: workout,
          names: try trainings.names(
            of: Set([workout.content.training].compactMap { $0 }), in: reader)
        )
      }
    }
    guard let found else { throw Problem.notFound }
    let formatter = WorkoutFormatter(context)
    let view = WorkoutDeleteView(
      id: id,
      what: [
        formatter.title(found.workout, found.names), formatter.longMoment(found.workout),
        formatter.clock(found.workout.content.duration),
      ].joined(separator: " · "))
    return deletion.response(view, context)
  }

  @Sendable func delete(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let id: ID<Workout> = try context.id()
    guard try service.remove(id, of: viewer.id, now: context.now) else { throw Problem.notFound }
    context.flash("toast.workout_deleted", link: (WorkoutLinks.undo(id), "toast.undo"))
    return .seeOther(WorkoutLinks.history)
  }
}

/// `/workouts/{id}/delete`: asks for confirmation.
struct WorkoutDeleteView: View {
  let id: ID<Workout>
  let what: String

  static let fields: [String: Field<WorkoutDeleteView>] = [
    "what": .text { $0.what },
    "action": .text { WorkoutLinks.delete($0.id) },
    "cancel_link": .text { WorkoutLinks.one($0.id) },
  ]
}
