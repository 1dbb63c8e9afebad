import Core
import Database
import Images
import Web

/// The SQL of reported messages. What is read here is for moderators, or of a message that its
/// reporter sees.
struct MessageReportStore {
  /// The texts that messages had when they were reported.
  static let text = EncryptedColumn<Message>(
    table: "message_reported_texts", owner: "message_id", column: "text_sealed", name: "text")

  let messages: MessageStore

  func isReported(_ id: ID<Message>, in reader: ReadTransaction) throws -> Bool {
    try reader.exists("SELECT 1 FROM messages WHERE id = \(id) AND reported_at IS NOT NULL")
  }

  /// A message with at most `count` before and after it; nil if there is none, or its account is
  /// deleted. The texts that it had when it was reported are read for moderators only, that is with
  /// a count above 0.
  func content(
    _ id: ID<Message>, around count: Int, in reader: ReadTransaction
  ) throws -> ReportedMessageContent? {
    let found = try reader.first(
      """
      SELECT m.conversation_id, m.number, m.author_id, w.name, m.text_sealed, m.created_at,
        m.edited_at IS NOT NULL,
        CASE m.side WHEN 1 THEN c.couple_id ELSE c.other_id END,
        m.voice_id, m.voice_milliseconds
      FROM messages m JOIN people_seen w ON w.id = m.author_id
      JOIN conversations c ON c.id = m.conversation_id WHERE m.id = \(id)
      """
    ) { row in
      (
        conversation: try row.next(ID<Conversation>.self), number: try row.next(Int.self),
        author: try row.next(ID<Person>.self), name: try row.next(String.self),
        text: messages.open(try row.next([UInt8]?.self), of: id),
        at: try row.next(Instant.self), isEdited: try row.next(Bool.self),
        couple: try row.next(ID<Couple>?.self), voice: try row.next(ID<MessageVoice>?.self),
        voiceLength: try row.next(Int?.self)
      )
    }
    guard let found else { return nil }
    let name = try reader.value(
      "SELECT c.name FROM couples_seen c WHERE c.id = \(found.couple)", as: String.self)
    let reported = count > 0 ? try reportedTexts(of: id, in: reader) : []
    var otherTexts = Array(reported.dropLast())
    if !reported.isEmpty, !found.text.isEmpty, !reported.contains(found.text) {
      otherTexts.append(found.text)
    }
    return ReportedMessageContent(
      author: found.author, authorName: found.name, couple: found.couple,
      coupleName: name ?? "", text: reported.last ?? found.text,
      otherTexts: otherTexts,
      pictures: try pictures(of: id, in: found.conversation, reader),
      voice: found.voice.map {
        let voice = MessageVoice(id: $0, milliseconds: found.voiceLength ?? 0)
        return ReportedMessageContent.Voice(
          path: MessageLinks.file(voice, of: id, in: found.conversation),
          milliseconds: voice.milliseconds)
      },
      createdAt: found.at, isEdited: found.isEdited,
      context: count > 0
        ? try lines(around: id, found.number, in: found.conversation, count, reader) : [])
  }

  /// The different texts that a message had when it was reported, the earliest first.
  private func reportedTexts(of id: ID<Message>, in reader: ReadTransaction) throws -> [String] {
    try reader.values(
      "SELECT text_sealed FROM message_reported_texts WHERE message_id = \(id) ORDER BY number",
      as: [UInt8].self
    ).map { (try? Self.text.open($0, of: id, with: messages.keys)) ?? "…" }
  }

  /// The messages with stored texts that were last reported before a moment.
  func messages(
    reportedBefore moment: Instant, in reader: ReadTransaction
  ) throws -> [ID<Message>] {
    // The first text of a message is always there.
    try reader.values(
      """
      SELECT message_id FROM message_reported_texts WHERE reported_at < \(moment) AND number = 1
      """)
  }

  private func pictures(
    of id: ID<Message>, in conversation: ID<Conversation>, _ reader: ReadTransaction
  ) throws -> [ReportedMessageContent.Picture] {
    try reader.rows(
      """
      SELECT id, extension, width, height, has_webp, description_sealed FROM message_pictures
      WHERE message_id = \(id) ORDER BY position
      """
    ) { row in
      let pictureID = try row.next(ID<MessagePicture>.self)
      let picture = MessagePicture(
        id: pictureID, fileExtension: try row.next(), width: try row.next(),
        height: try row.next(), hasWebP: try row.next(), description: "")
      let description = try row.next([UInt8]?.self).flatMap {
        try? MessageStore.description.open($0, of: pictureID, with: messages.keys)
      }
      return ReportedMessageContent.Picture(
        medium: MessageLinks.file(picture, .medium, of: id, in: conversation),
        thumb: MessageLinks.file(picture, .thumb, of: id, in: conversation),
        description: description ?? "", width: picture.width, height: picture.height)
    }
  }

