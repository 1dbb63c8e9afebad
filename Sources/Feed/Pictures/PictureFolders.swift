import Core
import Foundation
import Images

/// Where the files of posts and drafts lie, and how they move.
struct PictureFolders {
  let mediaFolder: String

  static func post(_ post: ID<Post>, of couple: ID<Couple>) -> String {
    "couples/\(couple)/posts/\(post)"
  }

  static func drafts(of person: ID<Person>) -> String { "drafts/\(person)" }

  /// The path of a folder, which is there from now on.
  func path(_ folder: String) throws(PictureError) -> String {
    let path = "\(mediaFolder)/\(folder)"
    try PictureFiles.makeFolder(path)
    return path
  }

  /// Puts the files of a picture into another folder, or beside themselves, under a new name.
  /// The old ones stay until `remove`: no moment is without files, whatever happens in between.
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
