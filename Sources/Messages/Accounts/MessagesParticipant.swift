import Accounts
import Core
import Database
import Films
import Foundation
import Images

/// This module's part of an account: the user's own messages, reactions and memberships.
///
/// A message belongs to its author: an export has the user's own side only, and after a purge the
/// other members keep theirs.
struct MessagesParticipant: AccountParticipant {
  /// A guest has no conversations, so there is nothing to move.
  let tables = [
    PersonalTable("message_reactions"), PersonalTable("message_settings"),
    PersonalTable("messages", owner: "author_id", purge: .custom),
    PersonalTable("conversation_members", purge: .custom),
  ]

  let services: MessagesEnvironment

  func export(_ person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedFile] {
    let pictures = Dictionary(grouping: try self.pictures(of: person, reader), by: \.message)
    let messages = try reader.rows(
      """
      SELECT id, conversation_id, text_sealed, created_at, edited_at, voice_milliseconds
      FROM messages WHERE author_id = \(person) AND deleted_at IS NULL ORDER BY id
      """
    ) { row in
      let (id, conversation) = (
        try row.next(ID<Message>.self), try row.next(ID<Conversation>.self)
      )
      return ExportedMessage(
        id: id.description, conversation: conversation.description,
        text: services.messages.open(try row.next([UInt8]?.self), of: id),
        createdAt: try row.next(Instant.self).rfc3339,
        editedAt: try row.next(Instant?.self)?.rfc3339,
        voice: try row.next(Int?.self).map {
          ExportedVoice(file: Self.voiceName(of: id), milliseconds: $0)
        },
        pictures: (pictures[id] ?? []).map {
          ExportedPicture(file: $0.name, description: $0.description)
        })
    }
    let reactions = try reader.rows(
      """
      SELECT message_id, kind, created_at FROM message_reactions WHERE user_id = \(person)
      ORDER BY created_at
      """
    ) {
      ExportedReaction(
        message: try $0.next(ID<Message>.self).description, reaction: try $0.next(),
        createdAt: try $0.next(Instant.self).rfc3339)
    }
    return [
      try ExportedFile(
        name: "messages.json",
        encoding: ExportedMessages(
          messages: messages, reactions: reactions,
          conversations: try memberships(of: person, reader),
          settings: ExportedSettings(
            try services.conversations.settings(of: person, in: reader))))
    ]
  }

  private func memberships(
    of person: ID<Person>, _ reader: ReadTransaction
  ) throws -> [ExportedMembership] {
    try reader.rows(
      """
      SELECT conversation_id, muted_from, muted_to, read_at FROM conversation_members
      WHERE user_id = \(person) ORDER BY conversation_id
      """
    ) { row in
      let conversation = try row.next(ID<Conversation>.self)
      let hours = ConversationStore.mutedHours(
        try row.next(Int?.self), try row.next(Int?.self))
      return ExportedMembership(
        conversation: conversation.description,
        mutedFrom: hours.map { MutedHours.text($0.from) },
        mutedTo: hours.map { MutedHours.text($0.to) },
        lastReadAt: try row.next(Instant?.self)?.rfc3339)
    }
  }

  func exportedMedia(of person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedMedia]
  {
    try pictures(of: person, reader).map { picture -> ExportedMedia in
      let (id, message) = (picture.id, picture.message)
      return media(picture.file, as: picture.name, at: picture.path) {
        try MessageFileStore.picture(id, of: message, in: $0)
      }
    } + voices(of: person, reader)
  }

  /// A file for the export, which is decrypted when the archive is written. One that can't be is
  /// missing there.
  private func media(
    _ file: String, as name: String, at path: String,
    _ find: @escaping @Sendable (ReadTransaction) throws -> StoredMedia?
  ) -> ExportedMedia {
    ExportedMedia(path: path, name: name) {
      do {
        return try services.content(of: file, find)
      } catch let error as UnreadableFile {
        services.site.logger.error("export: \(error)")
        return nil
      }
    }
  }

  private func voices(
    of person: ID<Person>, _ reader: ReadTransaction
  ) throws -> [ExportedMedia] {
    try reader.rows(
      """
      SELECT id, conversation_id, voice_id, voice_key_sealed IS NOT NULL FROM messages
      WHERE author_id = \(person) AND deleted_at IS NULL AND voice_id IS NOT NULL ORDER BY id
      """
    ) { row in
      let message = try row.next(ID<Message>.self)
      let folder = MessageFiles.folder(message, of: try row.next())
      let file = FilmFiles.voice(try row.next(ID<MessageVoice>.self).description)
      let path = MessageFiles.path(file, in: folder, isEncrypted: try row.next())
      return media(file, as: Self.voiceName(of: message), at: path) {
        try MessageFileStore.voice(of: message, in: $0)
      }
    }
  }