  /// The messages around a number, with that one, the oldest first. Others than the reported one
  /// only as long as their authors have not deleted them.
  private func lines(
    around id: ID<Message>, _ number: Int, in conversation: ID<Conversation>, _ count: Int,
    _ reader: ReadTransaction
  ) throws -> [ReportedMessageContent.Line] {
    let columns: Query = """
      m.id, m.number, w.name, m.text_sealed, m.picture_count, m.voice_id IS NOT NULL,
      m.created_at, m.deleted_at IS NOT NULL
      """
    let before = try reader.rows(
      """
      SELECT \(columns) FROM messages m JOIN people_seen w ON w.id = m.author_id
      WHERE m.conversation_id = \(conversation) AND m.number <= \(number)
      ORDER BY m.number DESC LIMIT \(count + 1)
      """
    ) { try line(&$0, reported: id) }
    let after = try reader.rows(
      """
      SELECT \(columns) FROM messages m JOIN people_seen w ON w.id = m.author_id
      WHERE m.conversation_id = \(conversation) AND m.number > \(number)
      ORDER BY m.number LIMIT \(count)
      """
    ) { try line(&$0, reported: id) }
    return before.reversed() + after
  }

  private func line(
    _ row: inout RowReader, reported: ID<Message>
  ) throws -> ReportedMessageContent.Line {
    let id = try row.next(ID<Message>.self)
    row.skip()
    let (name, sealed) = (try row.next(String.self), try row.next([UInt8]?.self))
    let (count, hasVoice) = (try row.next(Int.self), try row.next(Bool.self))
    let at = try row.next(Instant.self)
    let isShown = try !row.next(Bool.self) || id == reported
    return ReportedMessageContent.Line(
      authorName: name, text: isShown ? messages.open(sealed, of: id) : "",
      pictureCount: isShown ? count : 0, hasVoice: isShown && hasVoice, createdAt: at,
      isReported: id == reported)
  }

  // MARK: Changing

  func noteReport(of id: ID<Message>, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      "UPDATE messages SET reported_at = coalesce(reported_at, \(now)) WHERE id = \(id)")
    // All texts of a message are kept from its last report on, so that they go together.
    try writer.execute(
      "UPDATE message_reported_texts SET reported_at = \(now) WHERE message_id = \(id)")
    let sealed = try writer.value(
      "SELECT text_sealed FROM messages WHERE id = \(id)", as: [UInt8]?.self)
    let text = messages.open(sealed ?? nil, of: id)
    guard !text.isEmpty, try !reportedTexts(of: id, in: writer).contains(text) else { return }
    let last = try writer.count(
      """
      SELECT coalesce(max(number), 0) FROM message_reported_texts WHERE message_id = \(id)
      """)
    try writer.execute(
      """
      INSERT INTO message_reported_texts (message_id, number, text_sealed, reported_at)
      VALUES (\(id), \(last + 1), \(try Self.text.seal(text, of: id, with: messages.keys)), \(now))
      """)
    try writer.execute(
      """
      DELETE FROM message_reported_texts WHERE message_id = \(id) AND number > 1
        AND number <= \(last + 1 - MessageRules.newestReportedTexts)
      """)
  }

  func forgetReport(of id: ID<Message>, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      UPDATE messages SET reported_at = NULL,
        purge_at = CASE WHEN deleted_at IS NOT NULL THEN deleted_at ELSE purge_at END
      WHERE id = \(id)
      """)
    try Self.removeTexts(of: id, in: writer)
  }

  /// Removes the texts that a message had when it was reported.
  static func removeTexts(of id: ID<Message>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM message_reported_texts WHERE message_id = \(id)")
  }

  /// Changes what moderators decide; returns the conversation.
  func set(
    _ state: MessageState, of id: ID<Message>, now: Instant, in writer: WriteTransaction
  ) throws -> ID<Conversation>? {
    let end = now.adding(seconds: DeletionPeriod.length)
    switch state {
    case .shown, .hidden:
      return try writer.value(
        """
        UPDATE messages
        SET hidden_at = CASE WHEN \(state == .hidden) = 1 THEN coalesce(hidden_at, \(now)) END,
          removed_at = NULL, purge_at = CASE WHEN deleted_at IS NOT NULL THEN purge_at END
        WHERE id = \(id) RETURNING conversation_id
        """)
    case .removed:
      return try writer.value(
        """
        UPDATE messages SET removed_at = \(now), hidden_at = NULL,
          purge_at = coalesce(purge_at, \(end))
        WHERE id = \(id) RETURNING conversation_id
        """)
    }
  }
}
