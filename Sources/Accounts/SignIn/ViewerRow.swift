import Core
import Database
import Web

/// Reads a viewer by a session's cookie or an app's access token. Both queries share these columns
/// and joins.
enum ViewerRow {
  /// Columns for an alias `s` with `user_id` and `created_at`; 20 in total.
  static let columns = """
    u.id, u.role, u.display_name, u.avatar, u.language, u.theme, u.time_zone,
    c.id, c.name, c.status, p.display_name, p.avatar, s.seen_at, s.created_at,
    u.role > 2 AND EXISTS (
      SELECT 1 FROM totp_secrets t
      WHERE t.user_id = u.id AND t.confirmed_at IS NOT NULL),
    u.suspended_until, u.suspended_why, c.removed_at IS NOT NULL,
    u.time_zone_chosen, u.time_zone_declined
    """

  static let joins = """
    JOIN users u ON u.id = s.user_id
    LEFT JOIN couples c ON c.id = u.couple_id
    LEFT JOIN users p ON p.couple_id = u.couple_id AND p.couple_side = 3 - u.couple_side
      AND p.deleted_at IS NULL
    """

  /// The viewer with the current rights.
  static func viewer(_ row: Row, now: Instant) throws -> Viewer {
    let role = StaffElevation.role(
      of: Role(rawValue: row.int(1)) ?? .guest, signedInAt: row.instant(13),
      hasSecondFactor: row.flag(14), now: now)
    let couple: Viewer.CoupleSummary? = try row.optionalID(7, Couple.self).map { id in
      Viewer.CoupleSummary(
        id: id, name: row.text(8), status: CoupleStatus(rawValue: row.text(9)) ?? .frozen,
        partner: row.optionalText(10).map {
          Viewer.Avatar(name: $0, avatar: row.optionalText(11).map(AccountLinks.media))
        }, isRemoved: row.flag(17))
    }
    return Viewer(
      id: try row.id(0), role: role,
      avatar: Viewer.Avatar(
        name: row.text(2), avatar: row.optionalText(3).map(AccountLinks.media)),
      couple: couple,
      language: row.optionalText(4).flatMap(Language.init(rawValue:)),
      theme: row.optionalText(5).flatMap(Theme.init(rawValue:)),
      timeZone: row.optionalText(6).map {
        AccountTimeZone(name: $0, isChosen: row.flag(18), declined: row.optionalText(19))
      },
      suspension: ModerationStatuses.suspension(
        until: row.optionalInstant(15), why: row.text(16), now: now))
  }
}
