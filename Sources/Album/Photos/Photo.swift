import Core
import Images
import PhotoMetadata

/// A photo of an album. The file is what counts: its story stands in it, and the one here is a copy
/// for lists, switched with the file in one commit
/// (docs/developer/photo-stories.md#safe-overwriting).
public struct Photo: Sendable {
  public let id: ID<Photo>
  public let owner: ID<Person>
  public let ownerName: String
  public let format: PhotoFormat
  /// Pixels, upright.
  public let width: Int
  /// Pixels, upright.
  public let height: Int
  /// Of the file with the story.
  public let bytes: Int
  /// What stands in the file under our mark; nil for none.
  public let story: String?
  /// A text that it brought along without our mark: a first draft.
  public let caption: String?
  /// Another text that it brought under our mark: somebody edited the story elsewhere.
  public let otherStory: String?
  /// When the shutter opened; kept only if its owner ticked it.
  public let taken: PhotoMoment?
  /// What it had besides its picture when it came, and has no longer.
  public let dropped: Set<PhotoExtra>
  /// Whether the partner sees it, now.
  public let isShared: Bool
  /// Goes up with each new file.
  public let version: Int
  public let createdAt: Instant
  public let files: PhotoFiles

  /// Whether the story has another one beside it, or there is a draft of somebody else's.
  public var wasEditedElsewhere: Bool { otherStory != nil }

  public func isOwn(of viewer: Viewer) -> Bool { owner == viewer.id }
}

/// The kind of the identifier in the name of a photo's own file.
public enum PhotoOriginal {}

/// The kind of the identifier in the names of the pictures that pages show of a photo.
public enum PhotoPicture {}

/// Where the files of a photo lie.
public struct PhotoFiles: Sendable, Equatable {
  /// Whose folder: the owner's, or that of the guest whom the owner was.
  let folder: ID<Person>
  let original: ID<PhotoOriginal>
  let format: PhotoFormat
  let picture: ID<PhotoPicture>
  let pictureExtension: String
  let hasWebP: Bool
}

/// The time on a camera's clock, which need not know its zone.
public struct PhotoMoment: Sendable, Equatable {
  /// `2026-11-21T09:30:00`.
  public let localTime: String
  /// Minutes east of Greenwich.
  public let offset: Int?

  public init(localTime: String, offset: Int?) {
    self.localTime = localTime
    self.offset = offset
  }

  init(_ taken: DateTaken) {
    self.init(localTime: taken.localTime, offset: taken.offset)
  }

  var day: LocalDay? { LocalDay(String(localTime.prefix(10))) }

  /// "09:30".
  var clock: String { String(localTime.dropFirst(11).prefix(5)) }
}

/// The texts of a photo that has just come (docs/developer/photo-stories.md#reading).
struct PhotoTexts: Equatable {
  /// What is written into the file; nil for none.
  let story: PhotoStory?
  let other: String?
  let caption: String?

  /// What another program made longer than a story may be is no story, but loses no word: it is
  /// the first draft.
  init(_ reading: PhotoReading, told: PhotoStory? = nil) {
    if let told {
      (story, other, caption) = (told, nil, nil)
      return
    }
    let whole = reading.story.flatMap { try? PhotoStory($0) }
    story = whole
    other = whole == nil ? nil : reading.otherStory
    let texts = [whole == nil ? reading.story : nil, reading.caption]
    caption = texts.compactMap { $0 }.first.map { Self.kept($0) }
  }

  /// More than this is no caption but a book.
  private static func kept(_ text: String) -> String { String(text.prefix(10_000)) }
}

/// A place in a list of photos, newest first: what comes after it is older.
public struct PhotoCursor: Sendable, Equatable {
  let createdAt: Instant
  let id: ID<Photo>

  /// The place before everything.
  static let start = PhotoCursor(createdAt: Instant(milliseconds: .max), id: .random())

  init(createdAt: Instant, id: ID<Photo>) {
    self.createdAt = createdAt
    self.id = id
  }

  init(_ photo: Photo) {
    self.init(createdAt: photo.createdAt, id: photo.id)
  }

  /// Reads "<ms>-<id>"; nil for anything else.
  init?(_ text: String?) {
    guard let parts = text?.split(separator: "-", maxSplits: 1), parts.count == 2,
      let milliseconds = Int64(parts[0]), let id = ID<Photo>(parts[1])
    else { return nil }
    self.init(createdAt: Instant(milliseconds: milliseconds), id: id)
  }

  var text: String { "\(createdAt.milliseconds)-\(id)" }
}

/// Why a photo isn't taken or saved.
public enum AlbumPhotoError: Error, Sendable, Equatable {
  /// Something with the photo or with the disk.
  case photo(PhotoError)
  /// Too many pictures are being worked on: again in a few seconds.
  case busy
  /// Somebody saved it in between, or removed it.
  case conflict
  /// One person added too many in a short time; again in so many s.
  case tooMany(retryAfter: Int)
  /// All photos of the person would take more bytes than they may.
  case storageFull(most: Int64)

  var isStorageFull: Bool { if case .storageFull = self { true } else { false } }

  /// What went wrong with the pictures that pages show of it.
  init(_ error: PictureError) {
    switch error {
    case .busy: self = .busy
    case .damaged: self = .photo(.read(.damaged))
    case .tooManyBytes: self = .photo(.read(.tooManyBytes))
    case .tooManyPixels: self = .photo(.read(.tooManyPixels))
    case .unsupportedFormat: self = .photo(.format(.rareJPEG))
    case .diskFull: self = .photo(.write(.diskFull))
    case .failed(let reason): self = .photo(.write(.failed(reason)))
    }
  }
}
