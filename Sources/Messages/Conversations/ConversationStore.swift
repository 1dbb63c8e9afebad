import Accounts
import Core
import Database
import Web

/// Reads conversations, as their members see them.
struct ConversationStore: Sendable {
  let database: Database

  // MARK: Conversations

  /// A conversation of this viewer; nil for all others, and while a block separates the couples.
  func find(
    _ id: ID<Conversation>, for viewer: Viewer, in reader: ReadTransaction
  ) throws -> Conversation? {
    let row = try reader.first(
      """
      SELECT \(Self.columns(viewer)) FROM conversation_members m
      JOIN conversations c ON c.id = m.conversation_id
      WHERE m.conversation_id = \(id) AND m.user_id = \(viewer.id) AND \(Self.isSeen(viewer))
      """, make: ConversationRow.init)
    return try row.flatMap { try conversations([$0], for: viewer, in: reader).first }
  }

  /// The viewer's conversations with the times of their latest messages, latest first. Declined
  /// requests are left out, and withdrawn ones without other messages. The number of statements
  /// does not depend on that of conversations.
  func list(
    of viewer: Viewer, after cursor: PageCursor<Conversation>, limit: Int,
    in reader: ReadTransaction
  ) throws -> [(Conversation, Instant)] {
    let found = try reader.rows(
      """
      SELECT m.latest_at, \(Self.columns(viewer)) FROM conversation_members m
      JOIN conversations c ON c.id = m.conversation_id
      WHERE m.user_id = \(viewer.id) AND (m.latest_at, m.conversation_id) < \(cursor)
        AND NOT (c.state = 'declined' AND c.requested_side <> m.side) AND \(Self.isSeen(viewer))
        AND (c.withdrawn_at IS NULL OR EXISTS (
          SELECT 1 FROM messages x WHERE x.conversation_id = c.id AND x.deleted_at IS NULL))
      ORDER BY m.latest_at DESC, m.conversation_id DESC LIMIT \(limit)
      """
    ) { (at: try $0.next(Instant.self), row: try ConversationRow(&$0)) }
    let list = try conversations(found.map(\.row), for: viewer, in: reader)
    return zip(list, found).map { ($0, $1.at) }
  }

  /// The conversation between two couples, whatever its state.
  func find(
    between one: ID<Couple>, and other: ID<Couple>?, in reader: ReadTransaction
  ) throws -> ID<Conversation>? {
    guard let other else { return nil }
    return try reader.value(
      """
      SELECT id FROM conversations
      WHERE couple_id = \(min(one, other)) AND other_id = \(max(one, other))
      """)
  }

  /// The stored state, the couple that has sent a request, and whether it has taken that back.
  func state(
    of id: ID<Conversation>, in reader: ReadTransaction
  ) throws -> (Conversation.State, ID<Couple>?, isWithdrawn: Bool) {
    let found = try reader.first(
      """
      SELECT state, CASE requested_side WHEN 1 THEN couple_id WHEN 2 THEN other_id END,
        withdrawn_at IS NOT NULL
      FROM conversations WHERE id = \(id)
      """
    ) {
      (
        Conversation.State(rawValue: try $0.next()) ?? .ended, try $0.next(ID<Couple>?.self),
        isWithdrawn: try $0.next(Bool.self)
      )
    }
    guard let found else { throw Problem.notFound }
    return found
  }

  /// Whether both couples are shown to others and have members, and no block separates them.
  func areOpen(
    _ one: ID<Couple>, _ other: ID<Couple>, in reader: ReadTransaction
  ) throws -> Bool {
    try reader.exists(
      """
      SELECT 1 FROM couples_open a JOIN couples_open b ON b.id = \(other)
      WHERE a.id = \(one) AND EXISTS (SELECT 1 FROM couples_people p WHERE p.couple_id = a.id)
        AND EXISTS (SELECT 1 FROM couples_people q WHERE q.couple_id = b.id)
        AND NOT EXISTS (
          SELECT 1 FROM couples_apart x WHERE x.one_id = \(one) AND x.other_id = \(other))
      """)
  }

  /// Whether a couple is shown to others and has members: a couple of one is left when its member
  /// pairs.
  func isOpen(_ couple: ID<Couple>, in reader: ReadTransaction) throws -> Bool {
    try reader.exists(
      """
      SELECT 1 FROM couples_open a WHERE a.id = \(couple)
        AND EXISTS (SELECT 1 FROM couples_people p WHERE p.couple_id = a.id)
      """)
  }

  // MARK: Members

  /// The members of a conversation, those of deleted accounts too.
  func people(of id: ID<Conversation>, in reader: ReadTransaction) throws -> [ID<Person>] {
    try reader.values("SELECT user_id FROM conversation_members WHERE conversation_id = \(id)")
  }

  /// The members of any of these conversations.
  func people(
    of ids: [ID<Conversation>], in reader: ReadTransaction
  ) throws -> [ID<Person>] {
    try reader.values(
      """
      SELECT DISTINCT m.user_id FROM \(IDList(ids)) AS i
      CROSS JOIN conversation_members m WHERE m.conversation_id = i.id
      """)
  }

  /// The members on the viewer's side.
  func people(
    of id: ID<Conversation>, onSideOf viewer: Viewer, in reader: ReadTransaction
  ) throws -> [ID<Person>] {
    try reader.values(
      """
      SELECT o.user_id FROM conversation_members m
      JOIN conversation_members o ON o.conversation_id = m.conversation_id AND o.side = m.side
      WHERE m.conversation_id = \(id) AND m.user_id = \(viewer.id)
      """)
  }

