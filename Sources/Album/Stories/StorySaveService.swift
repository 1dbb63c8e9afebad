import Core
import Database
import Images
import PhotoMetadata
import Web

/// Saves stories into photos, so that at any moment the row and its file agree
/// (docs/developer/photo-stories.md#safe-overwriting): the photo with its new story is a new file
/// in the same folder, on the disk and read back; one commit switches the row to it; then the old
/// file goes. Whoever is killed in between leaves the old photo or the new one, and a file that no
/// row names, which `PhotoCleanupJob` finds.
struct StorySaveService: Sendable {
  let services: AlbumEnvironment
  /// Runs when the new file is there and the row isn't switched yet: tests fail here.
  var beforeCommit: @Sendable () throws -> Void = {}

  /// Gives an own photo another story, or with nil none; answers the photo as it is then.
  ///
  /// `version` is the one that the person had before their eyes, nil for whichever there is.
  /// Throws `AlbumPhotoError.conflict` when somebody saved in between, `AlbumPhotoError.photo`, and what
  /// the database says; the photo is as before then.
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
        // Thrown in here, so that a photo whose owner is gone is not switched to a file that goes.
        guard isSwitched,
          let saved = try services.photos.visible(photo.id, to: viewer, in: writer.reader)
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

  /// Puts a copy of an own photo with another story, or none, into the album, as new; the photo
  /// itself stays. Throws as `save` does, and `Problem.notFound` when its owner is gone.
  func copy(
    of photo: Photo, with story: PhotoStory?, by viewer: Viewer, now: Instant
  ) throws -> Photo {
    guard photo.isOwn(of: viewer) else { throw Problem.forbidden }
    try services.admit(bytes: Int64(photo.bytes), of: viewer, now: now)
    // The pictures are links, which take no room.
    let space = services.disk.holds(Int64(photo.bytes), in: services.folders.mediaFolder)
    guard space else { throw AlbumPhotoError.photo(.write(.diskFull)) }
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
        guard let made = try services.photos.visible(id, to: viewer, in: writer.reader) else {
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

  /// Writes the new file beside the old one. The tool holds a lock on the old one meanwhile, so
  /// that a photo has one writer at a time.
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
      // A file that is gone because somebody saved or deleted the photo meanwhile is no failure
      // of the disk.
      let current = try services.photos.visible(photo.id, to: viewer)
      if current?.version != photo.version { throw AlbumPhotoError.conflict }
      throw AlbumPhotoError.photo(error)
    }
  }

  /// New names for a copy; the pictures that pages show are the same, so their files are too.
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
  /// The same photo's files with another one of its own.
  func with(original: ID<PhotoOriginal>) -> PhotoFiles {
    PhotoFiles(
      folder: folder, original: original, format: format, picture: picture,
      pictureExtension: pictureExtension, hasWebP: hasWebP)
  }
}
