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
        WHERE c.id = \(id) AND (EXISTS (
            SELECT 1 FROM couples_open n WHERE n.id = c.id AND NOT EXISTS (
              SELECT 1 FROM couples_apart x
              WHERE x.one_id = c.id AND x.other_id = \(viewer?.couple?.id)))
          OR EXISTS (
            SELECT 1 FROM couples_own o WHERE o.couple_id = c.id AND o.user_id = \(viewer?.id)))
          AND (c.first_name IS NOT NULL OR c.second_name IS NOT NULL)
        """
      ) { row in
        CoupleProfile(
          id: id, name: try row.next(), anniversary: try row.next(), bio: try row.next(),
          status: CoupleStatus(rawValue: try row.next()) ?? .frozen,
          avatar: try row.next(String?.self).map(AccountLinks.media),
          people: try CoupleAvatars.read(&row))
      }
    }
  }

  func add(
    _ id: ID<Couple>, name: String, anniversary: LocalDay?, status: CoupleStatus, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO couples (id, name, anniversary, status, created_at)
      VALUES (\(id), \(name), \(anniversary), \(status.rawValue), \(now))
      """)
  }

  func join(_ couple: ID<Couple>, person: ID<Person>, now: Instant, in writer: WriteTransaction)
    throws
  {
    try writer.execute(
      """
      INSERT INTO couple_members (couple_id, user_id, joined_at)
      VALUES (\(couple), \(person), \(now))
      """)
  }

  func activate(_ couple: ID<Couple>, in writer: WriteTransaction) throws {
    try writer.execute(
      "UPDATE couples SET status = 'active' WHERE id = \(couple) AND status = 'pending'")
  }

  /// The couple to which the viewer's posts belong. The first post of a single member creates a
  /// couple of one (docs/developer/product.md#who-may-post).
  public func coupleForPosting(
    _ viewer: Viewer, now: Instant, in writer: WriteTransaction
  ) throws -> ID<Couple> {
    let current = try writer.first(
      """
      SELECT c.id, c.status, c.removed_at IS NOT NULL
      FROM users u JOIN couples c ON c.id = u.couple_id WHERE u.id = \(viewer.id)
      """
    ) {
      (
        id: try $0.next(ID<Couple>.self), status: CoupleStatus(rawValue: try $0.next()),
        isRemoved: try $0.next(Bool.self)
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
      "UPDATE users SET couple_id = \(couple), couple_side = 1 WHERE id = \(viewer.id)")
    try join(couple, person: viewer.id, now: now, in: writer)
    return couple
  }

  /// The couple whose folder holds a user's own picture: the user's couple in any status, or a new
  /// couple of one.
  func coupleForAvatar(
    _ viewer: Viewer, now: Instant, in writer: WriteTransaction
  ) throws -> ID<Couple> {
    let current = try writer.value(
      "SELECT couple_id FROM users WHERE id = \(viewer.id)", as: ID<Couple>?.self)
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
      WHERE couple_id = \(couple) AND deleted_at IS NULL ORDER BY couple_side
      """
    ) {
      (
        try $0.next(ID<Person>.self),
        Viewer.Avatar(
          name: try $0.next(), avatar: try $0.next(String?.self).map(AccountLinks.media))
      )
    }
  }

  /// Whether the viewer is in this couple and may change it now.
  func isOpen(_ couple: ID<Couple>, to viewer: Viewer, in writer: WriteTransaction) throws -> Bool {
    try writer.exists(
      """
      SELECT 1 FROM users u JOIN couples c ON c.id = u.couple_id
      WHERE u.id = \(viewer.id) AND c.id = \(couple) AND c.status <> 'frozen'
        AND c.removed_at IS NULL
      """)
  }

  /// Saves the changes of one partner; returns false if the couple is not the viewer's, or frozen.
  func edit(
    _ id: ID<Couple>, by viewer: Viewer, name: String, anniversary: LocalDay?, bio: String,
    in writer: WriteTransaction
  ) throws -> Bool {
    try writer.execute(
      """
      UPDATE couples SET name = \(name), bio = \(bio),
        anniversary = CASE status WHEN 'single' THEN NULL ELSE CAST(\(anniversary) AS BIGINT) END
      WHERE id = \(id) AND id = (SELECT couple_id FROM users WHERE id = \(viewer.id))
        AND status <> 'frozen' AND removed_at IS NULL
      """) == 1
  }

  /// Sets the couple's picture; returns the path of the previous one.
  func setAvatar(_ path: String, of couple: ID<Couple>, in writer: WriteTransaction) throws
    -> String?
  {
    let before = try writer.value(
      "SELECT avatar FROM couples WHERE id = \(couple)", as: String?.self)
    try writer.execute("UPDATE couples SET avatar = \(path) WHERE id = \(couple)")
    return before ?? nil
  }

  /// Sets a user's own picture; returns the path of the previous one.
  func setAvatar(_ path: String, of person: ID<Person>, in writer: WriteTransaction) throws
    -> String?
  {
    let before = try writer.value("SELECT avatar FROM users WHERE id = \(person)", as: String?.self)
    try writer.execute("UPDATE users SET avatar = \(path) WHERE id = \(person)")
    return before ?? nil
  }

  /// Whether a path below the media folder is an avatar that the viewer may see; `forAll` if every
  /// visitor may.
  func avatar(_ thumbPath: String, to viewer: Viewer?) throws -> (found: Bool, forAll: Bool) {
    try database.read { reader in
      let status = try reader.first(
        """
        SELECT c.id, CASE WHEN c.hidden_at IS NULL THEN c.status END, NULL FROM couples c
        WHERE c.avatar = \(thumbPath)
          AND EXISTS (
            SELECT 1 FROM couple_members m JOIN users u ON u.id = m.user_id
            WHERE m.couple_id = c.id AND u.deleted_at IS NULL)
        UNION ALL
        SELECT c.id, CASE WHEN c.hidden_at IS NULL THEN coalesce(c.status, 'single') END, u.id
        FROM users u LEFT JOIN couples c ON c.id = u.couple_id
        WHERE u.avatar = \(thumbPath) AND u.deleted_at IS NULL
        """
      ) {
        (
          couple: try $0.next(ID<Couple>?.self), status: try $0.next(String?.self),
          person: try $0.next(ID<Person>?.self)
        )
      }
      guard let status else { return (false, false) }
      let forAll = status.status == "active" || status.status == "single"
      let own = try reader.exists(
        """
        SELECT 1 FROM couples_own WHERE couple_id = \(status.couple) AND user_id = \(viewer?.id)
        LIMIT 1
        """)
      let isApart = try reader.exists(
        """
        SELECT 1 FROM couples_apart
        WHERE one_id = \(status.couple) AND other_id = \(viewer?.couple?.id) LIMIT 1
        """)
      return (
        (forAll && !isApart) || own || (status.person != nil && status.person == viewer?.id), forAll
      )
    }
  }
}

/// Reads the avatar columns of `couples_seen`: four columns, names and pictures of up to two users.
public enum CoupleAvatars {
  public static func read(_ row: inout RowReader) throws -> [Viewer.Avatar] {
    [try avatar(&row), try avatar(&row)].compactMap { $0 }
  }

  /// Two columns, name and picture; nil without a name.
  static func avatar(_ row: inout RowReader) throws -> Viewer.Avatar? {
    let (name, avatar) = (try row.next(String?.self), try row.next(String?.self))
    return name.map { Viewer.Avatar(name: $0, avatar: avatar.map(AccountLinks.media)) }
  }
}
