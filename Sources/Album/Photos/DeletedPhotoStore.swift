import Core
import Database

/// A photo that its owner has deleted and can still restore.
struct DeletedPhoto {
  let photo: Photo
  let deletedAt: Instant
}

/// Deleted photos, which their owner can restore for 30 days
/// (docs/developer/album.md#deleted-photos).
extension PhotoStore {
  /// The viewer's deleted photos, the last deleted first.
  func deleted(
    of viewer: Viewer, since moment: Instant, limit: Int, in reader: ReadTransaction
  ) throws -> [DeletedPhoto] {
    try reader.rows(
      """
      SELECT \(Self.columns(for: viewer.id)), p.deleted_at FROM photos p JOIN people_seen w ON w.id = p.user_id
      WHERE p.user_id = \(viewer.id) AND p.deleted_at > \(moment)
      ORDER BY p.deleted_at DESC, p.id DESC LIMIT \(limit)
      """
    ) { DeletedPhoto(photo: try Self.photo(&$0), deletedAt: try $0.next()) }
  }

  /// A deleted photo of the viewer; nil if there is none.
  func deleted(
    _ id: ID<Photo>, of viewer: Viewer, in reader: ReadTransaction
  ) throws -> Photo? {
    try reader.first(
      """
      SELECT \(Self.columns(for: viewer.id)) FROM photos p JOIN people_seen w ON w.id = p.user_id
      WHERE p.id = \(id) AND p.user_id = \(viewer.id) AND p.deleted_at IS NOT NULL
      """, make: Self.photo)
  }

  /// Deletes the viewer's photo; false if it isn't the viewer's.
  func delete(
    _ id: ID<Photo>, by viewer: Viewer, now: Instant, in writer: WriteTransaction
  ) throws -> Bool {
    try writer.execute(
      """
      UPDATE photos SET deleted_at = \(now)
      WHERE id = \(id) AND user_id = \(viewer.id) AND deleted_at IS NULL
      """) == 1
  }

  /// Restores a photo that the viewer has deleted since a moment; false if there is none.
  func restore(
    _ id: ID<Photo>, by viewer: Viewer, since moment: Instant, in writer: WriteTransaction
  ) throws -> Bool {
    try writer.execute(
      """
      UPDATE photos SET deleted_at = NULL
      WHERE id = \(id) AND user_id = \(viewer.id) AND deleted_at > \(moment)
      """) == 1
  }

  /// Removes a deleted photo of the viewer for good; returns its files, nil if there is none.
  func remove(
    _ id: ID<Photo>, by viewer: Viewer, in writer: WriteTransaction
  ) throws -> PhotoFiles? {
    try writer.first(
      """
      DELETE FROM photos WHERE id = \(id) AND user_id = \(viewer.id) AND deleted_at IS NOT NULL
      RETURNING folder, original_id, format, picture_id, picture_extension, has_webp
      """, make: PhotoFiles.init)
  }

  /// Removes photos that were deleted before a moment, at most `limit`; returns their files.
  func purge(
    deletedBefore moment: Instant, limit: Int, in writer: WriteTransaction
  ) throws -> [PhotoFiles] {
    try writer.rows(
      """
      DELETE FROM photos WHERE id IN (
        SELECT id FROM photos WHERE deleted_at < \(moment) LIMIT \(limit))
      RETURNING folder, original_id, format, picture_id, picture_extension, has_webp
      """, make: PhotoFiles.init)
  }
}
