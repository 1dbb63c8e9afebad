import Core
import Jobs

/// Background jobs of this module.
struct MomentJobs {
  let services: MomentsEnvironment

  private var purge: MomentPurge { MomentPurge(services: services) }

  var all: [JobKind] {
    [
      .recurring("moments.purge", every: .minutes(1), isPunctual: true) {
        try purge.purgeDue(now: $0)
      },
      .recurring("moments.remove-orphans", every: .hours(6)) { _ in try purge.removeOrphans() },
    ]
  }
}
