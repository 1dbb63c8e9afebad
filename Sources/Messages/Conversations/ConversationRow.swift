import Core
import Database

/// A stored conversation with the membership of one user.
struct ConversationRow {
  let id: ID<Conversation>
  let kind: Conversation.Kind
  let state: Conversation.State
  /// Nil if there is no request.
  let isOwnRequest: Bool?
  /// Whether the couple that asked has taken its request back.
  let isWithdrawn: Bool
  let version: Int
  let mutedHours: MutedHours?
  /// The couple on the user's side.
  let own: ID<Couple>
  let other: ID<Couple>?
  let unread: Int
  /// Whether the couples are in a state in which they may write.
  let isOpen: Bool

  init(_ row: inout RowReader) throws {
    id = try row.next()
    kind = Conversation.Kind(rawValue: try row.next()) ?? .pair
    state = Conversation.State(rawValue: try row.next()) ?? .ended
    isOwnRequest = try row.next()
    isWithdrawn = try row.next()
    version = try row.next()
    let (from, to) = (try row.next(Int?.self), try row.next(Int?.self))
    mutedHours = ConversationStore.mutedHours(from, to)
    own = try row.next()
    other = try row.next()
    unread = try row.next()
    isOpen = try row.next()
  }
}
