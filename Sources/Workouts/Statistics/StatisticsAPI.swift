import Accounts
import Core
import Foundation
import Web

/// `/api/v1/users/me`: the user's profile and statistics (docs/api/workouts.md).
struct StatisticsAPI {
  private let service: WorkoutService
  private let profiles: ProfileStore

  init(service: WorkoutService, site: AppEnvironment) {
    self.service = service
    profiles = ProfileStore(database: site.database, baseURL: site.baseURL)
  }

  var routes: [Route] {
    [
      .api(
        .get, "/users/me", .atLeast(.guest),
        Operation("Get your profile and statistics", .workouts), handler: me),
      .api(
        .get, "/users/me/stats", .atLeast(.guest),
        Operation("Get your statistics", .workouts), handler: show),
      .api(
        .patch, "/users/me/stats", .atLeast(.guest),
        Operation(
          "Set your statistics", .workouts,
          note: """
            The client's values replace those counted by the server; later uploads are added to \
            them. For the streak and the last day, the larger value is used. Omitted fields stay \
            unchanged. Send this after the last batch, and only from a client that has the whole \
            history.
            """), handler: change),
    ]
  }

  @Sendable private func me(_ context: Context) throws -> CurrentUserResponse {
    let viewer = try context.signedIn()
    return CurrentUserResponse(
      profile: try profiles.profile(of: viewer),
      statistics: try service.statistics(of: viewer.id, now: context.now))
  }

  @Sendable private func show(_ context: Context) throws -> StatisticsResponse {
    let viewer = try context.signedIn()
    return StatisticsResponse(statistics: try service.statistics(of: viewer.id, now: context.now))
  }

  @Sendable private func change(
    _ draft: StatisticsClaimDraft, _ context: Context
  ) throws -> StatisticsResponse {
    let viewer = try context.signedIn()
    let claim = try draft.checked(today: context.today)
    return StatisticsResponse(
      statistics: try service.claim(claim, of: viewer.id, now: context.now))
  }
}
