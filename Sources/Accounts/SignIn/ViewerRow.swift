import Core
import Database
import Web

/// Reads a viewer by a session's cookie or an app's access token. Both queries share these columns
/// and joins.
enum ViewerRow {
  /// Columns for an alias `s` with `user_id` and `created_at`. `passkey` is the one
  /// that began the session, which replaces the second factor of staff. (SQLite evaluates both
  /// sides of an AND whose value it needs; CASE looks up the second factor of staff only.)
  static func columns(passkey: Query) -> Query {
    """
    u.id, u.role, s.created_at,
    CASE WHEN u.role > 2 THEN
      EXISTS (
        SELECT 1 FROM totp_secrets t
        WHERE t.user_id = u.id AND t.confirmed_at IS NOT NULL)
      OR EXISTS (SELECT 1 FROM passkeys k WHERE k.id = \(passkey) AND k.user_id = u.id)
      ELSE FALSE END,
    u.display_name, u.avatar, c.id, c.name, c.status, p.display_name, p.avatar,
    c.removed_at IS NOT NULL, c.anniversary, u.couple_side, u.language, u.theme, u.units,
    u.time_zone, u.time_zone_chosen, u.time_zone_declined, u.suspended_until, u.suspended_why
    """
  }

  static let joins: Query = """
    JOIN users u ON u.id = s.user_id
    LEFT JOIN couples c ON c.id = u.couple_id
    LEFT JOIN users p ON p.couple_id = u.couple_id AND p.couple_side = 3 - u.couple_side
      AND p.deleted_at IS NULL
    """

  /// The viewer with the current rights.
  static func viewer(_ row: inout RowReader, now: Instant) throws -> Viewer {
    let id = try row.next(ID<Person>.self)
    let role = StaffElevation.role(
      of: Role(rawValue: try row.next()) ?? .guest, signedInAt: try row.next(),
      hasSecondFactor: try row.next(), now: now)
    return Viewer(
      id: id, role: role,
      avatar: Viewer.Avatar(
        name: try row.next(), avatar: try row.next(String?.self).map(AccountLinks.media)),
      couple: try couple(&row),
      language: try row.next(String?.self).flatMap(Language.init(rawValue:)),
      theme: try row.next(String?.self).flatMap(Theme.init(rawValue:)),
      units: try row.next(String?.self).flatMap(LengthUnits.init(rawValue:)),
      timeZone: try timeZone(&row),
      suspension: ModerationStatuses.suspension(
        until: try row.next(), why: try row.next(), now: now))
  }

  private static func couple(_ row: inout RowReader) throws -> Viewer.CoupleSummary? {
    guard !row.isNextNull else {
      row.skip(8)
      return nil
    }
    return Viewer.CoupleSummary(
      id: try row.next(), name: try row.next(),
      status: CoupleStatus(rawValue: try row.next()) ?? .frozen,
      partner: try CoupleAvatars.avatar(&row), isRemoved: try row.next(),
      anniversary: try row.next(), isSecond: try row.next(Int.self) == 2)
  }

  private static func timeZone(_ row: inout RowReader) throws -> AccountTimeZone? {
    let name = try row.next(String?.self)
    let (isChosen, declined) = (try row.next(Bool.self), try row.next(String?.self))
    return name.map { AccountTimeZone(name: $0, isChosen: isChosen, declined: declined) }
  }
}
