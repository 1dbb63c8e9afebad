import Core
import Database

/// Pictures of messages, and the files that their rows name.
struct MessagePictureStore {
  /// Files referenced by rows of this module.
  static let named = ReferencedFiles("pictures of messages") { reader in
    Set(try MessageFileStore.pictures(in: reader).flatMap(\.paths))
  }

  /// A picture of a message that moderators may see: a reported one, not one of those around it.
  static func reported(
    _ id: ID<MessagePicture>, of message: ID<Message>, in reader: ReadTransaction
  ) throws -> MessagePicture? {
    try reader.first(
      """
      SELECT p.extension, p.width, p.height, p.has_webp FROM message_pictures p
      JOIN messages m ON m.id = p.message_id
      WHERE p.id = \(id) AND m.id = \(message) AND m.reported_at IS NOT NULL
      """
    ) {
      MessagePicture(
        id: id, fileExtension: try $0.next(), width: try $0.next(), height: try $0.next(),
        hasWebP: try $0.next(), description: "")
    }
  }
}
