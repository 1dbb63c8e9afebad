import Core
import Database
import Images
import Web

/// Changes a post together with its pictures' files: new names are linked before the transaction,
/// old ones removed after it, so no picture is shown without a file.
struct PostEditor {
  let services: FeedEnvironment
  let post: Post

  /// Runs `change` in one transaction. `renaming`: pictures whose old URLs must become invalid,
  /// because the audience is smaller now (docs/developer/feed.md#pictures). `adding`: drafts of the
  /// author; their rows have been added when `change` gets the edits of all pictures. Throws 503 if
  /// the pictures' store does not answer; the post is then unchanged.
  func apply(
    renaming pictures: [Picture], removing edits: [PictureEdit] = [],
    adding added: [AddedPicture] = [],
    _ change: (WriteTransaction, [PictureEdit]) throws -> Void
  ) throws {
    let folder = PictureFolders.post(post.id, of: post.couple)
    let drafts = PictureFolders.drafts(of: post.author)
    let removed = Set(edits.filter(\.isRemoved).map(\.id))
    var renamed: [(old: ID<PostImage>, new: ID<PostImage>)] = []
    var linked: [AddedPicture] = []
    do {
      for picture in added {
        let id = try services.folders.link(picture.draft.id, from: drafts, to: folder)
        linked.append(picture.renamed(id))
      }
      for picture in pictures where !removed.contains(picture.id) {
        renamed.append(
          (picture.id, try services.folders.link(picture.id, from: folder, to: folder)))
      }
      try services.site.database.write { writer in
        for picture in linked {
          try PostWriter().add(
            picture.draft, description: picture.edit.description, to: post.id,
            at: picture.edit.order, in: writer)
        }
        try change(writer, edits + linked.map(\.edit))
        for (old, new) in renamed { try PostWriter().rename(old, to: new, in: writer) }
      }
    } catch {
      if !StorageError.mayBeStored(after: error) {
        services.folders.remove(renamed.map(\.new) + linked.map(\.draft.id), in: folder)
      }
      if (error as? PictureError) == .busy { throw Problem.busy() }
      throw error
    }
    services.folders.remove(renamed.map(\.old) + removed, in: folder)
    services.folders.remove(added.map(\.draft.id), in: drafts)
  }
}

extension AddedPicture {
  /// The same picture under the new name of its files.
  fileprivate func renamed(_ id: ID<PostImage>) -> AddedPicture {
    AddedPicture(
      draft: Draft(id: id, picture: draft.picture, bytes: draft.bytes),
      edit: PictureEdit(
        id: id, order: edit.order, description: edit.description, isRemoved: false))
  }
}
