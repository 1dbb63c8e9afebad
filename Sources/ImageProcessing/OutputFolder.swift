import Glibc
import Images

/// The output files of one picture: all of them, or none.
struct OutputFolder {
  let directory: String
  let id: String
  private var written: [PictureVariant.File] = []
  /// Total size of the files.
  private(set) var bytes = 0

  init(directory: String, id: String) {
    self.directory = directory
    self.id = id
  }

  mutating func add(_ content: [UInt8], _ variant: PictureVariant, _ fileExtension: String)
    throws(PictureError)
  {
    let file = PictureVariant.File(variant: variant, fileExtension: fileExtension)
    try PictureFile.write(content, to: path(file.temporaryName(id: id)))
    written.append(file)
    bytes += content.count
  }

  /// Renames the temporary files to their final names.
  func publish() throws(PictureError) {
    for file in written {
      let final = path(file.name(id: id))
      guard Glibc.rename(path(file.temporaryName(id: id)), final) == 0 else {
        throw PictureFile.failure("cannot name \(final)")
      }
    }
    try PictureFile.keepNames(in: directory)
  }

  private func path(_ name: String) -> String { "\(directory)/\(name)" }
}
