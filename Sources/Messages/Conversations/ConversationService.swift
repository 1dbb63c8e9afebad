import Accounts
import Core
import Database
import Web

/// Conversations: who is in them, requests and settings; for pages and API.
struct ConversationService {
  let services: MessagesEnvironment

  private var database: Database { services.site.database }
  private var store: ConversationStore { services.conversations }

  // MARK: Reading

  /// The conversation as the viewer sees it; the conversation of the two before its first message
  /// too. Throws 404 for others than its members, and while a block separates them.
  func seen(
    _ id: ID<Conversation>, by viewer: Viewer, in reader: ReadTransaction
  ) throws -> Conversation {
    if let found = try store.find(id, for: viewer, in: reader) { return found }
    guard let couple = viewer.sharedCouple, couple.cast(to: Conversation.self) == id else {
      throw Problem.notFound
    }
    return unwritten(of: viewer, id)
  }

  /// The viewer's conversations, those with the latest messages first. The conversation of the two
  /// is at the top of the first page until its first message.
  func list(
    of viewer: Viewer, after cursor: PageCursor<Conversation>? = nil,
    limit: Int = MessageRules.listSize
  ) throws -> ListPage<ConversationSummary, Conversation> {
    try database.read { reader in
      let first = cursor == nil ? try unwrittenPair(of: viewer, in: reader) : nil
      return try ListPage(
        limit: limit,
        cursor: {
          // What is put on top has no place in the order.
          $0.conversation.id == first?.conversation.id
            ? .start : PageCursor(at: $0.at, id: $0.conversation.id)
        }
      ) { limit in
        let rows = try store.list(of: viewer, after: cursor ?? .start, limit: limit, in: reader)
        let latest = try services.messages.latest(of: rows.map(\.0.id), for: viewer, in: reader)
        var list = rows.map { conversation, at in
          ConversationSummary(
            conversation: conversation, latest: latest[conversation.id], at: at)
        }
        if let first { list.insert(first, at: 0) }
        return list
      }
    }
  }

  /// The viewer's unread messages in all conversations, at most `MessageRules.maximumUnread`.
  func unread(of viewer: Viewer) throws -> Int {
    try database.read { try store.unread(of: viewer, in: $0) }
  }

  /// The way in which the viewer may write to another couple. Throws 404 if the viewer does not see
  /// it, 422 for the viewer's own.
  func contact(with couple: ID<Couple>, for viewer: Viewer) throws -> CoupleContact {
    guard let profile = try services.couples.visible(couple, to: viewer) else {
      throw Problem.notFound
    }
    guard couple != viewer.couple?.id else {
      throw Problem.invalid(["couple": FieldError("error.message_own")])
    }
    return try database.read { reader in
      let id = try store.find(between: couple, and: viewer.ownCouple, in: reader)
      let found = try id.flatMap { try store.find($0, for: viewer, in: reader) }
      return CoupleContact(
        couple: couple, name: profile.name, people: profile.people,
        way: try way(to: couple, found, viewer, reader), conversation: found?.id)
    }
  }

  private func way(
    to couple: ID<Couple>, _ found: Conversation?, _ viewer: Viewer, _ reader: ReadTransaction
  ) throws -> CoupleContact.Way {
    guard viewer.mayPost else { return .none }
    guard let own = viewer.ownCouple else {
      // A member without a couple gets a couple of one, which follows no other yet.
      return try store.isOpen(couple, in: reader) ? .request : .none
    }
    guard try store.areOpen(own, couple, in: reader) else { return .none }
    if found?.mayWrite == true { return .open }
    if try services.areMutual(own, couple, reader) { return .open }
    return found?.state == .requested ? .none : .request
  }

  // MARK: Writing

  /// Prepares a conversation that the viewer sees for a message. Throws 403 if the viewer may not
  /// write.
  func openForWriting(
    _ id: ID<Conversation>, by viewer: Viewer, now: Instant, in writer: WriteTransaction
  ) throws -> OpenedConversation {
    let seen = try seen(id, by: viewer, in: writer)
    guard seen.mayWrite, let own = viewer.ownCouple else { throw Problem.forbidden }
    if seen.kind == .pair {
      try store.beginPair(own, now: now, in: writer)
      // The two may have parted since the request began.
      guard try store.find(id, for: viewer, in: writer)?.mayWrite == true else {
        throw Problem.forbidden
      }
      return OpenedConversation(id: id, couple: own, side: 1, isRequest: false)
    }
    guard let other = seen.other?.id else { throw Problem.internalError }
    return try begin(id, with: other, by: viewer, now: now, in: writer)
  }

