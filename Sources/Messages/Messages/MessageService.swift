import Accounts
import Core
import Database
import Web

/// Actions on the messages of a conversation, for pages and API.
struct MessageService {
  let services: MessagesEnvironment

  var database: Database { services.site.database }
  private var store: MessageStore { services.messages }
  private var conversations: ConversationStore { services.conversations }

  // MARK: Reading

  /// The conversation as the viewer sees it. Throws 404 for others than its members, and while a
  /// block separates them.
  func conversation(_ id: ID<Conversation>, for viewer: Viewer) throws -> Conversation {
    try database.read { try ConversationService(services: services).seen(id, by: viewer, in: $0) }
  }

  /// A part of a conversation that the viewer was found to see.
  func page(
    _ window: MessageWindow, of conversation: Conversation, for viewer: Viewer,
    limit: Int = MessageRules.pageSize
  ) throws -> MessagePage {
    try database.read { reader in
      try store.page(window, of: conversation.id, for: viewer, limit: limit, in: reader)
    }
  }

  /// The changes after a version, for clients that poll or were told of a newer one.
  func changes(
    after version: Int, of conversation: Conversation, for viewer: Viewer, now: Instant
  ) throws -> MessageChanges {
    try database.read { reader in
      try store.changes(after: version, of: conversation, for: viewer, now: now, in: reader)
    }
  }

  /// One message. Throws 404 if the viewer does not see it.
  func message(
    _ id: ID<Message>, in conversation: ID<Conversation>, for viewer: Viewer
  ) throws -> Message {
    try database.read { reader in
      _ = try ConversationService(services: services).seen(conversation, by: viewer, in: reader)
      return try seen(id, in: conversation, by: viewer, reader)
    }
  }

  /// Messages with all words of a text: the newest of one conversation before a number, or the
  /// newest of all. Throws 422 for a text that is too long, 429 above the limit. An empty text
  /// finds nothing.
  func search(
    _ text: String, in conversation: ID<Conversation>? = nil, before number: Int? = nil,
    by viewer: Viewer, now: Instant
  ) throws -> MessageSearchResult {
    let text = text.asOneLine
    if let error = FieldError.tooLong(text, MessageRules.searchLimits) {
      throw Problem.invalid(["q": error])
    }
    let needle = MessageNeedle(text)
    guard !needle.isEmpty else { return MessageSearchResult(hits: [], next: nil) }
    try services.limits.count(MessageRules.searches, viewer.id.description, now: now)
    let search = MessageSearch(services: services, viewer: viewer, needle: needle)
    return try database.read { reader in
      guard let conversation else { return try search.all(in: reader) }
      let seen = try ConversationService(services: services).seen(
        conversation, by: viewer, in: reader)
      return try search.one(seen, before: number, in: reader)
    }
  }

  // MARK: Changing

  /// Changes the text of an own message of the last quarter hour, or of a request that waits.
  /// A report of the message does not show: what was reported is stored with it. Throws 404 for
  /// others' messages, 409 if it is too late, 422 for an invalid text, 403 if the viewer may not
  /// write any more.
  func edit(
    _ id: ID<Message>, in conversation: ID<Conversation>, text: String, by viewer: Viewer,
    now: Instant
  ) throws -> Message {
    try change(id, in: conversation, by: viewer, now: now) { message, seen, writer in
      guard message.isOwn else { throw Problem.notFound }
      guard seen.mayWrite || seen.mayWithdraw else { throw Problem.forbidden }
      guard try mayEdit(message, in: seen, now: now, writer) else { throw Problem(.conflict) }
      let errors = MessageRules.errors(
        text: text, pictures: message.pictures.count, hasVoice: message.voice != nil,
        isRequest: seen.mayWithdraw)
      // The files are there already.
      if let error = errors["text"] { throw Problem.invalid(["text": error]) }
      guard text != message.text else { return nil }
      try store.edit(id, text: text, now: now, in: writer)
      return id
    }
  }

  /// Whether the viewer may change the text of a message: an own one of the last quarter hour, and
  /// a request as long as it waits.
  func mayEdit(_ message: Message, in conversation: Conversation, now: Instant) throws -> Bool {
    try database.read { try mayEdit(message, in: conversation, now: now, $0) }
  }

  private func mayEdit(
    _ message: Message, in conversation: Conversation, now: Instant, _ reader: ReadTransaction
  ) throws -> Bool {
    if message.mayEdit(now: now) { return true }
    guard conversation.mayWithdraw, message.isOwn, message.trace == nil else { return false }
    // While a request waits, it is the last message.
    return try store.last(of: conversation.id, in: reader) == message.id
  }

