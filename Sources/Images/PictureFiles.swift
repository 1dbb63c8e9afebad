import Core
import Glibc
import Media

/// The stored files of processed pictures.
public enum PictureFiles {
  /// Type of the identifier of stored files.
  public enum Name {}

  /// All possible names of the files of one picture.
  static let possible: [PictureVariant.File] = PictureVariant.allCases.flatMap { variant in
    ["jpg", "png", "webp"].map { PictureVariant.File(variant: variant, fileExtension: $0) }
  }

  /// Creates a folder if needed. A full disk is reported as `diskFull`.
  public static func makeFolder(_ path: String) throws(PictureError) {
    do throws(MediaError) { try MediaFolder.make(path) } catch { throw PictureError(error) }
  }

  /// Whether a file of this name is a temporary file of running or interrupted processing.
  public static func isUnfinished(_ name: String) -> Bool {
    name.hasPrefix(".") && name.hasSuffix(PictureVariant.File.unfinished)
  }

  /// Removes all files of one picture, temporary ones too; no error if there are none.
  public static func remove(id: String, in directory: String) {
    guard ID<Name>(id) != nil else { return }
    for file in possible {
      unlink("\(directory)/\(file.name(id: id))")
      unlink("\(directory)/\(file.temporaryName(id: id))")
    }
  }

  /// Links all files of one picture under a new random id, in the same or another folder of the
  /// same file system, and returns the new id.
  ///
  /// After the database has the new id, `remove` the old one, so that the files exist at every
  /// moment. Throws `failed`, leaving nothing under the new id.
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

  /// Renames all files of one picture to a new random id, in the same or another folder of the same
  /// file system; returns the new id.
  ///
  /// Throws `failed`, leaving the old names unchanged.
  public static func rename(id: String, from directory: String, to other: String)
    throws(PictureError) -> String
  {
    let newID = try link(id: id, from: directory, to: other)
    remove(id: id, in: directory)
    try PictureFile.keepNames(in: directory)
    return newID
  }
}
