import Core
import Images
import Web

/// `/media/couples/{id}/posts/{post}/{file}` and `/media/drafts/{id}`: checks access by the rules
/// of the post or draft; nginx sends the file.
struct PictureMedia {
  private let services: FeedEnvironment

  init(_ services: FeedEnvironment) {
    self.services = services
  }

  @Sendable func send(_ context: Context) throws -> Response {
    let file = context.parameters["file"] ?? ""
    guard let name = PictureName(file),
      let post = try post(context.id("post"), for: context.viewer),
      post.couple == (try context.id("id")),
      let picture = try services.posts.picture(name.id.cast(to: PostImage.self), of: post),
      name.fits(fileExtension: picture.fileExtension, hasWebP: picture.hasWebP)
    else { throw Problem.notFound }
    let seenByAll = try services.posts.visible(post.id, to: nil) != nil
    let path = "\(PictureFolders.post(post.id, of: post.couple))/\(file)"
    return .protectedFile(
      at: services.folders.location(of: path),
      contentType: name.contentType, cacheControl: MediaCaching.header(forAll: seenByAll))
  }

  /// The picture's post. Moderators see pictures of reported posts, hidden or not.
  private func post(_ id: ID<Post>, for viewer: Viewer?) throws -> Post? {
    if let seen = try services.posts.visible(id, to: viewer) { return seen }
    guard let viewer, viewer.role >= .moderator else { return nil }
    return try services.posts.moderated(id)?.post
  }

  @Sendable func sendDraft(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    guard let draft = try services.drafts.find([context.id()], of: viewer).first else {
      throw Problem.notFound
    }
    let name = PictureVariant.thumb.fileName(
      id: draft.id.description, fileExtension: draft.picture.fileExtension)
    return .protectedFile(
      at: services.folders.location(of: "\(PictureFolders.drafts(of: viewer.id))/\(name)"),
      contentType: PictureName.contentType(draft.picture.fileExtension),
      cacheControl: MediaCaching.header(forAll: false))
  }
}
