import Archive
import Core
import Images
import Media
import Web

/// The services shared by the parts of this module.
struct AlbumEnvironment: Sendable {
  let site: AppEnvironment
  let photos: PhotoStore
  let folders: PhotoFolders
  /// Photos packed for one download.
  let archives: DownloadArchives
  let imageProcessor: ImageProcessor
  let answers = FormReplayStore()
  let posts: any PicturePostCreator
  let limits: RateLimitStore
  let quota: PhotoQuota
  var disk = DiskReserve()

  init(
    site: AppEnvironment, imageProcessor: ImageProcessor, media: any MediaStore,
    mediaFolder: String, posts: any PicturePostCreator,
    limits: RateLimitStore, quota: PhotoQuota
  ) {
    self.limits = limits
    self.quota = quota
    self.site = site
    self.imageProcessor = imageProcessor
    self.posts = posts
    photos = PhotoStore(database: site.database)
    folders = PhotoFolders(media: media, mediaFolder: mediaFolder)
    archives = DownloadArchives("photo-exports", mediaFolder: mediaFolder)
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
