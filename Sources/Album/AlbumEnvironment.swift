import Core
import Images
import Web

/// The services shared by the parts of this module.
struct AlbumEnvironment: Sendable {
  let site: AppEnvironment
  let photos: PhotoStore
  let folders: PhotoFolders
  let imageProcessor: ImageProcessor
  let answers = FormReplayStore()
  let posts: any PhotoPostCreator
  let limits: RateLimitStore
  let quota: PhotoQuota
  var disk = DiskReserve()

  init(
    site: AppEnvironment, imageProcessor: ImageProcessor, mediaFolder: String,
    posts: any PhotoPostCreator,
    limits: RateLimitStore, quota: PhotoQuota
  ) {
    self.limits = limits
    self.quota = quota
    self.site = site
    self.imageProcessor = imageProcessor
    self.posts = posts
    photos = PhotoStore(database: site.database)
    folders = PhotoFolders(mediaFolder: mediaFolder)
  }

  /// The photo of the request's path; throws 404 if the viewer may not see it.
  func photo(_ context: Context) throws -> Photo {
    guard let photo = try photos.visible(context.id(), to: context.signedIn()) else {
      throw Problem.notFound
    }
    return photo
  }

  /// The same as `photo`, for the owner only: the partner gets 403.
  func ownPhoto(_ context: Context) throws -> Photo {
    let photo = try photo(context)
    guard photo.isOwn(of: try context.signedIn()) else { throw Problem.forbidden }
    return photo
  }
}

/// Creates a post of a photo. The Feed module implements it; this module doesn't depend on Feed
/// (docs/developer/architecture.md#modules).
public protocol PhotoPostCreator: Sendable {
  /// Posts a text and an image file as the viewer; returns the address of the post. The same nonce
  /// with the same content returns the first result. Throws `PhotoPostError`, and a `Problem` if
  /// the viewer may not post.
  func post(_ draft: PhotoPost, by viewer: Viewer, now: Instant) throws -> String
}

/// The content of a post to create.
public struct PhotoPost: Sendable {
  public let text: String
  public let audience: Audience
  /// The path of a file.
  public let picture: String
  /// The text alternative.
  public let description: String
  public let nonce: String
}

extension PhotoPost {
  /// The audience of the post, with the values of its form.
  public enum Audience: String, Sendable {
    case everyone = "public"
    case followers
    case couple
  }
}

/// Why no post was created from a photo.
public enum PhotoPostError: Error, Sendable, Equatable {
  case tooLong(by: Int)
  /// Larger than a picture of a post may be.
  case tooLarge
  /// Too many pictures are being processed.
  case busy
  /// For the log.
  case failed(String)
}
