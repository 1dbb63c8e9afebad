import Core
import Database

/// Voice notes of messages, and the files that their rows name.
struct MessageVoiceStore {
  /// Files referenced by rows of this module.
  static let named = ReferencedFiles("voice notes of messages") { reader in
    Set(try MessageFileStore.voices(in: reader).flatMap(\.paths))
  }

  /// The voice note of a message that moderators may see: a reported one, not one of those around
  /// it.
  static func reported(
    of message: ID<Message>, in reader: ReadTransaction
  ) throws -> MessageVoice? {
    try reader.first(
      """
      SELECT voice_id, voice_milliseconds FROM messages
      WHERE id = \(message) AND reported_at IS NOT NULL AND voice_id IS NOT NULL
      """
    ) { MessageVoice(id: try $0.next(), milliseconds: try $0.next()) }
  }
}
