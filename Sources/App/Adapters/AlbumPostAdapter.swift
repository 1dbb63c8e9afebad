import Album
import Core
import Feed
import Images

/// Creates posts from photos for the album, through the feed.
struct AlbumPostAdapter: PhotoPostCreator {
  let publishing: PostPublisher

  private func visibility(_ audience: PhotoPost.Audience) -> Visibility {
    switch audience {
    case .everyone: .everyone
    case .followers: .followers
    case .couple: .couple
    }
  }

  func post(_ draft: PhotoPost, by viewer: Viewer, now: Instant) throws -> String {
    do {
      return try publishing.post(
        draft.text, picture: draft.picture, description: draft.description,
        visibility: visibility(draft.audience), nonce: draft.nonce, by: viewer, at: now)
    } catch PostPublisher.Rejection.tooLong(let by) {
      throw PhotoPostError.tooLong(by: by)
    } catch let error as PictureError {
      switch error {
      case .tooManyBytes, .tooManyPixels: throw PhotoPostError.tooLarge
      case .busy: throw PhotoPostError.busy
      case .diskFull: throw error
      default: throw PhotoPostError.failed("\(error)")
      }
    }
  }
}
