import Core
import Images
import Templates
import Web

/// `/album/deleted`: the viewer's deleted photos, each of which can be restored until it is removed
/// for good (docs/developer/album.md#deleted-photos).
struct DeletedPhotoPages {
  /// Photos on the page.
  static let maximumPhotos = 500

  private let services: AlbumEnvironment
  private let page: Page<DeletedPhotosView>
  private let confirmation: Page<PhotoDeleteView>

  private var service: PhotoService { PhotoService(services: services) }

  init(_ services: AlbumEnvironment) throws {
    self.services = services
    page = try Page("album/deleted", title: "deleted_photos.title", in: services.site)
    confirmation = try Page("album/delete", title: "album.delete_title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let oldest = DeletionPeriod.start(now: context.now)
    let photos = try services.site.database.read {
      try services.photos.deleted(of: viewer, since: oldest, limit: Self.maximumPhotos, in: $0)
    }
    let view = DeletedPhotosView(photos: photos.map { DeletedPhotoView($0, context) })
    return page.response(view, context)
  }

  @Sendable func restore(_ context: Context) throws -> Response {
    let id: ID<Photo> = try context.id()
    try service.restore(id, by: context.signedIn(), now: context.now)
    context.flash("toast.photo_restored")
    return .seeOther(AlbumLinks.photo(id))
  }

  @Sendable func askToErase(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let id: ID<Photo> = try context.id()
    let photo = try services.site.database.read {
      try services.photos.deleted(id, of: viewer, in: $0)
    }
    guard let photo else { throw Problem.notFound }
    let view = PhotoDeleteView(
      photo: photo, name: PhotoCardView.name(photo, context), isForGood: true)
    return confirmation.response(view, context)
  }

  @Sendable func erase(_ context: Context) throws -> Response {
    try service.remove(context.id(), by: context.signedIn())
    context.flash("toast.photo_erased")
    return .seeOther(AlbumLinks.deleted)
  }
}

struct DeletedPhotosView: View {
  let photos: [DeletedPhotoView]

  static let fields: [String: Field<DeletedPhotosView>] = [
    "photos": .list { $0.photos },
    "empty": .flag { $0.photos.isEmpty },
    "back_link": .text { _ in AlbumLinks.album },
  ]
}

struct DeletedPhotoView: View {
  let photo: Photo
  let name: String
  let left: String

  init(_ deleted: DeletedPhoto, _ context: Context) {
    photo = deleted.photo
    name = PhotoCardView.name(photo, context)
    left = context.timeToRestore(deleted.deletedAt)
  }

  static let fields: [String: Field<DeletedPhotoView>] = [
    "src": .text { AlbumLinks.picture($0.photo, .thumb) },
    "name": .text { $0.name },
    "story": .optionalText { $0.photo.story?.excerpt(80) },
    "left": .text { $0.left },
    "restore_action": .text { AlbumLinks.restore($0.photo.id) },
    "erase_link": .text { AlbumLinks.erase($0.photo.id) },
  ]
}
