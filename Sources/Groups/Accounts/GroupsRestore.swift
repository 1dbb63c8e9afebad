import Database

/// What a restored backup means for groups: nobody agreed to be seen now, and browsers know later
/// versions than the backup has.
enum GroupsRestore {
  /// Above what a group can have gained since: 250 members who move every second for a month and a
  /// half. Versions are whole numbers of JavaScript for millions of restores.
  static let leap: Int64 = 1_000_000_000

  static let step = RestoreStep("groups") { writer, _ in
    // The tables forget the places of who shares no more.
    let sharing = try writer.execute(
      "UPDATE group_members SET sharing_until = NULL WHERE sharing_until IS NOT NULL")
    try writer.execute("DELETE FROM member_locations")
    try writer.execute("UPDATE groups SET version = version + ?", leap)
    return sharing > 0 ? "\(sharing) shared places are forgotten: nobody shares theirs now" : nil
  }
}
