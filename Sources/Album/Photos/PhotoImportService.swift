import Core
import Database
import Images
import Media
import PhotoMetadata
import Secrets
import Web

/// Imports an uploaded file into a user's album: its texts are read first, then everything but
/// picture, orientation and colours is removed, then its own story is written
/// (docs/developer/photo-stories.md#privacy).
struct PhotoImportService {
  /// More than the total size of a photo's preview images.
  private static let bytesOfPictures: Int64 = 1 << 20

  let services: AlbumEnvironment

  /// The options of the form for its files.
  struct ImportOptions {
    var nonce = ""
    var isShared = false
    var keepsDate = false
    /// Replaces the story in the file.
    var story: PhotoStory?
  }

  /// Imports a file, or returns the photo that the same form created before. Throws an
  /// `AlbumPhotoError` and leaves no files behind.
  func take(
    _ file: String, _ options: ImportOptions, of viewer: Viewer, at createdAt: Instant,
    now: Instant
  ) throws -> ID<Photo> {
    let hash = try options.nonce.isEmpty ? [] : Self.hash(file, options)
    // Read in a write transaction, so that the result of a concurrent form counts too. Not without
    // a nonce: an API call with its own idempotency key must not look as if it had changed
    // something.
    if !options.nonce.isEmpty,
      let before = try services.site.database.write({
        try taken(before: hash, options, viewer, in: $0)
      })
    {
      return before
    }
    try services.admit(bytes: Int64(services.folders.size(of: file)), of: viewer, now: now)
    let converted = try processing { () throws(PictureError) in
      try services.imageProcessor.convert(file)
    }
    defer { withExtendedLifetime(converted) {} }
    // The JPEG is kept, and is larger than the HEIC file.
    if let converted {
      try services.checkStorage(
        bytes: Int64(services.folders.size(of: converted.path)), of: viewer)
    }
    let made = try make(converted?.path ?? file, options, of: viewer, at: createdAt)
    do {
      let kept = try services.site.database.write { writer -> ID<Photo> in
        // The same form may have been sent twice at once.
        if let before = try taken(before: hash, options, viewer, in: writer) { return before }
        try services.photos.add(made, of: viewer, in: writer)
        if !options.nonce.isEmpty {
          try services.answers.remember(
            made.id.description, of: options.nonce, hash: hash, from: viewer, now: now,
            in: writer)
        }
        return made.id
      }
      if kept != made.id { services.folders.remove(made.files) }
      return kept
    } catch {
      if !StorageError.mayBeStored(after: error) { services.folders.remove(made.files) }
      throw error
    }
  }

  /// Adds a copy of a picture, seen by the partner too, once for each `name`: a photo that was
  /// deleted is restored, or added again once it is gone. Throws like `take`.
  func keep(
    _ file: String, name: String, of viewer: Viewer, now: Instant
  ) throws -> KeptPhoto {
    let options = ImportOptions(nonce: name, isShared: true)
    let hash = try Self.hash(file, options)
    let before = try services.site.database.write { writer -> KeptPhoto? in
      guard let id = try taken(before: hash, options, viewer, in: writer) else { return nil }
      if try services.photos.visible(id, to: viewer, in: writer) != nil {
        return KeptPhoto(id: id, outcome: .present)
      }
      let oldest = DeletionPeriod.start(now: now)
      if try services.photos.restore(id, by: viewer, since: oldest, in: writer) {
        return KeptPhoto(id: id, outcome: .restored)
      }
      try services.answers.forget(name, hash: hash, from: viewer, in: writer)
      return nil
    }
    if let before { return before }
    let id = try take(file, options, of: viewer, at: now, now: now)
    return KeptPhoto(id: id, outcome: .added)
  }

  private func taken(
    before hash: [UInt8], _ options: ImportOptions, _ viewer: Viewer, in writer: WriteTransaction
  ) throws -> ID<Photo>? {
    guard !options.nonce.isEmpty else { return nil }
    return try services.answers.location(of: options.nonce, hash: hash, from: viewer, in: writer)
      .flatMap { ID<Photo>($0) }
  }

