import Accounts
import Basics
import Foundation
import Web

/// `/api/v1/users/me`: who one is, and one's figures (docs/api/workouts.md).
struct StatsAPI {
  private let desk: WorkoutDesk
  private let profiles: ProfileStore

  init(desk: WorkoutDesk, site: Site) {
    self.desk = desk
    profiles = ProfileStore(database: site.database, baseURL: site.baseURL)
  }

  var routes: [Route] {
    [
      .api(
        .get, "/users/me", .atLeast(.guest),
        Operation("Your profile and your statistics", .workouts), handler: me),
      .api(
        .get, "/users/me/stats", .atLeast(.guest),
        Operation("Your statistics", .workouts), handler: show),
      .api(
        .patch, "/users/me/stats", .atLeast(.guest),
        Operation(
          "Say what your statistics are", .workouts,
          note: """
            The client's word wins over what the server counts, and what is uploaded later is \
            added to it; streak and last day are the larger of the two. What is left out stays as \
            it is. Send it after the last batch, and only by a client that holds the whole history.
            """), handler: change),
    ]
  }

  @Sendable private func me(_ context: Context) throws -> MeRecord {
    let viewer = try context.signedIn()
    return MeRecord(
      profile: try profiles.profile(of: viewer),
      statistics: try desk.statistics(of: viewer.id, now: context.now))
  }

  @Sendable private func show(_ context: Context) throws -> StatisticsRecord {
    let viewer = try context.signedIn()
    return StatisticsRecord(statistics: try desk.statistics(of: viewer.id, now: context.now))
  }

  @Sendable private func change(
    _ draft: StatisticsClaimDraft, _ context: Context
  ) throws -> StatisticsRecord {
    let viewer = try context.signedIn()
    let claim = try draft.checked(today: LocalDay(context.now, in: context.timeZone))
    return StatisticsRecord(
      statistics: try desk.claim(claim, of: viewer.id, now: context.now))
  }
}
