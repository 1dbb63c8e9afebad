import Core
import Database
import Images
import PhotoMetadata
import Web

/// Saves stories into photos, so that the row and its file agree at any moment
/// (docs/developer/photo-stories.md#safe-overwriting): the photo with its new story becomes a new
/// file in the same folder, synced and read back; one commit switches the row to it; then the old
/// file is removed. A crash in between leaves the old photo or the new one, and a file without a
/// row, which `PhotoCleanupJob` removes.
struct StorySaveService: Sendable {
  let services: AlbumEnvironment
  /// Runs after the new file is written and before the row is switched: tests fail here.
  var beforeCommit: @Sendable () throws -> Void = {}

  /// Replaces the story of the viewer's photo, or removes it with nil; returns the saved photo.
  ///
  /// `version` is the version that the user saw; nil for any. Throws `AlbumPhotoError.conflict` if
  /// the photo was saved in the meantime, `AlbumPhotoError.photo`, and database errors; the photo
  /// is then unchanged.
  func save(
    _ story: PhotoStory?, into photo: Photo, ifVersion version: Int?, by viewer: Viewer
  ) throws -> Photo {
    guard photo.isOwn(of: viewer) else { throw Problem.forbidden }
    guard version ?? photo.version == photo.version else { throw AlbumPhotoError.conflict }
    let new = photo.files.with(original: .random())
    try write(story, from: photo, as: new, viewer)
    do {
      try beforeCommit()
      let saved = try services.site.database.write { writer -> Photo in
        let isSwitched = try services.photos.switchFile(
          of: photo, to: new.original, bytes: size(of: new), story: story?.text, by: viewer,
          in: writer)
        // Thrown within the transaction, so that a photo whose owner is gone is not switched to a
        // file that will be removed.
        guard isSwitched,
          let saved = try services.photos.visible(photo.id, to: viewer, in: writer)
        else { throw AlbumPhotoError.conflict }
        return saved
      }
      services.folders.removeOriginal(photo.files)
      return saved
    } catch {
      services.folders.removeOriginal(new)
      throw error
    }
  }

  /// Adds a copy of the viewer's photo with another story, or none, as a new photo; the original is
  /// unchanged. Throws the errors of `save`, and `Problem.notFound` if its owner is gone.
  func copy(
    of photo: Photo, with story: PhotoStory?, by viewer: Viewer, now: Instant
  ) throws -> Photo {
    guard photo.isOwn(of: viewer) else { throw Problem.forbidden }
    try services.admit(bytes: Int64(photo.bytes), of: viewer, now: now)
    // The preview images are hard links, which take no space.
    let hasSpace = services.disk.hasSpace(Int64(photo.bytes), in: services.folders.mediaFolder)
    guard hasSpace else { throw AlbumPhotoError.photo(.write(.diskFull)) }
    let new = try linked(photo, viewer)
    do {
      try write(story, from: photo, as: new, viewer)
      try beforeCommit()
      let id = ID<Photo>(now: now)
      let copy = PhotoStore.New(
        id: id, files: new, width: photo.width, height: photo.height, bytes: size(of: new),
        story: story?.text, caption: story == nil ? photo.caption : nil, otherStory: nil,
        taken: photo.taken, dropped: photo.dropped, isShared: photo.isShared, createdAt: now)
      return try services.site.database.write { writer -> Photo in
        try services.photos.add(copy, of: viewer, in: writer)
        guard let made = try services.photos.visible(id, to: viewer, in: writer) else {
          throw Problem.notFound
        }
        return made
      }
    } catch {
      services.folders.remove(new)
      throw error
    }
  }

  // MARK: Files

  /// Writes the new file beside the old one. `PhotoFile` holds a lock on the old one, so that a
  /// photo has one writer at a time.
  private func write(
    _ story: PhotoStory?, from photo: Photo, as new: PhotoFiles, _ viewer: Viewer
  ) throws {
    let source = services.folders.original(photo.files)
    _ = try services.folders.make(new.folder)
    let target = services.folders.original(new)
    do throws(PhotoError) {
      if let story {
        try PhotoFile.write(story, into: source, as: target)
      } else {
        try PhotoFile.strip(source, as: target)
      }
    } catch {
      // A file that is gone because the photo was saved or deleted in the meantime is not a disk
      // error.
      let current = try services.photos.visible(photo.id, to: viewer)
      if current?.version != photo.version { throw AlbumPhotoError.conflict }
      throw AlbumPhotoError.photo(error)
    }
  }

  /// New names for a copy; its preview images are the same, so they are hard-linked.
  private func linked(_ photo: Photo, _ viewer: Viewer) throws -> PhotoFiles {
    let old = services.folders.path(of: photo.files.folder)
    let folder = try services.folders.make(viewer.id)
    let name: String
    do throws(PictureError) {
      name = try PictureFiles.link(
        id: photo.files.picture.description, from: old, to: folder)
    } catch {
      throw AlbumPhotoError(error)
    }
    guard let picture = ID<PhotoPicture>(name) else {
      throw AlbumPhotoError.photo(.unknown("no identifier: \(name)"))
    }
    return PhotoFiles(
      folder: viewer.id, original: .random(), format: photo.format, picture: picture,
      pictureExtension: photo.files.pictureExtension, hasWebP: photo.files.hasWebP)
  }

  private func size(of files: PhotoFiles) -> Int {
    services.folders.size(of: services.folders.original(files))
  }
}

extension PhotoFiles {
  /// The files of the photo with another original.
  func with(original: ID<PhotoOriginal>) -> PhotoFiles {
    PhotoFiles(
      folder: folder, original: original, format: format, picture: picture,
      pictureExtension: pictureExtension, hasWebP: hasWebP)
  }
}
