import Core
import Database
import Secrets

/// Pictures and voice notes with the keys of their files. What is found is for callers who have
/// checked that the viewer sees the message, and for no viewer in jobs and checks.
enum MessageFileStore {
  static let pictureKey = EncryptedColumn<MessagePicture>(
    table: "message_pictures", owner: "id", column: "key_sealed", name: "key")
  static let voiceKey = EncryptedColumn<Message>(
    table: "messages", owner: "id", column: "voice_key_sealed", name: "voice_key")

  // MARK: Reading

  static func picture(
    _ id: ID<MessagePicture>, of message: ID<Message>, in reader: ReadTransaction
  ) throws -> StoredMedia? {
    try pictures("AND p.id = \(id) AND m.id = \(message)", in: reader).first
  }

  static func voice(of message: ID<Message>, in reader: ReadTransaction) throws -> StoredMedia? {
    try voices("AND id = \(message)", in: reader).first
  }

  /// The pictures of a condition; all without one.
  static func pictures(
    _ condition: Query = "", by index: Query = "", in reader: ReadTransaction
  ) throws -> [StoredMedia] {
    try reader.rows(
      """
      SELECT m.conversation_id, m.id, p.id, p.extension, p.has_webp, p.key_sealed
      FROM message_pictures p \(index) CROSS JOIN messages m
      WHERE m.id = p.message_id \(condition)
      """
    ) { try StoredMedia(picture: &$0) }
  }

  /// The voice notes of a condition; all without one.
  static func voices(
    _ condition: Query = "", by index: Query = "", in reader: ReadTransaction
  ) throws -> [StoredMedia] {
    try reader.rows(
      """
      SELECT conversation_id, id, voice_id, voice_key_sealed FROM messages \(index)
      WHERE voice_id IS NOT NULL \(condition)
      """
    ) { try StoredMedia(voice: &$0) }
  }

  /// Some pictures and voice notes, to try their keys.
  static func samples(in reader: ReadTransaction) throws -> [StoredMedia] {
    let limit = EncryptedSample.maximumCount
    return try pictures("ORDER BY p.id DESC LIMIT \(limit)", in: reader)
      + voices("ORDER BY id DESC LIMIT \(limit)", in: reader)
  }

  /// Those of these files, `messages/{conversation}/{message}/{name}`, that no row names.
  static func unnamed(_ paths: [String], in reader: ReadTransaction) throws -> [String] {
    let files = paths.compactMap { path -> (path: String, message: ID<Message>)? in
      let parts = path.split(separator: "/")
      guard parts.count == 4, let message = ID<Message>(parts[2]) else { return nil }
      return (path, message)
    }
    let messages = IDList(Set(files.map(\.message)))
    let stored =
      try pictures("AND p.message_id IN \(messages)", in: reader)
      + voices("AND id IN \(messages)", in: reader)
    let known = Set(stored.flatMap(\.paths))
    return files.map(\.path).filter { !known.contains($0) }
  }

  // MARK: Encrypting files of earlier versions

  /// Pictures after a row whose files are not encrypted.
  static func plainPictures(
    after id: [UInt8], limit: Int, in reader: ReadTransaction
  ) throws -> [StoredMedia] {
    try pictures(
      "AND p.key_sealed IS NULL AND p.id > \(id) ORDER BY p.id LIMIT \(limit)",
      by: "\(index: "message_pictures_plain")", in: reader)
  }

  /// Voice notes after a row whose file is not encrypted.
  static func plainVoices(
    after id: [UInt8], limit: Int, in reader: ReadTransaction
  ) throws -> [StoredMedia] {
    try voices(
      "AND voice_key_sealed IS NULL AND id > \(id) ORDER BY id LIMIT \(limit)",
      by: "\(index: "messages_plain_voices")", in: reader)
  }

  /// Whether the files are there and not encrypted.
  static func isPlain(_ owner: StoredMedia.Owner, in reader: ReadTransaction) throws -> Bool {
    switch owner {
    case .picture(let id):
      try reader.exists(
        "SELECT 1 FROM message_pictures WHERE id = \(id) AND key_sealed IS NULL")
    case .voice(let id):
      try reader.exists(
        """
        SELECT 1 FROM messages
        WHERE id = \(id) AND voice_id IS NOT NULL AND voice_key_sealed IS NULL
        """)
    }
  }

  /// Stores the key of files that are encrypted now; returns false if there is no such row any
  /// more.
  static func setKey(
    _ sealed: [UInt8], of owner: StoredMedia.Owner, in writer: WriteTransaction
  ) throws -> Bool {
    switch owner {
    case .picture(let id):
      try writer.execute(
        """
        UPDATE message_pictures SET key_sealed = \(sealed)
        WHERE id = \(id) AND key_sealed IS NULL
        """) == 1
    case .voice(let id):
      try writer.execute(
        """
        UPDATE messages SET voice_key_sealed = \(sealed)
        WHERE id = \(id) AND voice_id IS NOT NULL AND voice_key_sealed IS NULL
        """) == 1
    }
  }
}
