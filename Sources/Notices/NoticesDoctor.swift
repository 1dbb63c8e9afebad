import Database

/// What has to hold of notices, whatever has happened to an imported or mended database.
enum NoticesDoctor {
  static let checks = [everyGatheredOneHasItsActors]

  private static let gathered = NoticeKind.allCases.filter(\.isGathered)
    .map { "'\($0.rawValue)'" }.joined(separator: ", ")

  private static let without = """
    FROM notifications n WHERE n.kind IN (\(gathered)) AND NOT EXISTS (
      SELECT 1 FROM notification_actors a WHERE a.notification_id = n.id)
    """

  private static let everyGatheredOneHasItsActors = DoctorCheck(
    "notices say who did it",
    find: {
      try $0.rows("SELECT lower(hex(n.id)), n.kind \(without)") {
        "notice \($0.text(0)) (\($0.text(1))) names nobody"
      }
    },
    repair: {
      try $0.execute("DELETE FROM notifications WHERE id IN (SELECT n.id \(without))")
    })
}
