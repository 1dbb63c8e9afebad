import Basics
import Images
import Web

/// What the parts of this module share.
struct AlbumServices: Sendable {
  let site: Site
  let photos: PhotoStore
  let folders: PhotoFolders
  let workshop: PictureWorkshop
  let answers = AnswerStore()
  let posts: any PostMaker
  let limits: RateLimitStore
  let quota: PhotoQuota
  var disk = DiskRoom()

  init(
    site: Site, workshop: PictureWorkshop, mediaFolder: String, posts: any PostMaker,
    limits: RateLimitStore, quota: PhotoQuota
  ) {
    self.limits = limits
    self.quota = quota
    self.site = site
    self.workshop = workshop
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
public protocol PostMaker: Sendable {
  /// Posts words and a picture's file as this person; answers where the post is. The same nonce
  /// with the same content gives the first answer again. Throws `PostRefusal`, and a `Problem`
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
public enum PostRefusal: Error, Sendable, Equatable {
  case tooLong(by: Int)
  /// Bigger than a picture of a post may be.
  case tooLarge
  /// Too many pictures are being worked on.
  case busy
  /// For the log.
  case failed(String)
}
