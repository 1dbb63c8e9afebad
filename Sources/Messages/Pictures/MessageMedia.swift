import Core
import Database
import Films
import Images
import Web

/// `/media/messages/{id}/{message}/{file}`: pictures and voice notes for the members of a
/// conversation, and of reported messages for moderators. They are encrypted, so the handler itself
/// sends them.
struct MessageMedia {
  private let services: MessagesEnvironment

  init(_ services: MessagesEnvironment) {
    self.services = services
  }

  var route: Route {
    Route(.get, "/media/messages/:id/:message/:file", .atLeast(.member), handler: send)
  }

  @Sendable private func send(_ context: Context) throws -> Response {
    let file = context.parameters["file"] ?? ""
    let conversation: ID<Conversation> = try context.id()
    let message: ID<Message> = try context.id("message")
    let viewer = try context.signedIn()
    let bytes = try services.content(of: file) {
      try find(file, of: message, in: conversation, for: viewer, $0)
    }
    guard let bytes else { throw Problem.notFound }
    return .file(
      bytes, contentType: PictureName(file)?.contentType ?? "audio/mp4",
      cacheControl: MediaCaching.header(forAll: false), for: context.request)
  }

  /// The picture or voice note with a file that the viewer may see; nil for all others.
  private func find(
    _ file: String, of id: ID<Message>, in conversation: ID<Conversation>, for viewer: Viewer,
    _ reader: ReadTransaction
  ) throws -> StoredMedia? {
    let isMember = try services.conversations.find(conversation, for: viewer, in: reader) != nil
    let seen =
      isMember ? try services.messages.find(id, in: conversation, for: viewer, reader) : nil
    guard let name = PictureName(file) else {
      let voice = try seen?.voice ?? reportedVoice(of: id, for: viewer, reader)
      guard voice.map({ FilmFiles.voice($0.id.description) }) == file else { return nil }
      return try MessageFileStore.voice(of: id, in: reader)
    }
    let picture = name.id.cast(to: MessagePicture.self)
    guard
      let found = try seen?.pictures.first(where: { $0.id == picture })
        ?? reportedPicture(picture, of: id, for: viewer, reader),
      name.fits(fileExtension: found.fileExtension, hasWebP: found.hasWebP)
    else { return nil }
    return try MessageFileStore.picture(picture, of: id, in: reader)
  }

  private func reportedPicture(
    _ id: ID<MessagePicture>, of message: ID<Message>, for viewer: Viewer,
    _ reader: ReadTransaction
  ) throws -> MessagePicture? {
    guard viewer.role >= .moderator else { return nil }
    return try MessagePictureStore.reported(id, of: message, in: reader)
  }

  private func reportedVoice(
    of message: ID<Message>, for viewer: Viewer, _ reader: ReadTransaction
  ) throws -> MessageVoice? {
    guard viewer.role >= .moderator else { return nil }
    return try MessageVoiceStore.reported(of: message, in: reader)
  }
}