  /// Deletes an own message of the last day for all members; a trace stays. Throws 404 for others'
  /// messages, 409 if it is too late.
  func delete(
    _ id: ID<Message>, in conversation: ID<Conversation>, by viewer: Viewer, now: Instant
  ) throws {
    var isQueued = false
    _ = try change(id, in: conversation, by: viewer, now: now) { message, _, writer in
      // The body may run again.
      isQueued = false
      guard message.isOwn else { throw Problem.notFound }
      guard message.trace == nil else { return nil }
      guard message.mayDelete(now: now) else { throw Problem(.conflict) }
      let isKept = try store.delete(
        id, keepUntil: now.adding(seconds: DeletionPeriod.length), now: now, in: writer)
      isQueued = !isKept && (!message.pictures.isEmpty || message.voice != nil)
      if isQueued {
        try services.removals.add([MessageFiles.folder(id, of: conversation)], in: writer)
      }
      try settleUnread(in: conversation, writer)
      return id
    }
    if isQueued { services.removeFiles() }
  }

  /// Sets or takes back the viewer's reaction. Throws 409 for a message without words, 403 if the
  /// viewer may not write.
  func react(
    _ reaction: ReactionKind?, to id: ID<Message>, in conversation: ID<Conversation>,
    by viewer: Viewer, now: Instant
  ) throws -> Message {
    try change(id, in: conversation, by: viewer, now: now) { message, seen, writer in
      guard seen.mayWrite else { throw Problem.forbidden }
      guard message.trace == nil else { throw Problem(.conflict) }
      guard message.reactions.first(where: \.isOwn)?.kind != reaction else { return nil }
      try store.react(reaction, to: id, by: viewer, now: now, in: writer)
      return id
    }
  }

  /// Marks messages as read up to a number, or all if it is nil.
  func markRead(
    _ conversation: ID<Conversation>, through number: Int? = nil, by viewer: Viewer, now: Instant
  ) throws {
    let (seen, isNew) = try database.read { reader in
      let seen = try ConversationService(services: services).seen(
        conversation, by: viewer, in: reader)
      return (
        seen, try conversations.isUnread(seen.id, by: viewer, through: number, in: reader)
      )
    }
    // Pages mark what they show; most have nothing new.
    guard isNew else { return }
    try database.write { writer in
      guard
        try conversations.markRead(
          conversation, through: number, by: viewer, now: now, in: writer)
      else { return }
      // A new version alone would tell the others of a mark that they may not see.
      if seen.state == .open, try conversations.settings(of: viewer.id, in: writer).sharesReads {
        let version = try conversations.step(conversation, in: writer)
        try MessageChannels.changed(conversation, to: version, now: now, in: writer)
      }
      try MessageChannels.inboxChanged(of: [viewer.id], now: now, in: writer)
      if try conversations.unread(in: conversation, of: viewer.id, in: writer) == 0 {
        try services.observer.hasRead(conversation, by: viewer.id, in: writer)
      }
    }
  }

  /// Notes that the viewer is writing, which others see for some seconds.
  func setWriting(
    _ conversation: ID<Conversation>, by viewer: Viewer, now: Instant
  ) throws {
    try services.limits.count(MessageRules.changes, viewer.id.description, now: now)
    try database.write { writer in
      let seen = try ConversationService(services: services).seen(
        conversation, by: viewer, in: writer)
      guard seen.mayWrite else { throw Problem.forbidden }
      // A couple that asked is not told what the other one does with the request.
      guard seen.state == .open else { return }
      if seen.kind == .pair, seen.version == 0, let couple = viewer.sharedCouple {
        try conversations.beginPair(couple, now: now, in: writer)
      }
      try conversations.setWriting(conversation, by: viewer, at: now, in: writer)
      let version = try conversations.step(conversation, in: writer)
      try MessageChannels.changed(conversation, to: version, now: now, in: writer)
    }
  }

  // MARK: Helpers

  /// A message that the viewer sees in a conversation. Throws 404.
  func seen(
    _ id: ID<Message>, in conversation: ID<Conversation>, by viewer: Viewer,
    _ reader: ReadTransaction
  ) throws -> Message {
    guard
      let message = try store.find(id, in: conversation, for: viewer, reader)
    else { throw Problem.notFound }
    return message
  }

  /// Changes one message within a transaction: `body` returns its identifier if it has changed.
  /// Returns the message afterwards.
  private func change(
    _ id: ID<Message>, in conversation: ID<Conversation>, by viewer: Viewer, now: Instant,
    _ body: (Message, Conversation, WriteTransaction) throws -> ID<Message>?
  ) throws -> Message {
    try services.limits.count(MessageRules.changes, viewer.id.description, now: now)
    return try database.write { writer in
      let seen = try ConversationService(services: services).seen(
        conversation, by: viewer, in: writer)
      let message = try self.seen(id, in: conversation, by: viewer, writer)
      guard let changed = try body(message, seen, writer) else { return message }
      let version = try conversations.step(conversation, in: writer)
      try store.setVersion(version, of: changed, in: writer)
      try MessageChannels.changed(conversation, to: version, now: now, in: writer)
      return try self.seen(id, in: conversation, by: viewer, writer)
    }
  }

  /// Takes back the notices of members who have nothing unread any more.
  func settleUnread(in conversation: ID<Conversation>, _ writer: WriteTransaction) throws {
    for person in try conversations.people(of: conversation, in: writer) {
      guard try conversations.unread(in: conversation, of: person, in: writer) == 0 else {
        continue
      }
      try services.observer.hasRead(conversation, by: person, in: writer)
    }
  }
}
