import Accounts
import Core
import Database

/// A user who likes a post, with the couple that others see of them.
struct Liker {
  let person: ID<Person>
  let avatar: Viewer.Avatar
  let couple: (id: ID<Couple>, name: String)?
}

/// Reads likes of posts.
struct LikerStore {
  /// The users who like a post, by the age of their accounts, after one of them. People that the
  /// viewer does not see elsewhere are left out: of blocked, hidden and frozen couples.
  func likers(
    of post: ID<Post>, for viewer: Viewer?, after last: ID<Person>?, limit: Int,
    in reader: ReadTransaction
  ) throws -> [Liker] {
    try reader.rows(
      """
      SELECT l.user_id, w.name, w.avatar, u.couple_id,
        (SELECT c.name FROM couples_seen c WHERE c.id = u.couple_id)
      FROM likes l JOIN people_seen w ON w.id = l.user_id JOIN users u ON u.id = l.user_id
      WHERE l.post_id = \(post) AND l.user_id > \(last?.bytes ?? [])
        AND (u.couple_id IS NULL OR u.couple_id = \(viewer?.couple?.id)
          OR EXISTS (SELECT 1 FROM couples_open k WHERE k.id = u.couple_id))
        AND NOT EXISTS (
          SELECT 1 FROM couples_apart x
          WHERE x.one_id = u.couple_id AND x.other_id = \(viewer?.couple?.id))
      ORDER BY l.user_id LIMIT \(limit)
      """
    ) { row in
      let person: ID<Person> = try row.next()
      let avatar = Viewer.Avatar(
        name: try row.next(), avatar: try row.next(String?.self).map(AccountLinks.media))
      let (couple, name) = (try row.next(ID<Couple>?.self), try row.next(String?.self))
      return Liker(
        person: person, avatar: avatar,
        couple: couple.flatMap { couple in name.map { (couple, $0) } })
    }
  }
}
