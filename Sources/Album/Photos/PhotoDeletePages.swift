import Core
import Images
import Templates
import Web

/// `/album/{id}/delete`: asks for confirmation, and lists what will be deleted.
struct PhotoDeletePages {
  private let services: AlbumEnvironment
  private let page: Page<PhotoDeleteView>

  init(_ services: AlbumEnvironment) throws {
    self.services = services
    page = try Page("album/delete", title: "album.delete_title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let photo = try services.ownPhoto(context)
    let view = PhotoDeleteView(
      photo: photo, name: PhotoCardView.name(photo, context), isForGood: false)
    return page.response(view, context)
  }

  @Sendable func delete(_ context: Context) throws -> Response {
    let photo = try services.ownPhoto(context)
    try PhotoService(services: services).delete(
      [photo], by: context.signedIn(), now: context.now)
    context.flash("toast.photo_deleted", link: (AlbumLinks.deleted, "toast.deleted_link"))
    return .seeOther(AlbumLinks.album)
  }
}

struct PhotoDeleteView: View {
  let photo: Photo
  let name: String
  /// Whether the photo is deleted already, and will be removed for good.
  let isForGood: Bool

  static let fields: [String: Field<PhotoDeleteView>] = [
    "action": .text {
      $0.isForGood ? AlbumLinks.erase($0.photo.id) : AlbumLinks.delete($0.photo.id)
    },
    "cancel_link": .text {
      $0.isForGood ? AlbumLinks.deleted : AlbumLinks.photo($0.photo.id)
    },
    "for_good": .flag { $0.isForGood },
    "src": .text { AlbumLinks.picture($0.photo, .thumb) },
    "alt": .text { $0.name },
    "excerpt": .optionalText { $0.photo.story?.excerpt(140) },
    "shared": .flag { $0.photo.isShared },
  ]
}