  /// The name of a voice note in the export.
  private static func voiceName(of message: ID<Message>) -> String {
    "voice-notes/messages/\(message).m4a"
  }

  /// A picture of an own message: its path on disk and its name in the export.
  private struct OwnPicture {
    let message: ID<Message>
    let id: ID<MessagePicture>
    /// The name of the original.
    let file: String
    let path: String
    let name: String
    let description: String
  }

  private func pictures(of person: ID<Person>, _ reader: ReadTransaction) throws -> [OwnPicture] {
    try reader.rows(
      """
      SELECT m.id, m.conversation_id, p.id, p.extension, p.position, p.description_sealed,
        p.key_sealed IS NOT NULL
      FROM messages m JOIN message_pictures p ON p.message_id = m.id
      WHERE m.author_id = \(person) AND m.deleted_at IS NULL ORDER BY m.id, p.position
      """
    ) { row in
      let message = try row.next(ID<Message>.self)
      let folder = MessageFiles.folder(message, of: try row.next())
      let id = try row.next(ID<MessagePicture>.self)
      let fileExtension = try row.next(String.self)
      let file = PictureVariant.original.fileName(
        id: id.description, fileExtension: fileExtension)
      let name = "photos/messages/\(message)/\(try row.next(Int.self))-\(id).\(fileExtension)"
      let description = services.messages.describe(try row.next([UInt8]?.self), of: id)
      return OwnPicture(
        message: message, id: id, file: file,
        path: MessageFiles.path(file, in: folder, isEncrypted: try row.next()), name: name,
        description: description)
    }
  }

  func purge(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws -> [String] {
    try tables.purge(person, in: writer)
    let deleted = try writer.rows(
      """
      DELETE FROM messages WHERE author_id = \(person)
      RETURNING conversation_id, id, picture_count, voice_id
      """
    ) {
      let conversation = try $0.next(ID<Conversation>.self)
      return (
        folder: MessageFiles.folder(try $0.next(), of: conversation),
        pictureCount: try $0.next(Int.self), voice: try $0.next(ID<MessageVoice>?.self)
      )
    }
    let left = try writer.values(
      "DELETE FROM conversation_members WHERE user_id = \(person) RETURNING conversation_id",
      as: ID<Conversation>.self)
    // A conversation that the last member has left has no messages any more.
    let ended = try left.filter { conversation in
      try writer.execute(
        """
        DELETE FROM conversations WHERE id = \(conversation) AND NOT EXISTS (
          SELECT 1 FROM conversation_members WHERE conversation_id = \(conversation))
        """) == 1
    }
    return deleted.filter { $0.pictureCount > 0 || $0.voice != nil }.map(\.folder)
      + ended.map { MessageFiles.folder(of: $0) }
  }

  func left(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // The view of users that every query joins hides the messages of deleted users.
    try updates.coupleChanged(of: person, now: now, in: writer)
  }

  func returned(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // The same view shows the messages again.
    try updates.coupleChanged(of: person, now: now, in: writer)
  }

  func moved(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // Muted hours are minutes of the user's day, whatever the zone.
  }

  func signOut(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // Streams end by themselves, and a new one is authorized.
  }

  /// Tells the open pages that the conversations are closed.
  func parted(
    _ person: ID<Person>, from partner: ID<Person>, _ choice: PartnerContactChoice, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try MessageChannels.inboxChanged(of: [person], now: now, in: writer)
    try updates.coupleChanged(of: person, now: now, in: writer)
  }

  func reunited(
    _ person: ID<Person>, with partner: ID<Person>, in writer: WriteTransaction
  ) throws {
    try updates.coupleChanged(of: person, now: services.site.clock.now(), in: writer)
  }

  func changed(
    _ person: ID<Person>, from old: ID<Couple>, to new: ID<Couple>, in writer: WriteTransaction
  ) throws {
    try updates.coupleChanged(of: person, now: services.site.clock.now(), in: writer)
  }

  private var updates: ConversationUpdates { ConversationUpdates(database: services.site.database) }

  func endsWithAccount(
    _ person: ID<Person>, in reader: ReadTransaction
  ) throws -> [EndingWithAccount] {
    let count = try reader.count(
      "SELECT count(*) FROM messages WHERE author_id = \(person) AND deleted_at IS NULL")
    return count > 0 ? [EndingWithAccount("account_deletion.ends_messages", count: count)] : []
  }
}
