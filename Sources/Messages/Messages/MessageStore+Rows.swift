import Core
import Database

/// The rows of messages, and what belongs to them.
extension MessageStore {
  /// The messages of a condition that the viewer sees, with their pictures, reactions and quoted
  /// messages. Leaves out those of deleted accounts.
  func messages(
    _ condition: Query, for viewer: Viewer, in reader: ReadTransaction
  ) throws -> [Message] {
    let rows = try reader.rows(
      """
      SELECT m.id, m.conversation_id, m.number, m.version, m.author_id, w.name, w.avatar,
        m.client_id, m.text_sealed, m.answers_moment, m.created_at, m.edited_at,
        m.deleted_at IS NOT NULL, m.removed_at IS NOT NULL, m.hidden_at IS NOT NULL,
        m.voice_id, m.voice_milliseconds,
        q.id, q.number, q.text_sealed, q.picture_count, q.voice_id IS NOT NULL,
        (SELECT a.name FROM people_seen a WHERE a.id = q.author_id),
        q.deleted_at IS NOT NULL OR q.removed_at IS NOT NULL OR q.hidden_at IS NOT NULL
      FROM messages m
      JOIN conversation_members v ON v.conversation_id = m.conversation_id
        AND v.user_id = \(viewer.id)
      JOIN people_seen w ON w.id = m.author_id
      LEFT JOIN messages q ON q.id = m.quoted_id
      \(condition)
      """
    ) { try MessageRow(&$0) }
    guard !rows.isEmpty else { return [] }
    let shown = rows.filter { $0.trace(for: viewer) == nil }.map(\.id)
    let pictures = try pictures(of: shown, in: reader)
    let reactions = try reactions(of: shown, for: viewer, in: reader)
    return rows.map { row in
      let trace = row.trace(for: viewer)
      return Message(
        id: row.id, conversation: row.conversation, number: row.number, version: row.version,
        author: row.author, avatar: row.avatar, isOwn: row.author == viewer.id,
        text: trace == nil ? open(row.text, of: row.id) : "", trace: trace,
        isHidden: row.isHidden && trace == nil, quote: trace == nil ? quote(row) : nil,
        answersMoment: row.answersMoment && trace == nil,
        pictures: pictures[row.id] ?? [], voice: trace == nil ? row.voice : nil,
        reactions: reactions[row.id] ?? [],
        createdAt: row.createdAt, editedAt: row.editedAt,
        clientID: row.author == viewer.id ? row.clientID : nil)
    }
  }

  private func quote(_ row: MessageRow) -> Message.Quote? {
    guard let quoted = row.quoted else { return nil }
    let isGone = quoted.isGone || quoted.authorName == nil
    return Message.Quote(
      id: quoted.id, number: quoted.number, authorName: quoted.authorName ?? "",
      text: isGone ? "" : MessageRules.excerpt(of: open(quoted.text, of: quoted.id)),
      pictureCount: isGone ? 0 : quoted.pictureCount, hasVoice: !isGone && quoted.hasVoice,
      isGone: isGone)
  }

  private func pictures(
    of ids: [ID<Message>], in reader: ReadTransaction
  ) throws -> [ID<Message>: [MessagePicture]] {
    guard !ids.isEmpty else { return [:] }
    let found = try reader.rows(
      """
      SELECT p.message_id, p.id, p.extension, p.width, p.height, p.has_webp, p.description_sealed
      FROM \(IDList(ids)) AS i CROSS JOIN message_pictures p
      WHERE p.message_id = i.id
      ORDER BY p.message_id, p.position
      """
    ) { row in
      let (message, id) = (try row.next(ID<Message>.self), try row.next(ID<MessagePicture>.self))
      return (
        message: message,
        picture: MessagePicture(
          id: id, fileExtension: try row.next(), width: try row.next(), height: try row.next(),
          hasWebP: try row.next(), description: try describe(row.next([UInt8]?.self), of: id))
      )
    }
    return Dictionary(grouping: found, by: \.message).mapValues { $0.map(\.picture) }
  }

  /// Decrypts a description; "" if there is none, or it can't be decrypted.
  func describe(_ sealed: [UInt8]?, of id: ID<MessagePicture>) -> String {
    sealed.flatMap { try? Self.description.open($0, of: id, with: keys) } ?? ""
  }

  private func reactions(
    of ids: [ID<Message>], for viewer: Viewer, in reader: ReadTransaction
  ) throws -> [ID<Message>: [MessageReaction]] {
    guard !ids.isEmpty else { return [:] }
    let found = try reader.rows(
      """
      SELECT r.message_id, r.kind, r.user_id, w.name FROM \(IDList(ids)) AS i
      CROSS JOIN message_reactions r JOIN people_seen w ON w.id = r.user_id
      WHERE r.message_id = i.id ORDER BY r.created_at
      """
    ) { row in
      let message = try row.next(ID<Message>.self)
      let kind = ReactionKind(rawValue: try row.next())
      let person = try row.next(ID<Person>.self)
      return (
        message: message,
        reaction: MessageReaction(
          kind: kind ?? .heart, person: person, name: try row.next(),
          isOwn: person == viewer.id)
      )
    }
    return Dictionary(grouping: found, by: \.message).mapValues { $0.map(\.reaction) }
  }
}

/// A stored message.
struct MessageRow {
  /// A quoted one.
  struct Quoted {
    let id: ID<Message>
    let number: Int
    let text: [UInt8]?
    let pictureCount: Int
    let hasVoice: Bool
    /// Nil for a deleted account.
    let authorName: String?
    let isGone: Bool
  }

  let id: ID<Message>
  let conversation: ID<Conversation>
  let number: Int
  let version: Int
  let author: ID<Person>
  let avatar: Viewer.Avatar
  let clientID: String
  let text: [UInt8]?
  let answersMoment: Bool
  let createdAt: Instant
  let editedAt: Instant?
  let isDeleted: Bool
  let isRemoved: Bool
  let isHidden: Bool
  let voice: MessageVoice?
  let quoted: Quoted?

  init(_ row: inout RowReader) throws {
    id = try row.next()
    conversation = try row.next()
    number = try row.next()
    version = try row.next()
    author = try row.next()
    avatar = try MessageStore.avatar(&row)
    clientID = try row.next()
    text = try row.next()
    answersMoment = try row.next()
    createdAt = try row.next()
    editedAt = try row.next()
    isDeleted = try row.next()
    isRemoved = try row.next()
    isHidden = try row.next()
    let (voiceID, length) = (try row.next(ID<MessageVoice>?.self), try row.next(Int?.self))
    voice = voiceID.map { MessageVoice(id: $0, milliseconds: length ?? 0) }
    let quotedID = try row.next(ID<Message>?.self)
    let (place, words) = (try row.next(Int?.self), try row.next([UInt8]?.self))
    let (count, hasVoice) = (try row.next(Int?.self), try row.next(Bool.self))
    let name = try row.next(String?.self)
    let isGone = try row.next(Bool.self)
    quoted = quotedID.map {
      Quoted(
        id: $0, number: place ?? 0, text: words, pictureCount: count ?? 0, hasVoice: hasVoice,
        authorName: name, isGone: isGone)
    }
  }

  /// The trace that this viewer sees in place of the message; nil for the message itself.
  func trace(for viewer: Viewer) -> Message.Trace? {
    if isDeleted { return .deleted }
    if isRemoved { return .removed }
    return isHidden && author != viewer.id ? .removed : nil
  }
}
