import Core
import Database

/// Consistency checks of notices, for imported or repaired databases.
struct NoticesDoctor: Sendable {
  /// How late the worker may be with removing expired pushes, in s.
  private static let grace: Int64 = .days(1)

  let clock: any Clock

  var checks: [DoctorCheck] { [Self.everyGatheredOneHasItsActors, noPushIsStuck] }

  private static let gathered = NoticeKind.allCases.filter(\.isGathered).map(\.rawValue)

  private static let without: Query = """
    FROM notifications n WHERE n.kind IN (\(values: gathered)) AND NOT EXISTS (
      SELECT 1 FROM notification_actors a WHERE a.notification_id = n.id)
    """

  private static let everyGatheredOneHasItsActors = DoctorCheck(
    "every notice has an actor",
    find: {
      try $0.rows("SELECT lower(hex(n.id)), n.kind \(without)") {
        "notice \(try $0.next(String.self)) (\(try $0.next(String.self))) has no actor"
      }
    },
    repair: {
      try $0.execute("DELETE FROM notifications WHERE id IN (SELECT n.id \(without))")
    })

  /// Pushes that no run will send or remove: due after their end, or later than any push lives
  /// (written with a clock that was ahead), or of an unknown kind. The notice itself is on the
  /// page.
  private var noPushIsStuck: DoctorCheck {
    DoctorCheck(
      "no push message is stuck",
      find: { try stuck(in: $0).map { "push message \($0) is stuck" } },
      repairInSteps: { database in
        let all = try database.read { try stuck(in: $0) }
        try database.writeInBatches(all) { push, writer in
          try writer.execute("DELETE FROM push_outbox WHERE id = \(push)")
        }
      })
  }

  private func stuck(in reader: ReadTransaction) throws -> [ID<PushOutbox.Entry>] {
    let now = clock.now()
    return try reader.values(
      """
      SELECT id FROM push_outbox
      WHERE ends_at < \(now.adding(seconds: -Self.grace))
        OR run_at > \(now.adding(seconds: NewNotice.maximumPushLifetime + PushOutbox.lease))
        OR kind NOT IN (\(values: NoticeKind.allCases.map(\.rawValue)))
      """)
  }
}
