import Core
import Database
import Web

/// A couple as shown on its own page.
public struct CoupleProfile: Sendable {
  public let id: ID<Couple>
  public let name: String
  public let anniversary: LocalDay?
  public let bio: String
  public let status: CoupleStatus
  /// The path of the couple's picture, if there is one.
  public let avatar: String?
  public let people: [Viewer.Avatar]
}

/// Couples and their members.
public struct CoupleStore: Sendable {
  let database: Database

  public init(database: Database) {
    self.database = database
  }

  /// A couple that the viewer may see. Active and single couples are visible to all except couples
  /// separated by a block; all others, and hidden ones, only to their current and former members.
  public func visible(_ id: ID<Couple>, to viewer: Viewer?) throws -> CoupleProfile? {
    try database.read { reader in
      try reader.first(
        """
        SELECT c.name, c.anniversary, k.bio, c.status, c.avatar,
               c.first_name, c.first_avatar, c.second_name, c.second_avatar
        FROM couples_seen c JOIN couples k ON k.id = c.id
        WHERE c.id = ? AND (EXISTS (
            SELECT 1 FROM couples_open n WHERE n.id = c.id AND NOT EXISTS (
              SELECT 1 FROM couples_apart x WHERE x.one_id = c.id AND x.other_id = ?))
          OR EXISTS (SELECT 1 FROM couples_own o WHERE o.couple_id = c.id AND o.user_id = ?))
          AND (c.first_name IS NOT NULL OR c.second_name IS NOT NULL)
        """, id, viewer?.couple?.id, viewer?.id
      ) { row in
        CoupleProfile(
          id: id, name: row.text(0), anniversary: row.optionalDay(1), bio: row.text(2),
          status: CoupleStatus(rawValue: row.text(3)) ?? .frozen,
          avatar: row.optionalText(4).map(AccountLinks.media),
          people: CoupleAvatars.read(row, from: 5))
      }
    }
  }

  func add(
    _ id: ID<Couple>, name: String, anniversary: LocalDay?, status: CoupleStatus, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try writer.execute(
      "INSERT INTO couples (id, name, anniversary, status, created_at) VALUES (?, ?, ?, ?, ?)",
      id, name, anniversary, status.rawValue, now)
  }

  func join(_ couple: ID<Couple>, person: ID<Person>, now: Instant, in writer: WriteTransaction)
    throws
  {
    try writer.execute(
      "INSERT INTO couple_members (couple_id, user_id, joined_at) VALUES (?, ?, ?)",
      couple, person, now)
  }

  func activate(_ couple: ID<Couple>, in writer: WriteTransaction) throws {
    try writer.execute(
      "UPDATE couples SET status = 'active' WHERE id = ? AND status = 'pending'", couple)
  }

  /// The couple to which the viewer's posts belong. The first post of a single member creates a
  /// couple of one (docs/developer/product.md#who-may-post).
  public func coupleForPosting(
    _ viewer: Viewer, now: Instant, in writer: WriteTransaction
  ) throws -> ID<Couple> {
    let current = try writer.first(
      """
      SELECT c.id, c.status, c.removed_at FROM users u JOIN couples c ON c.id = u.couple_id
      WHERE u.id = ?
      """, viewer.id
    ) {
      (
        id: try $0.id(0, Couple.self), status: CoupleStatus(rawValue: $0.text(1)),
        isRemoved: !$0.isNull(2)
      )
    }
    if let current {
      // The couple may have separated since the request began, or a moderator removed it.
      guard current.status == .active || current.status == .single, !current.isRemoved else {
        throw Problem.forbidden
      }
      return current.id
    }
    let couple = ID<Couple>(now: now)
    try add(
      couple, name: viewer.avatar.name, anniversary: nil, status: .single, now: now, in: writer)
    try writer.execute(
      "UPDATE users SET couple_id = ?, couple_side = 1 WHERE id = ?", couple, viewer.id)
    try join(couple, person: viewer.id, now: now, in: writer)
    return couple
  }

  /// The couple whose folder holds a user's own picture: the user's couple in any status, or a new
  /// couple of one.
  func coupleForAvatar(
    _ viewer: Viewer, now: Instant, in writer: WriteTransaction
  ) throws -> ID<Couple> {
    let current = try writer.first("SELECT couple_id FROM users WHERE id = ?", viewer.id) {
      try $0.optionalID(0, Couple.self)
    }
    if let current = current ?? nil { return current }
    return try coupleForPosting(viewer, now: now, in: writer)
  }

