import Core
import Media

/// The files of pictures in a store.
public struct StoredPictures: Sendable {
  public let store: any MediaStore

  public init(_ store: any MediaStore) {
    self.store = store
  }

  /// Makes and stores the files of one uploaded picture. Throws a `PictureError`, with nothing left
  /// in the folder.
  public func process(
    file: String, kind: PictureKind, into folder: String, _ processor: ImageProcessor
  ) throws(PictureError) -> ProcessedPicture {
    try store.write(into: folder, orThrow: PictureError.init) {
      (path) throws(PictureError) -> ProcessedPicture in
      try processor.process(file: file, kind: kind, into: path)
    }
  }

  /// Gives all files of one picture a new random id, in the same or another folder, and returns the
  /// id.
  ///
  /// After the database has the new id, `remove` the old one, so that the files exist at every
  /// moment. If this throws, there is nothing under the new id.
  public func link(
    id: String, from folder: String, to other: String
  ) throws(PictureError) -> String {
    let new = ID<PictureFiles.Name>.random().description
    do throws(MediaError) {
      let links = try find([id], in: folder).map { file, name in
        MediaLink(
          file.path,
          to: "\(other)/\(name.variant.fileName(id: new, fileExtension: name.fileExtension))")
      }
      guard !links.isEmpty else { throw MediaError.failed("no picture \(id) in \(folder)") }
      try store.link(links)
    } catch {
      throw PictureError(error)
    }
    return new
  }

  /// Removes all files of pictures. Those that can't be removed are left to the cleanup job.
  public func remove(ids: Set<String>, in folder: String) {
    do throws(MediaError) {
      try store.delete(try find(ids, in: folder).map(\.file.path))
    } catch {
      // The store has logged it.
    }
  }

  private func find(
    _ ids: Set<String>, in folder: String
  ) throws(MediaError) -> [(file: MediaFile, name: PictureName)] {
    try store.files(below: folder).compactMap { file in
      guard let name = PictureName(String(file.name)), ids.contains(name.id.description) else {
        return nil
      }
      return (file, name)
    }
  }
}
