import Accounts
import Core
import Images
import Web

/// `POST /api/v1/photos/{id}/post`: a post of a photo. Photos are another module's, which hands
/// over the file (docs/api/other-calls.md#album).
extension PostPublisher {
  /// `file` answers where the photo of a request's address lies. It throws 404 where there is none
  /// for who asks, and 403 where it isn't theirs.
  public func photoRoute(file: @escaping @Sendable (Context) throws -> String) -> Route {
    .api(
      .post, "/photos/:id/post", .atLeast(.member),
      Operation(
        "Make a post of your photo", .album,
        note: "The one way in which others see it. For members of an active couple, or on their "
          + "own; a picture of a post has at most 12 MB and 50 megapixels.",
        errors: [.notFound, .payloadTooLarge, .notAcceptablePicture, .unavailable]),
      options: [.idempotent, .closedToSuspended]
    ) { (input: PhotoPostRequest, context) in
      try answer(input, picture: file(context), context)
    }
  }

  private func answer(
    _ input: PhotoPostRequest, picture: String, _ context: Context
  ) throws -> Created<PostResponse> {
    let viewer = try context.signedIn()
    let location: String
    do {
      location = try context.making(
        {
          try post(
            input.content, picture: picture, description: "", visibility: input.visibility,
            nonce: "", by: viewer, at: context.now)
        }, name: { (location: String) in location }, read: { $0 })
    } catch Rejection.tooLong(let by) {
      throw Problem.invalid(
        PostValidationError.tooLong(by: by).error.map { ["content": $0] } ?? [:])
    } catch let error as PictureError {
      throw error.problem(fields: [:])
    }
    guard let id = FeedLinks.post(at: location) else { throw Problem.internalError }
    return Created(PostResponse(try PostService(services: services).seen(id, by: viewer), context))
  }
}

/// What is to stand in the post of a photo; for the two alone until somebody says otherwise.
struct PhotoPostRequest: JSONRequest {
  var content = ""
  var visibility = Visibility.couple

  static let jsonName = "PhotoPost"
  static let jsonFields: [InputField<Self>] = [
    .optional(
      "content", limits: .paragraphs, note: "Up to 2,000 characters.", example: "Our first walk"
    ) {
      $0.content = $1
    },
    .optional("visibility", note: "For the two alone when left out.") { $0.visibility = $1 },
  ]
}
