import Core
import Foundation
import Images

/// Folders of the files of posts and drafts, and moves between them.
struct PictureFolders {
  let mediaFolder: String

  static func post(_ post: ID<Post>, of couple: ID<Couple>) -> String {
    "couples/\(couple)/posts/\(post)"
  }

  static func drafts(of person: ID<Person>) -> String { "drafts/\(person)" }

  /// The path of a folder; creates it if needed.
  func path(_ folder: String) throws(PictureError) -> String {
    let path = "\(mediaFolder)/\(folder)"
    try PictureFiles.makeFolder(path)
    return path
  }

  /// Links the files of a picture into another (or the same) folder under a new name. The old ones
  /// stay until `remove`, so the files exist at every moment, even after a crash.
  func link(
    _ image: ID<PostImage>, from folder: String, to other: String
  ) throws(PictureError) -> ID<PostImage> {
    let new = try PictureFiles.link(
      id: image.description, from: path(folder), to: path(other))
    guard let id = ID<PostImage>(new) else { throw .failed("a new name that is none: \(new)") }
    return id
  }

  func remove(_ image: ID<PostImage>, in folder: String) {
    PictureFiles.remove(id: image.description, in: "\(mediaFolder)/\(folder)")
  }
}
