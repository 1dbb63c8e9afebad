import Core
import Web

/// `/album/{id}/favourite`: marks a photo that the viewer sees as a favourite, or takes the mark off.
struct FavouritePhotoPages {
  private static let limit = RateLimit("photo-favourites", maximum: 300, window: .minutes(10))

  let services: AlbumEnvironment

  var routes: [Route] {
    [
      Route(
        .post, "/album/:id/favourite", .atLeast(.guest), options: .noStore, handler: change),
      .api(
        .put, "/photos/:id/favourite", .atLeast(.guest),
        Operation(
          "Mark a photo as a favourite", .album,
          note: "For photos that you see. Only you see the mark. Repeating it has no effect."),
        options: .noStore
      ) { (context: Context) throws -> NoContent in try set(true, context) },
      .api(
        .delete, "/photos/:id/favourite", .atLeast(.guest),
        Operation("Take a photo from your favourites", .album), options: .noStore
      ) { (context: Context) throws -> NoContent in try set(false, context) },
    ]
  }

  @Sendable private func change(_ context: Context) throws -> Response {
    let isFavourite = context.form["favourite"] == "1"
    _ = try set(isFavourite, context)
    context.flash(isFavourite ? "toast.photo_favourite" : "toast.photo_unfavourite")
    return .seeOther(AlbumLinks.photo(try context.id()))
  }

  private func set(_ isFavourite: Bool, _ context: Context) throws -> NoContent {
    let (photo, viewer) = (try services.photo(context), try context.signedIn())
    if isFavourite {
      try services.limits.count(Self.limit, viewer.id.description, now: context.now)
    }
    try services.site.database.write {
      try services.photos.setFavourite(photo.id, isFavourite, of: viewer, in: $0)
    }
    return NoContent()
  }
}
