import Core
import Images
import Web

/// What the parts of this module share.
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

  /// The photo of a request's address, as far as its viewer may see it: else 404.
  func photo(_ context: Context) throws -> Photo {
    guard let photo = try photos.visible(context.id(), to: context.signedIn()) else {
      throw Problem.notFound
    }
    return photo
  }

  /// As `photo`, for what only its owner may do: the partner gets 403.
  func ownPhoto(_ context: Context) throws -> Photo {
    let photo = try photo(context)
    guard photo.isOwn(of: try context.signedIn()) else { throw Problem.forbidden }
    return photo
  }
}

/// Makes a post of a photo. The feed does it; this module doesn't know the feed
/// (docs/developer/architecture.md#modules).
public protocol PhotoPostCreator: Sendable {
  /// Posts words and a picture's file as this person; answers where the post is. The same nonce
  /// with the same content gives the first answer again. Throws `PhotoPostError`, and a `Problem`
  /// where this person may not post.
  func post(_ draft: PhotoPost, by viewer: Viewer, now: Instant) throws -> String
}

/// What is to become a post.
public struct PhotoPost: Sendable {
  public let words: String
  public let audience: Audience
  /// A file on the disk.
  public let picture: String
  /// For those who can't see it.
  public let description: String
  public let nonce: String
}

extension PhotoPost {
  /// Who is to see the post, in the words of its form.
  public enum Audience: String, Sendable {
    case everybody = "public"
    case followers
    case couple
  }
}

/// Why a photo makes no post.
public enum PhotoPostError: Error, Sendable, Equatable {
  case tooLong(by: Int)
  /// Bigger than a picture of a post may be.
  case tooLarge
  /// Too many pictures are being worked on.
  case busy
  /// For the log.
  case failed(String)
}
