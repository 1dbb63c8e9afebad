import Core
import Database
import Images

/// Changes a post together with its pictures' files: new names are linked before the transaction,
/// old ones removed after it, so no picture is shown without a file.
struct PostEditor {
  let services: FeedEnvironment
  let post: Post

  /// Runs `change` in one transaction. `renaming`: pictures whose old URLs must become invalid,
  /// because the audience is smaller now (docs/developer/feed.md#pictures).
  func apply(
    renaming pictures: [Picture], removing edits: [PictureEdit] = [],
    _ change: (WriteTransaction) throws -> Void
  ) throws {
    let folder = PictureFolders.post(post.id, of: post.couple)
    let removed = Set(edits.filter(\.isRemoved).map(\.id))
    var renamed: [(old: ID<PostImage>, new: ID<PostImage>)] = []
    do {
      for picture in pictures where !removed.contains(picture.id) {
        renamed.append(
          (picture.id, try services.folders.link(picture.id, from: folder, to: folder)))
      }
      try services.site.database.write { writer in
        try change(writer)
        for (old, new) in renamed { try PostWriter().rename(old, to: new, in: writer) }
      }
    } catch {
      for (_, new) in renamed { services.folders.remove(new, in: folder) }
      throw error
    }
    for image in renamed.map(\.old) + removed { services.folders.remove(image, in: folder) }
  }
}
