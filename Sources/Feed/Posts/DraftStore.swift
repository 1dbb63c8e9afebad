import Core
import Database

/// A processed picture without a post.
struct Draft {
  let id: ID<PostImage>
  let picture: Picture
  let bytes: Int
}

/// Pictures kept because the rest of the form was invalid: for at most 24 h, visible only to their
/// sender (docs/developer/feed.md#pictures).
struct DraftStore {
  /// How long a draft is kept, in s.
  static let lifetime: Int64 = .hours(24)

  let database: Database

  func add(_ draft: Draft, of viewer: Viewer, now: Instant) throws {
    try database.writeWithoutHooks {
      try $0.execute(
        """
        INSERT INTO draft_images (id, user_id, extension, width, height, has_webp, bytes,
          created_at)
        VALUES (\(draft.id), \(viewer.id), \(draft.picture.fileExtension), \(draft.picture.width),
          \(draft.picture.height), \(draft.picture.hasWebP), \(draft.bytes), \(now))
        """)
    }
  }

  /// The viewer's own drafts with these ids, in this order; other users' drafts are ignored.
  func find(_ ids: [ID<PostImage>], of viewer: Viewer, in reader: ReadTransaction) throws -> [Draft]
  {
    try ids.compactMap { id in
      try reader.first(
        """
        SELECT id, id, extension, width, height, has_webp, '', bytes FROM draft_images
        WHERE id = \(id) AND user_id = \(viewer.id)
        """
      ) { Draft(id: try $0.next(), picture: try Picture(&$0), bytes: try $0.next()) }
    }
  }

  func find(_ ids: [ID<PostImage>], of viewer: Viewer) throws -> [Draft] {
    try database.read { try find(ids, of: viewer, in: $0) }
  }

  func remove(_ ids: [ID<PostImage>], of viewer: Viewer, in writer: WriteTransaction) throws {
    for id in ids {
      try writer.execute("DELETE FROM draft_images WHERE id = \(id) AND user_id = \(viewer.id)")
    }
  }

  /// Deletes expired drafts; returns owners and ids, for removing the files.
  func purge(now: Instant) throws -> [(person: ID<Person>, image: ID<PostImage>)] {
    try database.write { writer in
      try writer.rows(
        """
        DELETE FROM draft_images WHERE created_at < \(now.adding(seconds: -Self.lifetime))
        RETURNING user_id, id
        """
      ) { (try $0.next(), try $0.next()) }
    }
  }
}
