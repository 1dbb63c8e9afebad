import Accounts
import Core
import Database
import Web

/// Reads moments, as one viewer sees them.
struct MomentStore: Sendable {
  /// A moment that this viewer sees at this time; nil for all others.
  func find(
    _ id: ID<Moment>, for viewer: Viewer, now: Instant, in reader: ReadTransaction
  ) throws -> Moment? {
    try reader.first(
      """
      SELECT \(Self.columns(viewer)) FROM moments m JOIN people_seen w ON w.id = m.author_id
      WHERE m.id = \(id) AND \(MomentVisibility.seen(by: viewer, now: now))
      """, make: Self.moment)
  }

  /// The moments of a couple that this viewer sees at this time, the oldest first.
  func moments(
    of couple: ID<Couple>, for viewer: Viewer, now: Instant, in reader: ReadTransaction
  ) throws -> [Moment] {
    try reader.rows(
      """
      SELECT \(Self.columns(viewer)) FROM moments m JOIN people_seen w ON w.id = m.author_id
      WHERE m.couple_id = \(couple) AND \(MomentVisibility.seen(by: viewer, now: now))
      ORDER BY m.ends_at, m.id LIMIT \(MomentRules.maximumShown)
      """, make: Self.moment)
  }

  /// The couples with moments that this viewer sees: the own one first, then those with unseen
  /// moments, each by the latest moment. None for a viewer without a couple, who follows no other.
  func circles(
    for viewer: Viewer, now: Instant, in reader: ReadTransaction
  ) throws -> [MomentCircle] {
    guard let own = viewer.couple, !own.isRemoved else { return [] }
    // Each part is in the order of an index. Sorted by SQLite, they would need temporary tables,
    // which cost more than the rest.
    let found = try reader.rows(
      """
      SELECT m.couple_id, \(Self.counts(for: viewer)) FROM moments m
      WHERE m.couple_id = \(own.id) AND \(MomentVisibility.isThere(now, for: viewer))
      GROUP BY m.couple_id
      UNION ALL
      SELECT f.followed_id, \(Self.counts(for: viewer))
      FROM follows_open f CROSS JOIN moments m
      WHERE f.follower_id = \(own.id) AND m.couple_id = f.followed_id
        AND \(MomentVisibility.isThere(now, for: viewer)) AND \(MomentVisibility.isForFollowers)
      GROUP BY f.followed_id
      """
    ) {
      CircleCounts(
        couple: try $0.next(), count: try $0.next(), unseen: try $0.next(),
        latestAt: try $0.next())
    }
    let shown = found.sorted { $0.order(own: own.id) < $1.order(own: own.id) }
      .prefix(MomentRules.circles)
    var couples = try self.couples(shown.map(\.couple).filter { $0 != own.id }, in: reader)
    couples[own.id] = (name: own.name, people: viewer.coupleMembers)
    return shown.compactMap { circle in
      couples[circle.couple].map { name, people in
        MomentCircle(
          couple: circle.couple, name: name, people: people, count: circle.count,
          unseen: circle.unseen, latestAt: circle.latestAt)
      }
    }
  }

  /// The moments of a couple, those that the viewer has not seen, and when the latest was made.
  private struct CircleCounts {
    let couple: ID<Couple>
    let count: Int
    let unseen: Int
    let latestAt: Instant

    func order(own: ID<Couple>) -> (Int, Int, Int64, ID<Couple>) {
      (couple == own ? 0 : 1, unseen > 0 ? 0 : 1, -latestAt.milliseconds, couple)
    }
  }

  private static func counts(for viewer: Viewer) -> Query {
    """
    count(*), count(*) FILTER (WHERE m.author_id <> \(viewer.id) AND NOT EXISTS (
      SELECT 1 FROM moment_views v WHERE v.moment_id = m.id AND v.user_id = \(viewer.id))),
    max(m.created_at)
    """
  }

  /// The names and the members of couples, as far as they are not deleted.
  private func couples(
    _ ids: [ID<Couple>], in reader: ReadTransaction
  ) throws -> [ID<Couple>: (name: String, people: [Viewer.Avatar])] {
    if ids.isEmpty { return [:] }
    let rows = try reader.rows(
      """
      SELECT c.id, c.name, c.first_name, c.first_avatar, c.second_name, c.second_avatar
      FROM \(IDList(ids)) AS i CROSS JOIN couples_seen c WHERE c.id = i.id
      """
    ) {
      (
        id: try $0.next(ID<Couple>.self), name: try $0.next(String.self),
        people: try CoupleAvatars.read(&$0)
      )
    }
    return Dictionary(rows.map { ($0.id, (name: $0.name, people: $0.people)) }) { first, _ in first
    }
  }