  /// The members of a couple who are not deleted, in the order of their sides.
  func partners(
    in couple: ID<Couple>, _ reader: ReadTransaction
  ) throws -> [(id: ID<Person>, avatar: Viewer.Avatar)] {
    try reader.rows(
      """
      SELECT id, display_name, avatar FROM users
      WHERE couple_id = ? AND deleted_at IS NULL ORDER BY couple_side
      """, couple
    ) {
      (
        try $0.id(0),
        Viewer.Avatar(name: $0.text(1), avatar: $0.optionalText(2).map(AccountLinks.media))
      )
    }
  }

  /// Whether the viewer is in this couple and may change it now.
  func isOpen(_ couple: ID<Couple>, to viewer: Viewer, in writer: WriteTransaction) throws -> Bool {
    try writer.exists(
      """
      SELECT 1 FROM users u JOIN couples c ON c.id = u.couple_id
      WHERE u.id = ? AND c.id = ? AND c.status <> 'frozen' AND c.removed_at IS NULL
      """, viewer.id, couple)
  }

  /// Saves the changes of one partner; returns false if the couple is not the viewer's, or frozen.
  func edit(
    _ id: ID<Couple>, by viewer: Viewer, name: String, anniversary: LocalDay?, bio: String,
    in writer: WriteTransaction
  ) throws -> Bool {
    try writer.execute(
      """
      UPDATE couples SET name = ?, anniversary = CASE status WHEN 'single' THEN NULL ELSE ? END,
        bio = ?
      WHERE id = ? AND id = (SELECT couple_id FROM users WHERE id = ?) AND status <> 'frozen'
        AND removed_at IS NULL
      """, name, anniversary, bio, id, viewer.id) == 1
  }

  /// Sets the couple's picture; returns the path of the previous one.
  func setAvatar(_ path: String, of couple: ID<Couple>, in writer: WriteTransaction) throws
    -> String?
  {
    let before = try writer.first("SELECT avatar FROM couples WHERE id = ?", couple) {
      $0.optionalText(0)
    }
    try writer.execute("UPDATE couples SET avatar = ? WHERE id = ?", path, couple)
    return before ?? nil
  }

  /// Sets a user's own picture; returns the path of the previous one.
  func setAvatar(_ path: String, of person: ID<Person>, in writer: WriteTransaction) throws
    -> String?
  {
    let before = try writer.first("SELECT avatar FROM users WHERE id = ?", person) {
      $0.optionalText(0)
    }
    try writer.execute("UPDATE users SET avatar = ? WHERE id = ?", path, person)
    return before ?? nil
  }

  /// Whether a path below the media folder is an avatar that the viewer may see; `forAll` if every
  /// visitor may.
  func avatar(_ thumbPath: String, to viewer: Viewer?) throws -> (found: Bool, forAll: Bool) {
    try database.read { reader in
      let status = try reader.first(
        """
        SELECT c.id, CASE WHEN c.hidden_at IS NULL THEN c.status END, NULL FROM couples c
        WHERE c.avatar = ?
          AND EXISTS (
            SELECT 1 FROM couple_members m JOIN users u ON u.id = m.user_id
            WHERE m.couple_id = c.id AND u.deleted_at IS NULL)
        UNION ALL
        SELECT c.id, CASE WHEN c.hidden_at IS NULL THEN coalesce(c.status, 'single') END, u.id
        FROM users u
        LEFT JOIN couples c ON c.id = u.couple_id WHERE u.avatar = ? AND u.deleted_at IS NULL
        """, thumbPath, thumbPath
      ) {
        (
          couple: try $0.optionalID(0, Couple.self), status: $0.text(1),
          person: try $0.optionalID(2, Person.self)
        )
      }
      guard let status else { return (false, false) }
      let forAll = status.status == "active" || status.status == "single"
      let own = try reader.exists(
        "SELECT 1 FROM couples_own WHERE couple_id = ? AND user_id = ? LIMIT 1", status.couple,
        viewer?.id)
      let isApart = try reader.exists(
        "SELECT 1 FROM couples_apart WHERE one_id = ? AND other_id = ? LIMIT 1", status.couple,
        viewer?.couple?.id)
      return (
        (forAll && !isApart) || own || (status.person != nil && status.person == viewer?.id), forAll
      )
    }
  }
}

/// Reads the avatar columns of `couples_seen`: four columns, names and pictures of up to two users.
public enum CoupleAvatars {
  public static func read(_ row: Row, from column: Int32) -> [Viewer.Avatar] {
    [column, column + 2].compactMap { place in
      row.optionalText(place).map {
        Viewer.Avatar(name: $0, avatar: row.optionalText(place + 1).map(AccountLinks.media))
      }
    }
  }
}
