import Core
import Feed
import Images
import Web

/// Creates posts of one picture for other modules, through the feed.
struct PicturePostAdapter: PicturePostCreator {
  let publishing: PostPublisher

  func post(_ draft: PicturePost, by viewer: Viewer, now: Instant) throws -> String {
    do {
      return try publishing.post(
        draft.text, picture: draft.picture, description: draft.description,
        visibility: visibility(draft.audience), nonce: draft.nonce, by: viewer, at: now)
    } catch PostPublisher.Rejection.tooLong(let by) {
      throw PicturePostError.tooLong(by: by)
    } catch let problem as Problem where problem.status == .tooManyRequests {
      throw PicturePostError.tooMany(retryAfter: problem.retryAfter ?? 60)
    } catch let error as PictureError {
      switch error {
      case .tooManyBytes, .tooManyPixels: throw PicturePostError.tooLarge
      case .busy: throw PicturePostError.busy
      case .diskFull: throw PicturePostError.diskFull
      default: throw PicturePostError.failed("\(error)")
      }
    }
  }

  private func visibility(_ audience: PicturePost.Audience) -> Visibility {
    switch audience {
    case .everyone: .everyone
    case .followers: .followers
    case .couple: .couple
    }
  }
}
