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
}
