import Accounts
import Core
import Database
import Secrets

/// Reads messages, as the members of their conversation see them. Their texts are decrypted here.
struct MessageStore: Sendable {
  static let text = EncryptedColumn<Message>(
    table: "messages", owner: "id", column: "text_sealed", name: "text")
  static let description = EncryptedColumn<MessagePicture>(
    table: "message_pictures", owner: "id", column: "description_sealed", name: "description")

  let database: Database
  let keys: KeyRing

  // MARK: Parts of a conversation

  func page(
    _ window: MessageWindow, of id: ID<Conversation>, for viewer: Viewer, limit: Int,
    in reader: ReadTransaction
  ) throws -> MessagePage {
    switch window {
    case .latest: return try before(nil, of: id, for: viewer, limit: limit, in: reader)
    case .before(let number):
      return try before(number, of: id, for: viewer, limit: limit, in: reader)
    case .from(let number): return try from(number, of: id, for: viewer, limit: limit, in: reader)
    case .since(let moment):
      let number = try reader.value(
        """
        SELECT m.number FROM messages m JOIN conversation_members v
          ON v.conversation_id = m.conversation_id AND v.user_id = \(viewer.id)
        WHERE m.conversation_id = \(id) AND m.created_at >= \(moment)
        ORDER BY m.created_at LIMIT 1
        """, as: Int.self)
      guard let number else {
        return try before(nil, of: id, for: viewer, limit: limit, in: reader)
      }
      return try from(number, of: id, for: viewer, limit: limit, in: reader)
    }
  }

  private func before(
    _ number: Int?, of id: ID<Conversation>, for viewer: Viewer, limit: Int,
    in reader: ReadTransaction
  ) throws -> MessagePage {
    let found = try messages(
      """
      WHERE m.conversation_id = \(id) AND m.number < \(number ?? Int.max)
      ORDER BY m.number DESC LIMIT \(limit + 1)
      """, for: viewer, in: reader)
    let shown = Array(found.prefix(limit).reversed())
    return MessagePage(
      messages: shown, earlier: found.count > limit ? shown.first?.number : nil, later: number,
      reads: try reads(of: id, for: viewer, in: reader))
  }

  private func from(
    _ number: Int, of id: ID<Conversation>, for viewer: Viewer, limit: Int,
    in reader: ReadTransaction
  ) throws -> MessagePage {
    let found = try messages(
      """
      WHERE m.conversation_id = \(id) AND m.number >= \(number)
      ORDER BY m.number LIMIT \(limit + 1)
      """, for: viewer, in: reader)
    let hasEarlier = try reader.exists(
      "SELECT 1 FROM messages WHERE conversation_id = \(id) AND number < \(number) LIMIT 1")
    return MessagePage(
      messages: Array(found.prefix(limit)), earlier: hasEarlier ? number : nil,
      later: found.count > limit ? found.last?.number : nil,
      reads: try reads(of: id, for: viewer, in: reader))
  }

  /// The latest message of each conversation, for their list.
  func latest(
    of ids: [ID<Conversation>], for viewer: Viewer, in reader: ReadTransaction
  ) throws -> [ID<Conversation>: Message] {
    guard !ids.isEmpty else { return [:] }
    let found = try messages(
      """
      WHERE m.id IN (
        SELECT (
          SELECT x.id FROM messages x JOIN people_seen s ON s.id = x.author_id
          WHERE x.conversation_id = i.id ORDER BY x.number DESC LIMIT 1)
        FROM \(IDList(ids)) AS i)
      """, for: viewer, in: reader)
    return Dictionary(found.map { ($0.conversation, $0) }) { first, _ in first }
  }

  /// The changes after a version.
  func changes(
    after version: Int, of conversation: Conversation, for viewer: Viewer, now: Instant,
    in reader: ReadTransaction
  ) throws -> MessageChanges {
    let limit = MessageRules.pageSize
    let found = try messages(
      """
      WHERE m.conversation_id = \(conversation.id) AND m.version > \(version)
      ORDER BY m.version LIMIT \(limit + 1)
      """, for: viewer, in: reader)
    let shown = Array(found.prefix(limit))
    let last = shown.last?.version ?? version
    let hasMore = found.count > limit
    let people = try others(in: conversation.id, for: viewer, now: now, reader)
    return MessageChanges(
      messages: shown, version: hasMore ? last : max(last, conversation.version),
      hasMore: hasMore, reads: try reads(of: conversation.id, for: viewer, in: reader),
      people: people.map(\.name), writing: people.filter(\.isWriting).map(\.name))
  }

  // MARK: One message

  func find(
    _ id: ID<Message>, in conversation: ID<Conversation>, for viewer: Viewer,
    _ reader: ReadTransaction
  ) throws -> Message? {
    try messages(
      "WHERE m.id = \(id) AND m.conversation_id = \(conversation)", for: viewer, in: reader
    ).first
  }

  /// Those of these messages that the viewer sees.
  func find(
    _ ids: [ID<Message>], for viewer: Viewer, in reader: ReadTransaction
  ) throws -> [Message] {
    guard !ids.isEmpty else { return [] }
    return try messages("WHERE m.id IN \(IDList(ids))", for: viewer, in: reader)
  }

  /// The last message of a conversation, deleted ones included; nil without messages.
  func last(of id: ID<Conversation>, in reader: ReadTransaction) throws -> ID<Message>? {
    try reader.value(
      "SELECT id FROM messages WHERE conversation_id = \(id) ORDER BY number DESC LIMIT 1")
  }

