import Core
import Database
import Images

/// Files referenced by rows of this module: pictures of posts and of drafts.
enum FeedFiles {
  static let named = ReferencedFiles("pictures of posts") { reader in
    let posts = try reader.rows(
      """
      SELECT p.id, p.couple_id, i.id, i.extension, i.has_webp
      FROM post_images i JOIN posts p ON p.id = i.post_id
      """
    ) { try names(in: PictureFolders.post($0.next(), of: $0.next()), &$0) }
    let drafts = try reader.rows("SELECT user_id, id, extension, has_webp FROM draft_images") {
      try names(in: PictureFolders.drafts(of: $0.next()), &$0)
    }
    return Set((posts + drafts).joined())
  }

  /// Those of these files in folders of this module that no row references.
  static func unnamed(_ paths: [String], in reader: ReadTransaction) throws -> [String] {
    let pictures = paths.compactMap { path -> (path: String, id: ID<PostImage>)? in
      guard let file = path.split(separator: "/").last, let name = PictureName(String(file)) else {
        return nil
      }
      return (path, name.id.cast(to: PostImage.self))
    }
    let ids = IDList(pictures.map(\.id))
    let known = Set(
      try reader.values(
        """
        SELECT id FROM post_images WHERE id IN \(ids)
        UNION ALL SELECT id FROM draft_images WHERE id IN \(ids)
        """, as: ID<PostImage>.self))
    return pictures.filter { !known.contains($0.id) }.map(\.path)
  }

  private static func names(in folder: String, _ row: inout RowReader) throws -> [String] {
    let id = try row.next(ID<PostImage>.self).description
    let fileExtension = try row.next(String.self)
    let plain = PictureVariant.allCases.map { $0.fileName(id: id, fileExtension: fileExtension) }
    let smaller: [PictureVariant] = try row.next(Bool.self) ? [.medium, .thumb] : []
    return (plain + smaller.map { $0.fileName(id: id, fileExtension: "webp") })
      .map { "\(folder)/\($0)" }
  }
}
