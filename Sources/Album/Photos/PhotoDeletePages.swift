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
    let view = PhotoDeleteView(photo: photo, name: PhotoCardView.name(photo, context))
    return page.response(view, context)
  }

  @Sendable func delete(_ context: Context) throws -> Response {
    let photo = try services.ownPhoto(context)
    try PhotoService(services: services).delete(photo, by: context.signedIn())
    context.flash("toast.photo_deleted")
    return .seeOther(AlbumLinks.album)
  }
}

struct PhotoDeleteView: View {
  let photo: Photo
  let name: String

  static let fields: [String: Field<PhotoDeleteView>] = [
    "action": .text { AlbumLinks.delete($0.photo.id) },
    "cancel_link": .text { AlbumLinks.photo($0.photo.id) },
    "src": .text { AlbumLinks.picture($0.photo, .thumb) },
    "alt": .text { $0.name },
    "excerpt": .optionalText { $0.photo.story?.excerpt(140) },
    "shared": .flag { $0.photo.isShared },
  ]
}
