import Core
import Database
import Images
import Media
import PhotoMetadata

/// A photo of an album. The file takes precedence: it contains the story, and this copy for lists
/// is updated with the file in one commit (docs/developer/photo-stories.md#safe-overwriting).
public struct Photo: Sendable {
  public let id: ID<Photo>
  public let owner: ID<Person>
  public let ownerName: String
  public let format: PhotoFormat
  /// In px, upright.
  public let width: Int
  /// In px, upright.
  public let height: Int
  /// The size of the file with the story, in bytes.
  public let bytes: Int
  /// The text in the file under PairSpot's mark; nil for none.
  public let story: String?
  /// A text of the uploaded file without PairSpot's mark: a first draft.
  public let caption: String?
  /// Another text of the uploaded file under PairSpot's mark: the story was edited elsewhere.
  public let otherStory: String?
  /// When the photo was taken; not stored if the owner chose so.
  public let taken: PhotoMoment?
  /// Data that was removed from the uploaded file.
  public let dropped: Set<PhotoExtra>
  /// Whether the partner sees the photo now.
  public let isShared: Bool
  /// Whether the user who sees it marked it as a favourite.
  public let isFavourite: Bool
  /// Increases with each new file.
  public let version: Int
  public let createdAt: Instant
  /// Its place in the album: when it was taken, if known, otherwise when it was added.
  let sortedAt: Instant
  public let files: PhotoFiles

  /// Whether there is another story that was edited elsewhere.
  public var wasEditedElsewhere: Bool { otherStory != nil }

  public func isOwn(of viewer: Viewer) -> Bool { owner == viewer.id }
}

/// The type of the ID in the name of a photo's own file.
public enum PhotoOriginal {}

/// The type of the ID in the names of a photo's preview images.
public enum PhotoPicture {}

/// The location of a photo's files.
public struct PhotoFiles: Sendable, Equatable {
  /// The user who owns the folder: the owner, or the guest that the owner was before.
  let folder: ID<Person>
  let original: ID<PhotoOriginal>
  let format: PhotoFormat
  let picture: ID<PhotoPicture>
  let pictureExtension: String
  let hasWebP: Bool
}

/// The time of a camera's clock, whose time zone may be unknown.
public struct PhotoMoment: Sendable, Equatable {
  /// `2026-11-21T09:30:00`.
  public let localTime: String
  /// The offset in minutes east of UTC.
  public let offset: Int?

  public init(localTime: String, offset: Int?) {
    self.localTime = localTime
    self.offset = offset
  }

  init(_ taken: DateTaken) {
    self.init(localTime: taken.localTime, offset: taken.offset)
  }

  var day: LocalDay? { LocalDay(String(localTime.prefix(10))) }

  /// The moment by this clock, in UTC if its zone is unknown; nil if it is no date or before 1970.
  var instant: Instant? {
    let parts = localTime.dropFirst(11).split(separator: ":").compactMap { Int64($0) }
    guard let day, parts.count == 3 else { return nil }
    let seconds = parts[0] * 3600 + parts[1] * 60 + parts[2] - 60 * Int64(offset ?? 0)
    let instant = day.instant(minute: 0, in: .gmt).adding(seconds: seconds)
    return instant.milliseconds >= 0 ? instant : nil
  }

  /// "09:30".
  var clock: String { String(localTime.dropFirst(11).prefix(5)) }
}

/// The texts of an uploaded photo (docs/developer/photo-stories.md#reading).
struct PhotoTexts: Equatable {
  /// The story to write into the file; nil for none.
  let story: PhotoStory?
  let other: String?
  let caption: String?

  /// A text of another program that is too long for a story becomes the draft, so that no word is
  /// lost.
  init(_ reading: PhotoReading, chosenStory: PhotoStory? = nil) {
    if let chosenStory {
      (story, other, caption) = (chosenStory, nil, nil)
      return
    }
    let whole = reading.story.flatMap { try? PhotoStory($0) }
    story = whole
    other = whole == nil ? nil : reading.otherStory
    let texts = [whole == nil ? reading.story : nil, reading.caption]
    caption = texts.compactMap { $0 }.first.map { Self.kept($0) }
  }

  /// Longer captions are truncated.
  private static func kept(_ text: String) -> String { String(text.prefix(10_000)) }
}

extension PageCursor<Photo> {
  init(_ photo: Photo) {
    self.init(at: photo.createdAt, id: photo.id)
  }

  /// The place of a photo in the album.
  static func sorted(_ photo: Photo) -> Self { Self(at: photo.sortedAt, id: photo.id) }
}

/// Why a photo was refused or not saved.
public enum AlbumPhotoError: Error, Sendable, Equatable {
  /// An error of the photo or the disk.
  case photo(PhotoError)
  /// Too many pictures are being processed; retry in a few seconds.
  case busy
  /// The photo was saved or removed in the meantime.
  case conflict
  /// The user added too many photos in a short time; retry after this many s.
  case tooMany(retryAfter: Int)
  /// The user's photos would exceed the storage limit.
  case storageFull(maximum: Int64)

  var isStorageFull: Bool { if case .storageFull = self { true } else { false } }

  /// An error of the store.
  init(_ error: MediaError) {
    self.init(PictureError(error))
  }

  /// An error in creating the preview images.
  init(_ error: PictureError) {
    switch error {
    case .busy: self = .busy
    case .damaged: self = .photo(.read(.damaged))
    case .tooManyBytes: self = .photo(.read(.tooManyBytes))
    case .tooManyPixels: self = .photo(.read(.tooManyPixels))
    case .unsupportedFormat(.heic): self = .photo(.format(.heic))
    case .unsupportedFormat: self = .photo(.format(.rareJPEG))
    case .diskFull: self = .photo(.write(.diskFull))
    case .failed(let reason): self = .photo(.write(.failed(reason)))
    }
  }
}
