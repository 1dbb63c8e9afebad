import Core
import Database
import Images

/// Pictures of messages, and the files that their rows name.
struct MessagePictureStore {
  /// Files referenced by rows of this module.
  static let named = ReferencedFiles("pictures of messages") { reader in
    let files = try reader.rows(
      """
      SELECT m.conversation_id, m.id, p.id, p.extension, p.has_webp
      FROM message_pictures p JOIN messages m ON m.id = p.message_id
      """
    ) { row -> [String] in
      let conversation = try row.next(ID<Conversation>.self)
      let folder = MessageFiles.folder(try row.next(), of: conversation)
      let id = try row.next(ID<MessagePicture>.self).description
      let fileExtension = try row.next(String.self)
      let plain = PictureVariant.allCases.map { $0.fileName(id: id, fileExtension: fileExtension) }
      let smaller: [PictureVariant] = try row.next(Bool.self) ? [.medium, .thumb] : []
      return (plain + smaller.map { $0.fileName(id: id, fileExtension: "webp") })
        .map { "\(folder)/\($0)" }
    }
    return Set(files.joined())
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