  private static func hash(_ file: String, _ options: ImportOptions) throws -> [UInt8] {
    try Digests.sha256(
      [options.isShared ? 1 : 0, options.keepsDate ? 1 : 0] + Digests.sha256(file: file)
        + Array((options.story?.text ?? "").utf8))
  }

  // MARK: Files

  /// Creates all files of a photo, and stores them.
  private func make(
    _ file: String, _ options: ImportOptions, of viewer: Viewer, at createdAt: Instant
  ) throws(AlbumPhotoError) -> PhotoStore.New {
    let reading = try refusing { () throws(PhotoError) in try PhotoFile.read(file) }
    let texts = PhotoTexts(reading, chosenStory: options.story)
    let bytes = Int64(services.folders.size(of: file)) + Self.bytesOfPictures
    guard services.disk.hasSpace(bytes, in: services.folders.mediaFolder) else {
      throw .photo(.write(.diskFull))
    }
    return try services.folders.media.write(
      into: PhotoFolders.path(of: viewer.id), orThrow: AlbumPhotoError.init
    ) { (folder) throws(AlbumPhotoError) -> PhotoStore.New in
      try make(file, reading, texts, options, of: viewer, at: createdAt, in: folder)
    }
  }

  /// Creates the files in a folder of this machine, where none is left after an error.
  private func make(
    _ file: String, _ reading: PhotoReading, _ texts: PhotoTexts, _ options: ImportOptions,
    of viewer: Viewer, at createdAt: Instant, in folder: String
  ) throws(AlbumPhotoError) -> PhotoStore.New {
    // A file that looks complete but can't be decoded is refused here.
    let pictures = try processing { () throws(PictureError) in
      try services.imageProcessor.process(file: file, kind: .photo, into: folder)
    }
    guard let picture = ID<PhotoPicture>(pictures.id) else {
      throw .photo(.unknown("no identifier: \(pictures.id)"))
    }
    let files = PhotoFiles(
      folder: viewer.id, original: .random(), format: reading.properties.format, picture: picture,
      pictureExtension: pictures.fileExtension, hasWebP: pictures.hasWebP)
    let path = "\(folder)/\(files.originalName)"
    do throws(AlbumPhotoError) {
      try refusing { () throws(PhotoError) in
        if let story = texts.story {
          try PhotoFile.write(story, into: file, as: path)
        } else {
          try PhotoFile.strip(file, as: path)
        }
      }
    } catch {
      PictureFiles.remove(id: pictures.id, in: folder)
      throw error
    }
    return PhotoStore.New(
      id: ID(now: createdAt), files: files, width: pictures.width, height: pictures.height,
      bytes: services.folders.size(of: path), story: texts.story?.text, caption: texts.caption,
      otherStory: texts.other,
      taken: options.keepsDate ? reading.taken.map(PhotoMoment.init) : nil,
      dropped: reading.properties.extras, isShared: options.isShared, createdAt: createdAt)
  }

  /// The result of a child process.
  private func processing<Result>(
    _ body: () throws(PictureError) -> Result
  ) throws(AlbumPhotoError) -> Result {
    do throws(PictureError) {
      return try body()
    } catch {
      throw AlbumPhotoError(error)
    }
  }

  private func refusing<Result>(
    _ body: () throws(PhotoError) -> Result
  ) throws(AlbumPhotoError) -> Result {
    do throws(PhotoError) {
      return try body()
    } catch {
      throw .photo(error)
    }
  }
}

/// A photo that was kept in the album.
public struct KeptPhoto: Sendable {
  public enum Outcome: Sendable {
    case added
    /// It was among the deleted photos.
    case restored
    /// It was in the album already.
    case present
  }

  public let id: ID<Photo>
  public let outcome: Outcome
}
