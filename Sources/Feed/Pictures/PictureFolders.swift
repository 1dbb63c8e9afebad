import Core
import Images
import Media

/// Folders of the files of posts and drafts, and moves between them.
struct PictureFolders {
  let pictures: StoredPictures

  static func post(_ post: ID<Post>, of couple: ID<Couple>) -> String {
    "couples/\(couple)/posts/\(post)"
  }

  static func drafts(of person: ID<Person>) -> String { "drafts/\(person)" }

  /// Links the files of a picture into another (or the same) folder under a new name. The old ones
  /// stay until `remove`, so the files exist at every moment, even after a crash.
  func link(
    _ image: ID<PostImage>, from folder: String, to other: String
  ) throws(PictureError) -> ID<PostImage> {
    let new = try pictures.link(id: image.description, from: folder, to: other)
    guard let id = ID<PostImage>(new) else { throw .failed("a new name that is none: \(new)") }
    return id
  }

  func remove(_ images: [ID<PostImage>], in folder: String) {
    guard !images.isEmpty else { return }
    pictures.remove(ids: Set(images.map(\.description)), in: folder)
  }

  /// Removes a folder with all its files.
  func removeAll(in folder: String) throws { try pictures.store.deleteAll(at: folder) }

  /// The internal location from which nginx sends a file.
  func location(of path: String) -> String { pictures.store.location(of: path) }
}
