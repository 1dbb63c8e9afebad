import Core
import Database

/// Changes messages; each method runs in its caller's transaction.
extension MessageStore {
  func add(
    _ message: StoredMessage, number: Int, by viewer: Viewer, now: Instant,
    in writer: WriteTransaction
  ) throws {
    let sealed =
      message.text.isEmpty ? nil : try Self.text.seal(message.text, of: message.id, with: keys)
    let voiceKey = try message.voice?.key.sealed(
      for: MessageFileStore.voiceKey.context(message.id), with: keys)
    try writer.execute(
      """
      INSERT INTO messages (id, conversation_id, number, version, author_id, side, client_id,
        text_sealed, quoted_id, answers_moment, picture_count, voice_id, voice_milliseconds,
        voice_key_sealed, created_at)
      VALUES (\(message.id), \(message.conversation), \(number), \(number), \(viewer.id),
        \(message.side), \(message.clientID), \(sealed), \(message.quoted),
        \(message.answersMoment), \(message.pictures.count), \(message.voice?.id),
        \(message.voice?.milliseconds), \(voiceKey), \(now))
      """)
    for (position, picture) in message.pictures.enumerated() {
      let made = picture.made
      let description =
        picture.description.isEmpty
        ? nil : try Self.description.seal(picture.description, of: picture.id, with: keys)
      let key = try picture.key.sealed(
        for: MessageFileStore.pictureKey.context(picture.id), with: keys)
      try writer.execute(
        """
        INSERT INTO message_pictures (id, message_id, position, extension, width, height, has_webp,
          bytes, description_sealed, key_sealed)
        VALUES (\(picture.id), \(message.id), \(position), \(made.fileExtension), \(made.width),
          \(made.height), \(made.hasWebP), \(made.bytes), \(description), \(key))
        """)
    }
  }

  func edit(
    _ id: ID<Message>, text: String, now: Instant, in writer: WriteTransaction
  ) throws {
    let sealed = text.isEmpty ? nil : try Self.text.seal(text, of: id, with: keys)
    try writer.execute(
      "UPDATE messages SET text_sealed = \(sealed), edited_at = \(now) WHERE id = \(id)")
  }

  /// Deletes a message for all. What moderators may see stays for 30 days; returns whether it does.
  func delete(
    _ id: ID<Message>, keepUntil end: Instant, now: Instant, in writer: WriteTransaction
  ) throws -> Bool {
    try writer.execute(
      """
      UPDATE messages SET deleted_at = \(now),
        purge_at = CASE WHEN reported_at IS NOT NULL THEN \(end) END,
        text_sealed = CASE WHEN reported_at IS NOT NULL THEN text_sealed END,
        voice_id = CASE WHEN reported_at IS NOT NULL THEN voice_id END,
        voice_milliseconds = CASE WHEN reported_at IS NOT NULL THEN voice_milliseconds END,
        voice_key_sealed = CASE WHEN reported_at IS NOT NULL THEN voice_key_sealed END
      WHERE id = \(id)
      """)
    try writer.execute("DELETE FROM message_reactions WHERE message_id = \(id)")
    let isKept = try writer.exists(
      "SELECT 1 FROM messages WHERE id = \(id) AND reported_at IS NOT NULL")
    guard !isKept else { return true }
    try writer.execute("DELETE FROM message_pictures WHERE message_id = \(id)")
    return false
  }

  func react(
    _ reaction: ReactionKind?, to id: ID<Message>, by viewer: Viewer, now: Instant,
    in writer: WriteTransaction
  ) throws {
    guard let reaction else {
      try writer.execute(
        "DELETE FROM message_reactions WHERE message_id = \(id) AND user_id = \(viewer.id)")
      return
    }
    try writer.execute(
      """
      INSERT INTO message_reactions (message_id, user_id, kind, created_at)
      VALUES (\(id), \(viewer.id), \(reaction.rawValue), \(now))
      ON CONFLICT (message_id, user_id) DO UPDATE SET kind = excluded.kind
      """)
  }

  func setVersion(_ version: Int, of id: ID<Message>, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE messages SET version = \(version) WHERE id = \(id)")
  }

  /// The messages of which something was kept for moderators until now.
  func due(now: Instant, in reader: ReadTransaction) throws -> [ID<Message>] {
    try reader.values("SELECT id FROM messages WHERE purge_at <= \(now)")
  }

  /// Removes text, pictures and voice note of a message that is due; returns its conversation, or nil
  /// if it is not.
  func purge(
    _ id: ID<Message>, now: Instant, in writer: WriteTransaction
  ) throws -> ID<Conversation>? {
    let conversation = try writer.value(
      """
      UPDATE messages SET text_sealed = NULL, picture_count = 0, voice_id = NULL,
        voice_milliseconds = NULL, voice_key_sealed = NULL, purge_at = NULL
      WHERE id = \(id) AND purge_at <= \(now) RETURNING conversation_id
      """, as: ID<Conversation>.self)
    guard let conversation else { return nil }
    try MessageReportStore.removeTexts(of: id, in: writer)
    try writer.execute("DELETE FROM message_pictures WHERE message_id = \(id)")
    return conversation
  }
}
