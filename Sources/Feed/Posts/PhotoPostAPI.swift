import Accounts
import Core
import Images
import Web

/// `POST /api/v1/photos/{id}/post`: creates a post from a photo. Photos belong to another module,
/// which provides the file (docs/api/other-calls.md#album).
extension PostPublisher {
  /// The route. `file` returns the path of the photo in the request's URL. It throws 404 if the
  /// caller does not see the photo, and 403 if it is not the caller's own.
  public func photoRoute(file: @escaping @Sendable (Context) throws -> String) -> Route {
    .api(
      .post, "/photos/:id/post", .atLeast(.member),
      Operation(
        "Create a post from a photo", .album,
        note: "The only way to show it to others. For members of an active couple or without a "
          + "partner. A picture of more than 12 MB or 50 megapixels is made smaller.",
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

/// Text and visibility of the post of a photo; visible to the couple only by default.
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
    .optional("visibility", note: "Visible only to the couple if omitted.") { $0.visibility = $1 },
  ]
}