  /// Begins or continues a conversation with another couple. Throws 403 if the viewer may not write
  /// to it, 409 if a request of the viewer's couple waits.
  func begin(
    _ id: ID<Conversation>, with couple: ID<Couple>, by viewer: Viewer, now: Instant,
    in writer: WriteTransaction
  ) throws -> OpenedConversation {
    guard viewer.mayPost else { throw Problem.forbidden }
    let own = try services.couples.coupleForPosting(viewer, now: now, in: writer)
    guard own != couple, try store.areOpen(own, couple, in: writer) else {
      throw Problem.forbidden
    }
    let isMutual = try services.areMutual(own, couple, writer)
    let before = try store.find(between: own, and: couple, in: writer)
    let side = own < couple ? 1 : 2
    guard let before else {
      try store.begin(
        id, own, couple, state: isMutual ? .open : .requested, by: own, now: now, in: writer)
      return OpenedConversation(id: id, couple: own, side: side, isRequest: !isMutual)
    }
    let (state, requester, isWithdrawn) = try store.state(of: before, in: writer)
    let isOwnRequest = requester == own
    if isWithdrawn, isOwnRequest, state == .declined, !isMutual {
      // It stays declined: who asks is not told.
      try store.set(.declined, of: before, by: own, in: writer)
      try store.addMembers(of: before, now: now, in: writer)
      return OpenedConversation(
        id: before, couple: own, side: side, isRequest: true, isDeclined: true)
    }
    switch isWithdrawn ? .ended : state {
    case .open: break
    case .requested, .declined:
      // Answering a request accepts it.
      guard !isOwnRequest || isMutual else { throw Problem(.conflict) }
      try store.set(.open, of: before, by: nil, in: writer)
    case .ended, .frozen:
      try store.set(isMutual ? .open : .requested, of: before, by: own, in: writer)
      try store.addMembers(of: before, now: now, in: writer)
      return OpenedConversation(id: before, couple: own, side: side, isRequest: !isMutual)
    }
    try store.addMembers(of: before, now: now, in: writer)
    return OpenedConversation(id: before, couple: own, side: side, isRequest: false)
  }

  /// Accepts or declines a request of another couple; a suspended member may decline only. Throws
  /// 404 for others than the asked couple's members, 409 if there is no request to answer.
  func answer(
    _ id: ID<Conversation>, accepts: Bool, by viewer: Viewer, now: Instant
  ) throws {
    try database.write { writer in
      let seen = try seen(id, by: viewer, in: writer)
      guard accepts ? seen.mayAnswerRequest : seen.mayDecline else { throw Problem(.conflict) }
      // The requester is still known, so that it can't ask again.
      let (_, requester, _) = try store.state(of: id, in: writer)
      try store.set(
        accepts ? .open : .declined, of: id, by: accepts ? nil : requester, in: writer)
      if accepts {
        let version = try store.step(id, in: writer)
        try MessageChannels.changed(id, to: version, now: now, in: writer)
        let people = try store.people(of: id, in: writer)
        try MessageChannels.inboxChanged(of: people, now: now, in: writer)
        return
      }
      // The couple that asked is not told, not even by a new version.
      let people = try store.people(of: id, onSideOf: viewer, in: writer)
      try MessageChannels.inboxChanged(of: people, now: now, in: writer)
      for person in people {
        try store.markRead(id, by: person, in: writer)
        try services.observer.hasRead(id, by: person, in: writer)
      }
    }
  }

  /// Takes back the request of the viewer's couple: its message is deleted for all, and the couple
  /// may ask again. Throws 404 for others than members, 409 if no request of the couple waits.
  func withdraw(_ id: ID<Conversation>, by viewer: Viewer, now: Instant) throws {
    try database.write { writer in
      guard try seen(id, by: viewer, in: writer).mayWithdraw else { throw Problem(.conflict) }
      try store.withdraw(id, now: now, in: writer)
      let version = try store.step(id, in: writer)
      // While a request waits, it is the last message.
      if let message = try services.messages.last(of: id, in: writer) {
        let isKept = try services.messages.delete(
          message, keepUntil: now.adding(seconds: DeletionPeriod.length), now: now, in: writer)
        try services.messages.setVersion(version, of: message, in: writer)
        if !isKept {
          try services.removals.add([MessageFiles.folder(message, of: id)], in: writer)
        }
      }
      try MessageService(services: services).settleUnread(in: id, writer)
      try MessageChannels.changed(id, to: version, now: now, in: writer)
      let people = try store.people(of: id, in: writer)
      try MessageChannels.inboxChanged(of: people, now: now, in: writer)
    }
    services.removeFiles()
  }

  // MARK: Settings

  func settings(of viewer: Viewer) throws -> MessageSettings {
    try database.read { try store.settings(of: viewer.id, in: $0) }
  }

  func save(_ settings: MessageSettings, of viewer: Viewer) throws {
    try database.write { try store.save(settings, of: viewer, in: $0) }
  }

  /// Sets the hours without notices of a conversation; nil for none.
  func mute(
    _ id: ID<Conversation>, _ hours: MutedHours?, by viewer: Viewer, now: Instant
  ) throws {
    try database.write { writer in
      let seen = try seen(id, by: viewer, in: writer)
      if seen.kind == .pair, seen.version == 0, let couple = viewer.sharedCouple {
        try store.beginPair(couple, now: now, in: writer)
      }
      try store.mute(id, hours, by: viewer, in: writer)
    }
  }

  // MARK: The two before their first message

  private func unwritten(of viewer: Viewer, _ id: ID<Conversation>) -> Conversation {
    Conversation(
      id: id, kind: .pair, state: .open, other: nil, partner: viewer.couple?.partner,
      isOwnRequest: false, version: 0, unread: 0, mayWrite: true, mayAnswerRequest: false,
      mayDecline: false, mayWithdraw: false, mutedHours: nil)
  }

  private func unwrittenPair(
    of viewer: Viewer, in reader: ReadTransaction
  ) throws -> ConversationSummary? {
    guard let couple = viewer.sharedCouple else { return nil }
    let id = couple.cast(to: Conversation.self)
    guard try store.find(id, for: viewer, in: reader) == nil else { return nil }
    return ConversationSummary(
      conversation: unwritten(of: viewer, id), latest: nil,
      at: try CoupleMembers.beginning(of: couple, in: reader) ?? services.site.clock.now())
  }
}
