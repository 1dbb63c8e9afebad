import Core
import Images
import PhotoMetadata
import Templates
import Web

/// `/album/{id}`: one photo with its whole story; its owner can share it with the partner here. And
/// `/album/{id}/view`: the photo alone.
struct PhotoPages {
  private let services: AlbumEnvironment
  private let page: Page<PhotoPageView>
  private let fullPage: Page<PhotoPageView>

  init(_ services: AlbumEnvironment) throws {
    self.services = services
    page = try Page("album/photo", in: services.site)
    fullPage = try Page("album/view", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response { try show(page, context) }

  /// The photo in full size; a script shows it over the page and enlarges it.
  @Sendable func view(_ context: Context) throws -> Response { try show(fullPage, context) }

  private func show(_ page: Page<PhotoPageView>, _ context: Context) throws -> Response {
    let photo = try services.photo(context)
    let viewer = try context.signedIn()
    let beside = try services.site.database.read {
      try services.photos.neighbours(of: photo, for: viewer, in: $0)
    }
    let view = PhotoPageView(
      photo, newer: beside.newer?.id, older: beside.older?.id, viewer, context)
    return page.response(view, context, title: .named(view.name))
  }

  /// Shares the photo, or stops sharing it.
  @Sendable func share(_ context: Context) throws -> Response {
    let photo = try services.ownPhoto(context)
    let wanted = context.form["shared"] == "1"
    let isDone = try PhotoService(services: services).share(
      [photo], wanted, by: context.signedIn())
    // The couple may have separated a moment ago.
    guard isDone else { throw Problem.forbidden }
    context.flash(wanted ? "toast.photo_shared" : "toast.photo_unshared")
    return .seeOther(AlbumLinks.photo(photo.id))
  }
}

struct PhotoPageView: View {
  let photo: Photo
  /// The photos beside it in the album.
  let newer: ID<Photo>?
  let older: ID<Photo>?
  let name: String
  let day: String
  let isOwn: Bool
  let partner: String?
  let mayPost: Bool
  let taken: String?
  let summary: String
  let dropped: [DroppedView]

  init(
    _ photo: Photo, newer: ID<Photo>?, older: ID<Photo>?, _ viewer: Viewer, _ context: Context
  ) {
    self.photo = photo
    self.newer = newer
    self.older = older
    name = PhotoCardView.name(photo, context)
    day = PhotoCardView.day(photo, context)
    isOwn = photo.isOwn(of: viewer)
    partner = isOwn ? AlbumPages.partner(of: viewer) : nil
    mayPost = isOwn && viewer.mayPost
    taken = photo.taken.flatMap { Self.text($0, context) }
    summary = Self.summary(photo)
    dropped =
      isOwn
      ? PhotoExtra.allCases.filter(photo.dropped.contains).map {
        DroppedView(text: Self.text($0, context))
      } : []
  }

  /// By the camera's clock, as the user remembers the moment.
  private static func text(_ moment: PhotoMoment, _ context: Context) -> String? {
    moment.day.map {
      context.text(
        "album.taken", ["day": DateFormatting(context).day($0), "time": moment.clock])
    }
  }

  /// "JPEG · 4032 × 3024 · 2.4 MB"
  static func summary(_ photo: Photo) -> String {
    let tenths = (photo.bytes * 10 + 524_288) / 1_048_576
    let size =
      tenths > 0
      ? "\(tenths / 10).\(tenths % 10) MB" : "\(max(1, (photo.bytes + 512) / 1024)) KB"
    return "\(photo.format.rawValue.uppercased()) · \(photo.width) × \(photo.height) · \(size)"
  }

  private static func text(_ extra: PhotoExtra, _ context: Context) -> String {
    switch extra {
    case .gainMap: context.text("album.dropped_gain_map")
    case .motionClip: context.text("album.dropped_motion_clip")
    case .furtherPictures: context.text("album.dropped_further")
    }
  }

  static let fields: [String: Field<PhotoPageView>] = [
    "album_link": .text { _ in AlbumLinks.album },
    "newer": .optionalText { $0.newer.map(AlbumLinks.photo) },
    "older": .optionalText { $0.older.map(AlbumLinks.photo) },
    "view_link": .text { AlbumLinks.view($0.photo.id) },
    "newer_view": .optionalText { $0.newer.map(AlbumLinks.view) },
    "older_view": .optionalText { $0.older.map(AlbumLinks.view) },
    "day": .text { $0.day },
    "src": .text { AlbumLinks.picture($0.photo, .medium) },
    "src_webp": .optionalText {
      $0.photo.files.hasWebP ? AlbumLinks.picture($0.photo, .medium, asWebP: true) : nil
    },
    "name": .text { $0.name },
    "width": .integer { $0.photo.width },
    "height": .integer { $0.photo.height },
    "story": .optionalText { $0.photo.story },
    "own": .flag { $0.isOwn },
    "owner_name": .text { $0.photo.ownerName },
    "edited_elsewhere": .flag { $0.isOwn && $0.photo.wasEditedElsewhere },
    "caption": .optionalText { $0.isOwn && $0.photo.story == nil ? $0.photo.caption : nil },
    "taken": .optionalText { $0.taken },
    "facts": .text { $0.summary },
    "dropped": .list { $0.dropped },
    "shared": .flag { $0.photo.isShared },
    "partner": .optional { view in view.partner.map { PartnerView(name: $0) } },
    "favourite": .flag { $0.photo.isFavourite },
    "favourite_action": .text { AlbumLinks.favourite($0.photo.id) },
    "photo_link": .text { AlbumLinks.photo($0.photo.id) },
    "story_link": .text { AlbumLinks.story($0.photo.id) },
    "file_link": .text { AlbumLinks.file($0.photo.id) },
    "post_link": .optionalText { $0.mayPost ? AlbumLinks.post($0.photo.id) : nil },
    "delete_link": .text { AlbumLinks.delete($0.photo.id) },
  ]
}

/// Data that was removed from the uploaded photo.
struct DroppedView: View {
  let text: String

  static let fields: [String: Field<DroppedView>] = ["text": .text { $0.text }]
}
