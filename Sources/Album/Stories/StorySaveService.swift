import Core
import Database
import Media
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
    let bytes = try write(story, from: photo, as: new, viewer)
    do {
      try beforeCommit()
      let saved = try services.site.database.write { writer -> Photo in
        let isSwitched = try services.photos.switchFile(
          of: photo, to: new.original, bytes: bytes, story: story?.text, by: viewer, in: writer)
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
      if !StorageError.mayBeStored(after: error) { services.folders.removeOriginal(new) }
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
    // Linked preview images take no space in a folder.
    let hasSpace = services.disk.hasSpace(Int64(photo.bytes), in: services.folders.mediaFolder)
    guard hasSpace else { throw AlbumPhotoError.photo(.write(.diskFull)) }
    let new = try linked(photo, viewer)
    do {
      let bytes = try write(story, from: photo, as: new, viewer)
      try beforeCommit()
      let id = ID<Photo>(now: now)
      let copy = PhotoStore.New(
        id: id, files: new, width: photo.width, height: photo.height, bytes: bytes,
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
      if !StorageError.mayBeStored(after: error) { services.folders.remove(new) }
      throw error
    }
  }

  // MARK: Files

  /// Writes the new file beside the old one; returns its size in bytes. In a folder, `PhotoFile`
  /// holds a lock on the old one, so that a photo has one writer at a time; in a bucket, the version
  /// decides whose file the photo gets.
  private func write(
    _ story: PhotoStory?, from photo: Photo, as new: PhotoFiles, _ viewer: Viewer
  ) throws -> Int {
    let (folders, name) = (services.folders, new.originalName)
    do {
      let bytes = try folders.media.read(photo.files.originalPath) { source in
        try folders.media.write(into: PhotoFolders.path(of: new.folder)) { folder -> Int in
          let target = "\(folder)/\(name)"
          if let story {
            try PhotoFile.write(story, into: source, as: target)
          } else {
            try PhotoFile.strip(source, as: target)
          }
          return folders.size(of: target)
        }
      }
      guard let bytes else { throw PhotoError.read(.missing) }
      return bytes
    } catch let error as PhotoError {
      // A file that is gone because the photo was saved or deleted in the meantime is not a disk
      // error.
      let current = try services.photos.visible(photo.id, to: viewer)
      if current?.version != photo.version { throw AlbumPhotoError.conflict }
      throw AlbumPhotoError.photo(error)
    } catch let error as MediaError {
      throw AlbumPhotoError(error)
    }
  }

  /// New names for a copy; its preview images are the same, so they are linked.
  private func linked(_ photo: Photo, _ viewer: Viewer) throws(AlbumPhotoError) -> PhotoFiles {
    let new = PhotoFiles(
      folder: viewer.id, original: .random(), format: photo.format, picture: .random(),
      pictureExtension: photo.files.pictureExtension, hasWebP: photo.files.hasWebP)
    let links = zip(photo.files.pictureNames, new.pictureNames).map {
      MediaLink(photo.files.path(of: $0), to: new.path(of: $1))
    }
    do throws(MediaError) {
      try services.folders.media.link(links)
    } catch {
      throw AlbumPhotoError(error)
    }
    return new
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
