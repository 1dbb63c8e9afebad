import Core
import Feed
import Images
import Web
import Workouts

/// Creates posts from workouts, through the feed.
struct WorkoutPostAdapter: WorkoutPostCreator {
  let publishing: PostPublisher

  func post(_ draft: WorkoutPost, by viewer: Viewer, now: Instant) throws -> String {
    do {
      return try publishing.post(
        draft.text, picture: draft.picture, description: draft.description,
        visibility: visibility(draft.audience), nonce: draft.nonce, by: viewer, at: now)
    } catch PostPublisher.Rejection.tooLong(let by) {
      throw WorkoutPostError.tooLong(by: by)
    } catch PictureError.busy {
      throw WorkoutPostError.busy
    } catch let error as PictureError {
      throw WorkoutPostError.failed("\(error)")
    } catch let problem as Problem where problem.status == .tooManyRequests {
      throw WorkoutPostError.tooMany(retryAfter: problem.retryAfter ?? 60)
    }
  }

  private func visibility(_ audience: WorkoutPost.Audience) -> Visibility {
    switch audience {
    case .everyone: .everyone
    case .followers: .followers
    case .couple: .couple
    }
  }
}
