import Accounts
import Core
import Images
import Web

/// `POST /api/v1/photos/{id}/post`: creates a post from a photo. Photos belong to another module,
/// which provides the file (docs/api/other-calls.md#album).
extension PostPublisher {
  /// Calls its second argument with the path of the photo in the request's URL. Throws 404 if the
  /// caller does not see the photo, and 403 if it is not the caller's own.
  public typealias UsePhoto = @Sendable (Context, (String) throws -> Void) throws -> Void

  /// The route. `file` is called with each valid request.
  public func photoRoute(file: @escaping UsePhoto) -> Route {
    .api(
      .post, "/photos/:id/post", .atLeast(.member),
      Operation(
        "Create a post from a photo", .album,
        note: "The only way to show it to others. For members of an active couple or without a "
          + "partner. A picture of more than 12 MB or 50 megapixels is made smaller.",
        errors: [.notFound, .payloadTooLarge, .notAcceptablePicture, .unavailable]),
      options: [.idempotent, .closedToSuspended]
    ) { (input: PhotoPostRequest, context: Context) -> Created<PostResponse> in
      var created: Created<PostResponse>?
      try file(context) { created = try answer(input, picture: $0, context) }
      guard let created else { throw Problem.internalError }
      return created
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
