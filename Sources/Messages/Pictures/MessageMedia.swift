import Core
import Database
import Films
import Images
import Web

/// `/media/messages/{id}/{message}/{file}`: pictures and voice notes for the members of a
/// conversation, and of reported messages for moderators; nginx sends the file.
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
    guard
      let type = try contentType(
        of: file, of: message, in: conversation, for: context.signedIn())
    else { throw Problem.notFound }
    return .protectedFile(
      "\(MessageFiles.folder(message, of: conversation))/\(file)", contentType: type,
      cacheControl: MediaCaching.header(forAll: false))
  }

  /// The media type of a file that the viewer may see; nil for all others.
  private func contentType(
    of file: String, of id: ID<Message>, in conversation: ID<Conversation>, for viewer: Viewer
  ) throws -> String? {
    try services.site.database.read { reader in
      let isMember = try services.conversations.find(conversation, for: viewer, in: reader) != nil
      let seen =
        isMember ? try services.messages.find(id, in: conversation, for: viewer, reader) : nil
      guard let name = PictureName(file) else {
        let voice = try seen?.voice ?? reportedVoice(of: id, for: viewer, reader)
        return voice.map { FilmFiles.voice($0.id.description) } == file ? "audio/mp4" : nil
      }
      let picture = name.id.cast(to: MessagePicture.self)
      guard
        let found = try seen?.pictures.first(where: { $0.id == picture })
          ?? reportedPicture(picture, of: id, for: viewer, reader),
        name.fits(fileExtension: found.fileExtension, hasWebP: found.hasWebP)
      else { return nil }
      return name.contentType
    }
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
