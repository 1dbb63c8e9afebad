import Core
import Database
import Web

/// Changes conversations; each method runs in its caller's transaction.
extension ConversationStore {
  /// Makes the conversation of the two, if there is none.
  func beginPair(_ couple: ID<Couple>, now: Instant, in writer: WriteTransaction) throws {
    let id = couple.cast(to: Conversation.self)
    try writer.execute(
      """
      INSERT INTO conversations (id, kind, couple_id, state, created_at)
      VALUES (\(id), 'pair', \(couple), 'open', \(now)) ON CONFLICT (id) DO NOTHING
      """)
    try addMembers(of: id, now: now, in: writer)
  }

  /// Makes the conversation between two couples.
  func begin(
    _ id: ID<Conversation>, _ one: ID<Couple>, _ other: ID<Couple>, state: Conversation.State,
    by asker: ID<Couple>, now: Instant, in writer: WriteTransaction
  ) throws {
    let first = min(one, other)
    let side: Int? = state == .requested ? (asker == first ? 1 : 2) : nil
    try writer.execute(
      """
      INSERT INTO conversations (id, kind, couple_id, other_id, state, requested_side, created_at)
      VALUES (\(id), 'couples', \(first), \(max(one, other)), \(state.rawValue),
        \(side), \(now))
      """)
    try addMembers(of: id, now: now, in: writer)
  }

  /// Adds the present members of the couples that are not in it yet.
  func addMembers(of id: ID<Conversation>, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      INSERT INTO conversation_members (conversation_id, user_id, side, latest_at)
      SELECT c.id, u.user_id, CASE WHEN u.couple_id = c.couple_id THEN 1 ELSE 2 END, \(now)
      FROM conversations c JOIN couples_people u ON u.couple_id IN (c.couple_id, c.other_id)
      WHERE c.id = \(id) ON CONFLICT (conversation_id, user_id) DO NOTHING
      """)
  }

  /// Changes the state; `asker` is the couple of a request, which is not withdrawn any more.
  func set(
    _ state: Conversation.State, of id: ID<Conversation>, by asker: ID<Couple>?,
    in writer: WriteTransaction
  ) throws {
    let isRequest = state == .requested || state == .declined
    try writer.execute(
      """
      UPDATE conversations SET state = \(state.rawValue), requested_side =
        CASE WHEN \(isRequest) = 1 THEN CASE WHEN couple_id = \(asker) THEN 1 ELSE 2 END END,
          withdrawn_at = NULL
      WHERE id = \(id)
      """)
  }

  /// Notes that a request was taken back. Its state stays, so that one that was declined is not
  /// shown to the couple that declined it when it is sent again.
  func withdraw(_ id: ID<Conversation>, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE conversations SET withdrawn_at = \(now) WHERE id = \(id)")
  }

  /// Raises the version; returns the new one.
  func step(_ id: ID<Conversation>, in writer: WriteTransaction) throws -> Int {
    let version = try writer.value(
      "UPDATE conversations SET version = version + 1 WHERE id = \(id) RETURNING version",
      as: Int.self)
    guard let version else { throw Problem.notFound }
    return version
  }

  /// Raises the versions of a user's conversations that no block has ended; returns the new ones.
  func stepAll(
    of person: ID<Person>, in writer: WriteTransaction
  ) throws -> [(id: ID<Conversation>, version: Int)] {
    try writer.rows(
      """
      UPDATE conversations SET version = version + 1 WHERE state <> 'ended' AND id IN (
        SELECT conversation_id FROM conversation_members WHERE user_id = \(person))
      RETURNING id, version
      """
    ) { (id: try $0.next(ID<Conversation>.self), version: try $0.next(Int.self)) }
  }

  /// Notes a new message: its author has read everything, and it is at the top of all lists.
  func noteMessage(
    _ number: Int, in id: ID<Conversation>, by viewer: Viewer, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE conversation_members SET latest_at = max(latest_at, \(now)),
        last_number = CASE WHEN user_id = \(viewer.id) THEN last_number ELSE \(number) END,
        read_number = CASE WHEN user_id = \(viewer.id) THEN \(number) ELSE read_number END,
        read_at = CASE WHEN user_id = \(viewer.id) THEN \(now) ELSE read_at END,
        writing_at = CASE WHEN user_id = \(viewer.id) THEN NULL ELSE writing_at END
      WHERE conversation_id = \(id)
      """)
  }

  /// Marks messages as read; false if nothing has changed.
  func markRead(
    _ id: ID<Conversation>, through number: Int?, by viewer: Viewer, now: Instant,
    in writer: WriteTransaction
  ) throws -> Bool {
    try writer.execute(
      """
      UPDATE conversation_members SET read_at = \(now),
        read_number = min(coalesce(\(number), last_number), last_number)
      WHERE conversation_id = \(id) AND user_id = \(viewer.id)
        AND min(coalesce(\(number), last_number), last_number) > read_number
      """) == 1
  }

  /// Marks all messages as read.
  func markRead(
    _ id: ID<Conversation>, by person: ID<Person>, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE conversation_members SET read_number = max(read_number, last_number)
      WHERE conversation_id = \(id) AND user_id = \(person)
      """)
  }

  func setWriting(
    _ id: ID<Conversation>, by viewer: Viewer, at now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE conversation_members SET writing_at = \(now)
      WHERE conversation_id = \(id) AND user_id = \(viewer.id)
      """)
  }

  func mute(
    _ id: ID<Conversation>, _ hours: MutedHours?, by viewer: Viewer, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE conversation_members SET muted_from = \(hours?.from), muted_to = \(hours?.to)
      WHERE conversation_id = \(id) AND user_id = \(viewer.id)
      """)
  }

  func save(
    _ settings: MessageSettings, of viewer: Viewer, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO message_settings (user_id, shows_content, shares_reads)
      VALUES (\(viewer.id), \(settings.showsContent), \(settings.sharesReads))
      ON CONFLICT (user_id) DO UPDATE SET shows_content = excluded.shows_content,
        shares_reads = excluded.shares_reads
      """)
  }
}