  /// The name and the members of a couple, as far as they are not deleted.
  func couple(
    _ id: ID<Couple>, in reader: ReadTransaction
  ) throws -> (name: String, people: [Viewer.Avatar])? {
    try reader.first(
      """
      SELECT c.name, c.first_name, c.first_avatar, c.second_name, c.second_avatar
      FROM couples_seen c WHERE c.id = \(id)
      """
    ) { (name: try $0.next(String.self), people: try CoupleAvatars.read(&$0)) }
  }

  // MARK: Viewers

  /// The members who have seen a moment, the latest first. Leaves out deleted accounts, and couples
  /// that a block separates from the moment's.
  func viewers(
    of moment: Moment, after cursor: PageCursor<Person>, limit: Int, in reader: ReadTransaction
  ) throws -> [MomentViewer] {
    try reader.rows(
      """
      SELECT v.user_id, w.name, w.avatar, v.seen_at, u.couple_id, (
        SELECT c.name FROM couples_seen c JOIN couples_open k ON k.id = c.id
        WHERE c.id = u.couple_id)
      FROM moment_views v JOIN people_seen w ON w.id = v.user_id
      LEFT JOIN couples_people u ON u.user_id = v.user_id
      WHERE v.moment_id = \(moment.id) AND (v.seen_at, v.user_id) < \(cursor)
        AND NOT EXISTS (
          SELECT 1 FROM couples_apart x
          WHERE x.one_id = \(moment.couple) AND x.other_id = u.couple_id)
      ORDER BY v.seen_at DESC, v.user_id DESC LIMIT \(limit)
      """
    ) { row in
      let person = try row.next(ID<Person>.self)
      let avatar = Viewer.Avatar(
        name: try row.next(), avatar: try row.next(String?.self).map(AccountLinks.media))
      let at = try row.next(Instant.self)
      let (couple, name) = (try row.next(ID<Couple>?.self), try row.next(String?.self))
      let shown = couple.flatMap { id in name.map { (id: id, name: $0) } }
      return MomentViewer(person: person, avatar: avatar, couple: shown, at: at)
    }
  }

  /// The number of members in `viewers`.
  func viewerCount(of moment: Moment, in reader: ReadTransaction) throws -> Int {
    try reader.count(
      """
      SELECT count(*) FROM moment_views v JOIN people_seen w ON w.id = v.user_id
      LEFT JOIN couples_people u ON u.user_id = v.user_id
      WHERE v.moment_id = \(moment.id) AND NOT EXISTS (
        SELECT 1 FROM couples_apart x
        WHERE x.one_id = \(moment.couple) AND x.other_id = u.couple_id)
      """)
  }

  // MARK: Columns

  private static func columns(_ viewer: Viewer) -> Query {
    """
    m.id, m.couple_id, m.author_id, w.name, w.avatar, m.audience, m.words, m.file_id, m.extension,
    m.width, m.height, m.has_webp, m.milliseconds, m.has_sound, m.created_at, m.ends_at,
    m.hidden_at IS NOT NULL, \(MomentVisibility.isOfCouple(of: viewer)),
    m.author_id = \(viewer.id) OR EXISTS (
      SELECT 1 FROM moment_views v WHERE v.moment_id = m.id AND v.user_id = \(viewer.id))
    """
  }

  private static func moment(_ row: inout RowReader) throws -> Moment {
    let (id, couple) = (try row.next(ID<Moment>.self), try row.next(ID<Couple>.self))
    let author = try row.next(ID<Person>.self)
    let avatar = Viewer.Avatar(
      name: try row.next(), avatar: try row.next(String?.self).map(AccountLinks.media))
    let audience = Moment.Audience(rawValue: try row.next()) ?? .couple
    let words = try row.next(String.self)
    let file = try row.next(ID<MomentFile>.self)
    let fileExtension = try row.next(String.self)
    let (width, height) = (try row.next(Int.self), try row.next(Int.self))
    let hasWebP = try row.next(Bool.self)
    let milliseconds = try row.next(Int?.self)
    let hasSound = try row.next(Bool.self)
    return Moment(
      id: id, couple: couple, author: author, avatar: avatar, audience: audience, words: words,
      file: file,
      content: content(fileExtension, hasWebP: hasWebP, milliseconds, hasSound: hasSound),
      width: width, height: height, createdAt: try row.next(), endsAt: try row.next(),
      isHidden: try row.next(), isOfOwnCouple: try row.next(), isSeen: try row.next())
  }

  /// The kind of file of these columns: `extension`, `has_webp`, `milliseconds`, `has_sound`.
  static func content(
    _ fileExtension: String, hasWebP: Bool, _ milliseconds: Int?, hasSound: Bool
  ) -> Moment.Content {
    milliseconds.map { .film(milliseconds: $0, hasSound: hasSound) }
      ?? .picture(fileExtension: fileExtension, hasWebP: hasWebP)
  }
}
