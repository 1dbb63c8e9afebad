import Core
import Images
import Secrets
import Web

/// Posts of one picture file, for other modules.
extension PostPublisher {
  /// Reason why text and picture are not a valid post.
  public enum Rejection: Error, Equatable {
    /// More characters than a post may have, by this number.
    case tooLong(by: Int)
  }

  /// Posts a text and a picture's file as this user; returns the post's path. A picture that is too
  /// large for a post is made smaller. The same nonce with the same text and picture returns the
  /// first answer again. Throws a `Rejection`, a `PictureError`, and 403 if this user may not post.
  public func post(
    _ content: String, picture: String, description: String, visibility: Visibility,
    nonce: String, by viewer: Viewer, at now: Instant
  ) throws -> String {
    guard viewer.mayPost else { throw Problem.forbidden }
    let text = content.asParagraphs
    if case .tooLong(let by) = PostRules.problem(content: text, images: 1) {
      throw Rejection.tooLong(by: by)
    }
    let hash = Digests.sha256(
      Array("\(text.utf8.count):\(text):\(visibility.rawValue):".utf8)
        + (try Digests.sha256(file: picture)))
    if !nonce.isEmpty,
      let before = try services.site.database.write({
        try services.answers.location(of: nonce, hash: hash, from: viewer, in: $0)
      })
    {
      return before
    }
    let making = PostCreator(services: services)
    let draft = try making.draft(picture, kind: .photoPost, of: viewer, now: now)
    let sent = NewPostForm(
      content: text, visibility: visibility,
      pictures: [(draft, PostRules.description(description))],
      nonce: nonce)
    do {
      return try making.make(sent, hash: hash, by: viewer, now: now)
    } catch {
      try? NewPostService(services: services).drop(sent, of: viewer)
      throw error
    }
  }
}