  /// The viewer's own message with this client's identifier.
  func find(
    clientID: String, of viewer: Viewer, in reader: ReadTransaction
  ) throws -> Message? {
    try messages(
      "WHERE m.author_id = \(viewer.id) AND m.client_id = \(clientID)", for: viewer, in: reader
    ).first
  }

  /// The author and the beginning of the latest message to a user that the user has not read; nil
  /// while a block separates the couples. The text is nil for a request.
  func latestUnread(
    in id: ID<Conversation>, of person: ID<Person>, _ reader: ReadTransaction
  ) throws -> (name: String, text: String?, hasVoice: Bool)? {
    try reader.first(
      """
      SELECT m.id, w.name, c.state = 'open', m.voice_id IS NOT NULL, m.text_sealed
      FROM conversation_members v
      JOIN conversations c ON c.id = v.conversation_id
      JOIN messages m ON m.conversation_id = v.conversation_id AND m.number > v.read_number
        AND (c.kind = 'pair' OR m.side <> v.side)
      JOIN people_seen w ON w.id = m.author_id
      WHERE v.conversation_id = \(id) AND v.user_id = \(person) AND m.author_id <> \(person)
        AND m.deleted_at IS NULL AND m.removed_at IS NULL AND m.hidden_at IS NULL
        AND NOT EXISTS (
          SELECT 1 FROM couples_apart x
          WHERE x.one_id = c.couple_id AND x.other_id = c.other_id)
      ORDER BY m.number DESC LIMIT 1
      """
    ) { row in
      let message = try row.next(ID<Message>.self)
      let (name, isOpen) = (try row.next(String.self), try row.next(Bool.self))
      let hasVoice = try row.next(Bool.self)
      let text = MessageRules.excerpt(of: open(try row.next([UInt8]?.self), of: message))
      return (name: name, text: isOpen ? text : nil, hasVoice: isOpen && hasVoice)
    }
  }

  // MARK: Search

  /// A text to compare with a search.
  struct SearchedText {
    let id: ID<Message>
    let number: Int
    let text: String
  }

  /// The texts before a number, the newest first. Messages that are gone have none.
  func texts(
    of id: ID<Conversation>, before number: Int?, for viewer: Viewer, limit: Int,
    in reader: ReadTransaction
  ) throws -> [SearchedText] {
    try reader.rows(
      """
      SELECT m.id, m.number, m.text_sealed FROM messages m
      JOIN conversation_members v ON v.conversation_id = m.conversation_id
        AND v.user_id = \(viewer.id)
      JOIN people_seen w ON w.id = m.author_id
      WHERE m.conversation_id = \(id) AND m.number < \(number ?? Int.max)
        AND m.text_sealed IS NOT NULL AND m.deleted_at IS NULL AND m.removed_at IS NULL
        AND (m.hidden_at IS NULL OR m.author_id = \(viewer.id))
      ORDER BY m.number DESC LIMIT \(limit)
      """
    ) { row in
      let id = try row.next(ID<Message>.self)
      return SearchedText(
        id: id, number: try row.next(), text: try open(row.next([UInt8]?.self), of: id))
    }
  }

  /// Decrypts a text; "" if there is none. One that can't be decrypted is shown as an ellipsis, so
  /// that the others of its conversation stay readable.
  func open(_ sealed: [UInt8]?, of id: ID<Message>) -> String {
    guard let sealed else { return "" }
    return (try? Self.text.open(sealed, of: id, with: keys)) ?? "…"
  }

  // MARK: Other members

  /// The messages that the others have read, unless they or the viewer have turned read marks off;
  /// none as long as a request is not accepted.
  func reads(
    of id: ID<Conversation>, for viewer: Viewer, in reader: ReadTransaction
  ) throws -> [ReadMark] {
    try reader.rows(
      """
      SELECT m.user_id, w.name, w.avatar, m.read_number FROM conversation_members m
      JOIN people_seen w ON w.id = m.user_id
      WHERE m.conversation_id = \(id) AND m.user_id <> \(viewer.id) AND NOT EXISTS (
        SELECT 1 FROM message_settings s
        WHERE s.user_id IN (m.user_id, \(viewer.id)) AND s.shares_reads = 0)
        AND NOT EXISTS (
          SELECT 1 FROM conversations c
          WHERE c.id = m.conversation_id AND c.state IN ('requested', 'declined'))
      """
    ) { ReadMark(person: try $0.next(), avatar: try Self.avatar(&$0), number: try $0.next()) }
  }

  /// The other members, and whether each is writing now.
  private func others(
    in id: ID<Conversation>, for viewer: Viewer, now: Instant, _ reader: ReadTransaction
  ) throws -> [(name: String, isWriting: Bool)] {
    try reader.rows(
      """
      SELECT w.name, coalesce(m.writing_at, 0) > \(now.adding(seconds: -MessageRules.writingPeriod))
      FROM conversation_members m JOIN people_seen w ON w.id = m.user_id
      WHERE m.conversation_id = \(id) AND m.user_id <> \(viewer.id) ORDER BY m.user_id
      """
    ) { (name: try $0.next(String.self), isWriting: try $0.next(Bool.self)) }
  }

  static func avatar(_ row: inout RowReader) throws -> Viewer.Avatar {
    Viewer.Avatar(
      name: try row.next(), avatar: try row.next(String?.self).map(AccountLinks.media))
  }
}
