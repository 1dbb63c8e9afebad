import Accounts
import Core
import Database
import Templates
import Web
import WorkoutFiles

/// `/workouts/sharing`: whether the partner sees the user's workouts; and `/workouts/partner`: the
/// workouts of the partner, read only, with cheers.
struct PartnerWorkoutPages {
  private let service: WorkoutService
  private let partner: PartnerWorkoutsService
  private let trainings: any FollowableTrainings
  private let sharing: Page<WorkoutSharingView>
  private let list: Page<PartnerWorkoutsView>
  private let detail: Page<WorkoutDetailView>

  /// Throws if a template doesn't compile.
  init(
    _ site: AppEnvironment, service: WorkoutService, partner: PartnerWorkoutsService,
    trainings: any FollowableTrainings
  ) throws {
    self.service = service
    self.partner = partner
    self.trainings = trainings
    sharing = try Page("workouts/sharing", title: "workout_partner.setting", in: site)
    list = try Page("workouts/partner", in: site)
    detail = try Page("workouts/workout", in: site)
  }

  var routes: [Route] {
    [
      Route(.get, WorkoutLinks.sharing, .atLeast(.member), handler: showSharing),
      Route(.post, WorkoutLinks.sharing, .atLeast(.member), handler: saveSharing),
      Route(.get, WorkoutLinks.partner, .atLeast(.member), handler: showAll),
      Route(.get, "\(WorkoutLinks.partner)/:id", .atLeast(.member), handler: show),
      Route(
        .post, "\(WorkoutLinks.partner)/:id/cheer", .atLeast(.member), options: .closedToSuspended,
        handler: cheer),
    ]
  }

  // MARK: Sharing

  @Sendable func showSharing(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let view = try service.database.read { reader in
      guard let other = try partner.people.partner(of: viewer, in: reader) else {
        throw Problem.notFound
      }
      return WorkoutSharingView(
        partner: other.name, isShared: try partner.store.isShared(by: viewer.id, in: reader))
    }
    return sharing.response(view, context)
  }

  /// Browsers don't send an unchecked box.
  @Sendable func saveSharing(_ context: Context) throws -> Response {
    try partner.setShared(context.form["shared"] == "1", by: context.signedIn())
    context.flash("toast.saved")
    return .seeOther(WorkoutLinks.history)
  }

  // MARK: The partner's workouts

  @Sendable func showAll(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let cursor = PageCursor<Workout>(context.request.queryValue("after"))
    let view = try service.database.read { reader in
      let owner = try partner.owner(for: viewer, in: reader)
      let page = try ListPage(limit: WorkoutPages.pageSize, cursor: PageCursor<Workout>.init) {
        try service.workouts.list(of: owner, after: cursor, limit: $0, in: reader)
      }
      let names = try trainings.names(
        of: Set(page.rows.compactMap(\.content.training)), in: reader)
      return PartnerWorkoutsView(
        name: try partner.people.card(owner, in: reader)?.name ?? "",
        months: WorkoutMonthView.all(
          page.rows, names, WorkoutFormatter(context), link: WorkoutLinks.partners),
        isEmpty: cursor == nil && page.rows.isEmpty,
        older: page.next.map { "\(WorkoutLinks.partner)?after=\($0.text)" })
    }
    return list.response(
      view, context, title: .named(context.text("workout_partner.of", ["name": view.name])))
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let id: ID<Workout> = try context.id()
    var (details, owner) = try service.database.read { reader in
      let seen = try partner.find(id, for: viewer, in: reader)
      return (
        try service.details(seen.workout, of: seen.owner, in: reader),
        (
          name: try partner.people.card(seen.owner, in: reader)?.name ?? "",
          isCheered: seen.isCheered
        )
      )
    }
    details.training = try details.content.training.flatMap { try trainings.find($0, for: viewer) }
    let view = WorkoutDetailView(details, context, owner: owner)
    return detail.response(view, context, title: .named(view.title))
  }

  @Sendable func cheer(_ context: Context) throws -> Response {
    let id: ID<Workout> = try context.id()
    try partner.setCheer(
      context.form["cheer"] == "1", for: id, by: context.signedIn(), now: context.now)
    return .seeOther(WorkoutLinks.partners(id))
  }
}

/// The content of `/workouts/sharing`.
struct WorkoutSharingView: View {
  let partner: String
  let isShared: Bool

  static let fields: [String: Field<WorkoutSharingView>] = [
    "partner": .text { $0.partner },
    "shared": .flag { $0.isShared },
    "action": .text { _ in WorkoutLinks.sharing },
    "back_link": .text { _ in WorkoutLinks.history },
  ]
}

/// The content of `/workouts/partner`.
struct PartnerWorkoutsView: View {
  let name: String
  let months: [WorkoutMonthView]
  let isEmpty: Bool
  let older: String?

  static let fields: [String: Field<PartnerWorkoutsView>] = [
    "name": .text { $0.name },
    "months": .list { $0.months },
    "empty": .flag { $0.isEmpty },
    "older": .optionalText { $0.older },
    "partner_link": .text { _ in WorkoutLinks.partner },
  ]
}
