import Database

/// Handles a restored backup: no user has agreed to share their location now, and browsers know
/// later versions than the backup contains.
enum GroupsRestore {
  /// More than a group can have gained since: 250 members who move every second for a month and a
  /// half. Versions stay JavaScript-safe integers for millions of restores.
  static let leap: Int64 = 1_000_000_000

  static let step = RestoreStep("groups") { writer, _ in
    // Triggers delete the locations of members who no longer share.
    let sharing = try writer.execute(
      "UPDATE group_members SET sharing_until = NULL WHERE sharing_until IS NOT NULL")
    try writer.execute("DELETE FROM member_locations")
    try writer.execute("UPDATE groups SET version = version + \(leap)")
    return sharing > 0 ? "\(sharing) shared locations were deleted: location sharing is off" : nil
  }
}