  /// The members who are to hear of a message of one of them: the partner, or the other couple,
  /// without those who have muted the conversation at this moment. `readAt` is when a member has
  /// last read something new.
  func listening(
    to id: ID<Conversation>, except person: ID<Person>, site: AppEnvironment, now: Instant,
    in reader: ReadTransaction
  ) throws -> [(id: ID<Person>, readAt: Instant?)] {
    let members = try reader.rows(
      """
      SELECT m.user_id, m.muted_from, m.muted_to, m.read_at FROM conversation_members m
      JOIN conversations c ON c.id = m.conversation_id
      WHERE m.conversation_id = \(id) AND m.user_id <> \(person)
        AND (c.kind = 'pair' OR m.side <> (
          SELECT a.side FROM conversation_members a
          WHERE a.conversation_id = c.id AND a.user_id = \(person)))
      """
    ) {
      (
        id: try $0.next(ID<Person>.self), from: try $0.next(Int?.self),
        to: try $0.next(Int?.self), readAt: try $0.next(Instant?.self)
      )
    }
    let directory = UserDirectory(keys: site.keys)
    return try members.filter { member in
      guard let muted = Self.mutedHours(member.from, member.to) else { return true }
      guard let card = try directory.card(member.id, in: reader) else { return false }
      let zone = PersonTimeZone(kept: card.timeZone, site: site.defaultTimeZone).zone
      return !muted.contains(minute: now.minuteOfDay(in: zone))
    }.map { (id: $0.id, readAt: $0.readAt) }
  }

  // MARK: Unread

  /// The unread messages of a user in all conversations that the user sees, as far as they are
  /// counted.
  func unread(of viewer: Viewer, in reader: ReadTransaction) throws -> Int {
    try reader.count("SELECT \(Self.unreadCount(of: viewer))")
  }

  /// A subquery with that number.
  static func unreadCount(of viewer: Viewer) -> Query {
    """
    (SELECT min(CAST(coalesce(sum(\(unread(viewer.id))), 0) AS BIGINT),
      \(MessageRules.maximumUnread))
    FROM conversation_members m \(index: "conversation_members_unread")
    JOIN conversations c ON c.id = m.conversation_id
    WHERE m.user_id = \(viewer.id) AND m.last_number > m.read_number
      AND NOT (c.state = 'declined' AND c.requested_side <> m.side) AND \(isSeen(viewer)))
    """
  }

  /// The unread messages of a user in one conversation, as far as they are counted.
  func unread(
    in id: ID<Conversation>, of person: ID<Person>, in reader: ReadTransaction
  ) throws -> Int {
    try reader.count(
      """
      SELECT \(Self.unread(person)) FROM conversation_members m
      WHERE m.conversation_id = \(id) AND m.user_id = \(person)
      """)
  }

  /// Whether reading up to a number changes something.
  func isUnread(
    _ id: ID<Conversation>, by viewer: Viewer, through number: Int?, in reader: ReadTransaction
  ) throws -> Bool {
    try reader.exists(
      """
      SELECT 1 FROM conversation_members WHERE conversation_id = \(id) AND user_id = \(viewer.id)
        AND last_number > read_number AND coalesce(\(number), last_number) > read_number
      """)
  }

  // MARK: Settings

  func settings(of person: ID<Person>, in reader: ReadTransaction) throws -> MessageSettings {
    try reader.first(
      "SELECT shows_content, shares_reads FROM message_settings WHERE user_id = \(person)"
    ) { MessageSettings(showsContent: try $0.next(), sharesReads: try $0.next()) }
      ?? MessageSettings()
  }

  // MARK: Columns

  static func mutedHours(_ from: Int?, _ to: Int?) -> MutedHours? {
    guard let from, let to else { return nil }
    return MutedHours(from: from, to: to)
  }

  /// No block separates the couples, nor the viewer's present couple from the other one.
  private static func isSeen(_ viewer: Viewer) -> Query {
    """
    (c.kind = 'pair' OR NOT EXISTS (
        SELECT 1 FROM couples_apart x WHERE x.one_id = c.couple_id AND x.other_id = c.other_id)
      AND NOT EXISTS (
        SELECT 1 FROM couples_apart y WHERE y.one_id = \(viewer.couple?.id)
          AND y.other_id = CASE m.side WHEN 1 THEN c.other_id ELSE c.couple_id END))
    """
  }

  private static func unread(_ person: ID<Person>) -> Query {
    """
    (SELECT count(*) FROM (
      SELECT 1 FROM messages x WHERE x.conversation_id = m.conversation_id
        AND x.number > m.read_number AND x.author_id <> \(person) AND x.deleted_at IS NULL
        AND x.hidden_at IS NULL AND x.removed_at IS NULL
        AND EXISTS (SELECT 1 FROM people_seen w WHERE w.id = x.author_id)
      LIMIT \(MessageRules.maximumUnread)) AS counted)
    """
  }

  private static func columns(_ viewer: Viewer) -> Query {
    """
    c.id, c.kind, c.state, c.requested_side = m.side, c.withdrawn_at IS NOT NULL, c.version,
    m.muted_from, m.muted_to,
    CASE m.side WHEN 1 THEN c.couple_id ELSE c.other_id END,
    CASE m.side WHEN 1 THEN c.other_id ELSE c.couple_id END,
    \(unread(viewer.id)),
    CASE c.kind WHEN 'pair'
      THEN EXISTS (
        SELECT 1 FROM couples_seen k WHERE k.id = c.couple_id AND k.status = 'active')
      ELSE EXISTS (SELECT 1 FROM couples_open k WHERE k.id = c.couple_id)
        AND EXISTS (SELECT 1 FROM couples_open k WHERE k.id = c.other_id)
        AND EXISTS (SELECT 1 FROM couples_people p WHERE p.couple_id = c.couple_id)
        AND EXISTS (SELECT 1 FROM couples_people p WHERE p.couple_id = c.other_id) END
    """
  }
}
