import Database

/// The table of photos; their files are below the media folder (docs/developer/photo-stories.md).
public enum AlbumSchema {
  public static let migrations = [
    Migration(
      "album 1: photos",
      """
      CREATE TABLE photos (
        id BLOB PRIMARY KEY,
        user_id BLOB NOT NULL REFERENCES users (id),
        -- The couple in whose album it is: its other half sees it while the two are together.
        couple_id BLOB REFERENCES couples (id) ON DELETE SET NULL,
        -- Whose folder the files are in: `photos/{folder}/photo_{original_id}.jpg`.
        folder BLOB NOT NULL,
        original_id BLOB NOT NULL,
        format TEXT NOT NULL CHECK (format IN ('jpeg', 'png')),
        width INTEGER NOT NULL,
        height INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        -- Names the pictures that pages show: `medium_{picture_id}.jpg` and so on.
        picture_id BLOB NOT NULL,
        picture_extension TEXT NOT NULL CHECK (picture_extension IN ('jpg', 'png')),
        has_webp INTEGER NOT NULL,
        -- A copy of what stands in the file.
        story TEXT,
        caption TEXT,
        other_story TEXT,
        taken_at TEXT,
        taken_offset INTEGER,
        -- Words of `PhotoExtra`, with blanks between.
        dropped TEXT NOT NULL,
        version INTEGER NOT NULL,
        created_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX photos_own ON photos (user_id, created_at DESC, id DESC);
      CREATE INDEX photos_shared ON photos (couple_id, created_at DESC, id DESC)
        WHERE couple_id IS NOT NULL;
      CREATE INDEX photos_by_folder ON photos (folder, original_id, picture_id);
      """),
    Migration(
      "album 2: photos by the day on which they were taken",
      """
      -- When it was taken, if that is known and after 1970, otherwise when it was added; in ms.
      ALTER TABLE photos ADD COLUMN sorted_at INTEGER NOT NULL DEFAULT 0;
      UPDATE photos SET sorted_at = max(0, coalesce(
        (CAST(strftime('%s', taken_at) AS INTEGER) - 60 * coalesce(taken_offset, 0)) * 1000,
        created_at));
      CREATE INDEX photos_own_sorted ON photos (user_id, sorted_at DESC, id DESC);
      CREATE INDEX photos_shared_sorted ON photos (couple_id, sorted_at DESC, id DESC)
        WHERE couple_id IS NOT NULL;

      -- Deleted photos can be restored for 30 days.
      ALTER TABLE photos ADD COLUMN deleted_at INTEGER;
      CREATE INDEX photos_deleted ON photos (deleted_at) WHERE deleted_at IS NOT NULL;
      """,
      postgresql: [
        "strftime('%s', taken_at)": "extract(epoch FROM CAST(taken_at AS timestamp))"
      ]),
    Migration(
      "album 3: favourite photos",
      """
      CREATE TABLE photo_favourites (
        user_id BLOB NOT NULL REFERENCES users (id),
        photo_id BLOB NOT NULL REFERENCES photos (id) ON DELETE CASCADE,
        PRIMARY KEY (user_id, photo_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX photo_favourites_by_photo ON photo_favourites (photo_id);
      """),
  ]
}
