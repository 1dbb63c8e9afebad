import Core
import Database

/// The invariants of moments.
struct MomentsDoctor {
  /// The time after its hour for which a moment may still be there, in s: the job runs every minute.
  private static let grace: Int64 = .minutes(15)

  let services: MomentsEnvironment

  var checks: [DoctorCheck] { [nothingIsOverdue] }

  private var nothingIsOverdue: DoctorCheck {
    DoctorCheck(
      "moments that are over are removed",
      find: { reader in
        let now = services.site.clock.now()
        return try reader.rows(
          """
          SELECT id FROM moments
          WHERE purge_at IS NOT NULL AND purge_at <= \(now.adding(seconds: -Self.grace))
          """
        ) { "moment \(try $0.next(ID<Moment>.self)) is over and still there" }
      },
      repairInSteps: { database in
        try MomentPurge(services: services, database: database)
          .purgeDue(now: services.site.clock.now())
      })
  }
}
