import Core
import Foundation
import PhotoMetadata
import Web

/// A photo in the API, for a viewer who may see it (docs/api/other-calls.md#album).
struct PhotoResponse {
  private let photo: Photo
  private let isOwn: Bool
  private let baseURL: String
  private let takenAt: Instant?

  init(_ photo: Photo, _ viewer: Viewer, _ context: Context) {
    self.photo = photo
    isOwn = photo.isOwn(of: viewer)
    baseURL = context.site.baseURL
    takenAt = photo.taken?.instant(in: context.timeZone)
  }
}

extension PhotoResponse: JSONResponse {
  /// The format of the file.
  enum Format: String, JSONEnum {
    case jpeg
    case png

    init(_ format: PhotoFormat) {
      switch format {
      case .jpeg: self = .jpeg
      case .png: self = .png
      }
    }
  }

  static let jsonName = "Photo"

  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.photo.id },
    JSONField(
      "url", note: "The original photo with its embedded story; requires the access token.",
      example: url("file")
    ) {
      $0.baseURL + Route.apiBase + "/photos/\($0.photo.id)/file"
    },
    JSONField(
      "medium_url", note: "At most 800 px wide; requires the access token.",
      example: url("medium.jpg")
    ) {
      $0.baseURL + AlbumLinks.picture($0.photo, .medium)
    },
    JSONField(
      "thumbnail_url", note: "300 × 300 px; requires the access token.", example: url("thumb.jpg")
    ) {
      $0.baseURL + AlbumLinks.picture($0.photo, .thumb)
    },
    JSONField("format") { Format($0.photo.format) },
    JSONField("width", note: "In px, after rotation.", example: 4032) { $0.photo.width },
    JSONField("height", note: "In px, after rotation.", example: 3024) { $0.photo.height },
    JSONField("story", note: "Null if there is none.", example: "The sea, before the rain") {
      $0.photo.story
    },
    JSONField("caption", note: "Caption found in the uploaded file; visible to the owner only.") {
      $0.isOwn ? $0.photo.caption : nil
    },
    JSONField("edited_elsewhere", note: "Whether another program changed its story.") {
      $0.isOwn && $0.photo.wasEditedElsewhere
    },
    JSONField("owner", note: "The user who added it: you, or your partner who shares it.") {
      PhotoOwnerResponse(id: $0.photo.owner, name: $0.photo.ownerName)
    },
    JSONField("shared", note: "Whether the partner can see it.") { $0.photo.isShared },
    JSONField("favourite", note: "Whether you marked it as a favourite.") {
      $0.photo.isFavourite
    },
    JSONField(
      "taken_at",
      note: "Null unless kept. Without a time zone in the file, yours is assumed."
    ) { $0.takenAt },
    JSONField("version", note: "Incremented with each saved story.", example: 1) {
      $0.photo.version
    },
    JSONField("created_at") { $0.photo.createdAt },
  ]

  private static func url(_ end: String) -> JSON {
    .text("https://pairspot.example/…/\(end)")
  }
}

/// The owner of a photo.
struct PhotoOwnerResponse: JSONResponse {
  let id: ID<Person>
  let name: String

  static let jsonName = "PhotoOwner"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.id },
    JSONField("display_name", example: "Mei") { $0.name },
  ]
}

/// A page of an album.
struct PhotoListResponse: JSONResponse {
  let photos: [PhotoResponse]
  let nextCursor: String?

  static let jsonName = "PhotoList"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("photos") { $0.photos },
    JSONField("next_cursor", note: "Null on the last page.") { $0.nextCursor },
  ]
}

/// The story in a photo's file.
struct StoryResponse: JSONResponse {
  let story: String?

  static let jsonName = "Story"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("story", note: "Null if there is none.", example: "The sea, before the rain") {
      $0.story
    }
  ]
}

extension PhotoMoment {
  /// The moment: in the zone noted by the camera, otherwise in `zone`.
  func instant(in zone: TimeZone) -> Instant? {
    let clock = localTime.dropFirst(11).split(separator: ":").compactMap { Int($0) }
    guard let day, clock.count == 3 else { return nil }
    let noted = offset.flatMap { TimeZone(secondsFromGMT: $0 * 60) }
    return day.instant(minute: clock[0] * 60 + clock[1], in: noted ?? zone)
      .adding(seconds: Int64(clock[2]))
  }
}
