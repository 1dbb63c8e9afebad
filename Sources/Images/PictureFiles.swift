import Core
import FoundationEssentials
import Glibc

/// The stored files of processed pictures.
public enum PictureFiles {
  /// What an identifier of stored files is one of.
  public enum Name {}

  /// Every name that the files of one picture can have.
  static let possible: [PictureVariant.File] = PictureVariant.allCases.flatMap { variant in
    ["jpg", "png", "webp"].map { PictureVariant.File(variant: variant, fileExtension: $0) }
  }

  /// Sees to it that a folder is there; a disk without room for one is told apart from other reasons.
  public static func makeFolder(_ path: String) throws(PictureError) {
    if access(path, F_OK) == 0 { return }
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
      throw .diskFull
    } catch {
      throw .failed("cannot make \(path): \(error)")
    }
  }

  /// Whether a file of this name is one that is being made, or whose making was interrupted.
  public static func isUnfinished(_ name: String) -> Bool {
    name.hasPrefix(".") && name.hasSuffix(PictureVariant.File.unfinished)
  }

  /// Removes all files of one picture, unfinished ones too; none there is fine.
  public static func remove(id: String, in directory: String) {
    guard ID<Name>(id) != nil else { return }
    for file in possible {
      unlink("\(directory)/\(file.name(id: id))")
      unlink("\(directory)/\(file.temporaryName(id: id))")
    }
  }

  /// Gives all files of one picture a new random id beside the old names, in the same folder or
  /// another one of the same file system, and answers the new id.
  ///
  /// Once the database says the new id, `remove` the old one: so no moment is without files.
  /// Throws `failed`, leaving nothing under the new id.
  public static func link(id: String, from directory: String, to other: String)
    throws(PictureError) -> String
  {
    guard ID<Name>(id) != nil else { throw .failed("\(id) is not an id") }
    let newID = ID<Name>.random().description
    do throws(PictureError) {
      var count = 0
      for file in possible {
        let old = "\(directory)/\(file.name(id: id))"
        guard PictureFile.size(old) != nil else { continue }
        guard Glibc.link(old, "\(other)/\(file.name(id: newID))") == 0 else {
          throw PictureFile.failure("cannot rename \(old)")
        }
        count += 1
      }
      guard count > 0 else { throw PictureError.failed("no picture \(id) in \(directory)") }
      try PictureFile.keepNames(in: other)
    } catch {
      remove(id: newID, in: other)
      throw error
    }
    return newID
  }

  /// Gives all files of one picture a new random id and takes the old names away, in the same
  /// folder or into another one of the same file system; answers the new id.
  ///
  /// Throws `failed`, leaving the old names as they were.
  public static func rename(id: String, from directory: String, to other: String)
    throws(PictureError) -> String
  {
    let newID = try link(id: id, from: directory, to: other)
    remove(id: id, in: directory)
    try PictureFile.keepNames(in: directory)
    return newID
  }
}
