import Accounts
import Core
import Database

/// Tells open pages of conversations that they are closed, or open again, without a message.
public struct ConversationUpdates: Sendable {
  private let conversations: ConversationStore

  public init(database: Database) {
    conversations = ConversationStore(database: database)
  }

  /// One of two couples has blocked the other.
  public func blocked(
    _ one: ID<Couple>, _ other: ID<Couple>, now: Instant, in writer: WriteTransaction
  ) throws {
    guard let id = try conversations.find(between: one, and: other, in: writer) else { return }
    let version = try conversations.step(id, in: writer)
    try tell(
      [(id: id, version: version)], conversations.people(of: id, in: writer), now, writer)
  }

  /// A user's couple has parted or is together again, the user is in another one, or the account
  /// was deleted or restored.
  func coupleChanged(
    of person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    var changed = try conversations.stepAll(of: person, in: writer)
    var people = try conversations.people(of: changed.map(\.id), in: writer)
    if let couple = try CoupleMembers.couple(of: person, in: writer) {
      let pair = couple.cast(to: Conversation.self)
      if !changed.contains(where: { $0.id == pair }) {
        // It has no row before its first message, but its page may be open.
        changed.append((id: pair, version: 0))
        people += try CoupleMembers.all(of: couple, in: writer)
      }
    }
    try tell(changed, people, now, writer)
  }

  private func tell(
    _ changed: [(id: ID<Conversation>, version: Int)], _ people: [ID<Person>], _ now: Instant,
    _ writer: WriteTransaction
  ) throws {
    for (id, version) in changed {
      try MessageChannels.changed(id, to: version, now: now, in: writer)
    }
    try MessageChannels.inboxChanged(of: people, now: now, in: writer)
  }
}
