import Core
import Database
import Images

/// Files referenced by rows of this module: pictures of posts and of drafts.
enum FeedFiles {
  static let named = ReferencedFiles("pictures of posts") { reader in
    let posts = try reader.rows(
      """
      SELECT i.id, i.extension, i.has_webp, p.id, p.couple_id
      FROM post_images i JOIN posts p ON p.id = i.post_id
      """
    ) { row in
      names(of: try row.id(0), row, in: PictureFolders.post(try row.id(3), of: try row.id(4)))
    }
    let drafts = try reader.rows("SELECT id, extension, has_webp, user_id FROM draft_images") {
      names(of: try $0.id(0), $0, in: PictureFolders.drafts(of: try $0.id(3)))
    }
    return Set((posts + drafts).joined())
  }

  private static func names(of image: ID<PostImage>, _ row: Row, in folder: String) -> [String] {
    let id = image.description
    let plain = PictureVariant.allCases.map { $0.fileName(id: id, fileExtension: row.text(1)) }
    let smaller: [PictureVariant] = row.flag(2) ? [.medium, .thumb] : []
    return (plain + smaller.map { $0.fileName(id: id, fileExtension: "webp") })
      .map { "\(folder)/\($0)" }
  }
}
