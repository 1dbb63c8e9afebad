import Core
import Database
import Images
import Secrets
import Web

/// Sends messages: checks, makes the files, and stores everything once.
struct MessageSender {
  let services: MessagesEnvironment

  private var database: Database { services.site.database }

  /// Sends a message to a conversation. One with the same client's identifier is returned instead
  /// of stored again. Throws 404 if the viewer does not see the conversation, 403 if the viewer may
  /// not write to it, 422 with errors of `text`, `pictures` (and `pictures.0` …), `voice`,
  /// `client_id` or `quoted`, 409 for a client's identifier that was used in another conversation,
  /// or for other words, with an error of `text`, 429 above the limit.
  func send(
    _ new: NewMessage, to id: ID<Conversation>, by viewer: Viewer, now: Instant
  ) throws -> Message {
    if let before = try sent(new, by: viewer) {
      guard before.conversation == id else { throw Problem(.conflict) }
      return before
    }
    let seen = try database.read {
      try ConversationService(services: services).seen(id, by: viewer, in: $0)
    }
    guard seen.mayWrite else { throw Problem.forbidden }
    return try store(new, in: id, isRequest: false, by: viewer, now: now) { writer in
      try ConversationService(services: services).openForWriting(
        id, by: viewer, now: now, in: writer)
    }
  }

  /// Writes to another couple: into the open conversation, or as a request. Throws 404 if the
  /// viewer does not see the couple, 403 if the viewer may not write to it, 409 if a request waits
  /// already or the client's identifier was used for another couple; else like `send`.
  func write(
    _ new: NewMessage, to couple: ID<Couple>, by viewer: Viewer, now: Instant
  ) throws -> Message {
    if let before = try sent(new, by: viewer) {
      guard try isTo(couple, before, by: viewer) else { throw Problem(.conflict) }
      return before
    }
    let contact = try ConversationService(services: services).contact(with: couple, for: viewer)
    guard contact.way != .none else {
      throw contact.conversation == nil ? Problem.forbidden : Problem(.conflict)
    }
    let id =
      try database.read {
        try services.conversations.find(
          between: couple, and: viewer.ownCouple, in: $0)
      } ?? ID<Conversation>(now: now)
    do {
      return try store(
        new, in: id, isRequest: contact.way == .request, by: viewer, now: now
      ) { writer in
        try ConversationService(services: services).begin(
          id, with: couple, by: viewer, now: now, in: writer)
      }
    } catch {
      // A parallel request may have sent the same message and begun the conversation.
      if let before = try sent(new, by: viewer), try isTo(couple, before, by: viewer) {
        return before
      }
      throw error
    }
  }

  /// Whether a message of the viewer's was written to a couple.
  private func isTo(_ couple: ID<Couple>, _ message: Message, by viewer: Viewer) throws -> Bool {
    try database.read {
      try services.conversations.find(message.conversation, for: viewer, in: $0)?.other?.id
    } == couple
  }

  /// The message that the viewer has sent with this client's identifier. Throws 409 with an error
  /// of `text` if it had other words, pictures or voice, as far as they are still known.
  private func sent(_ new: NewMessage, by viewer: Viewer) throws -> Message? {
    guard !new.clientID.isEmpty else {
      throw Problem.invalid(["client_id": FieldError("api.field_missing")])
    }
    guard MessageRules.clientIDLimits.allow(new.clientID) else {
      let most = String(MessageRules.clientIDLimits.bytes)
      throw Problem.invalid(["client_id": FieldError("api.field_long", ["most": most])])
    }
    let before = try database.read {
      try services.messages.find(clientID: new.clientID, of: viewer, in: $0)
    }
    if let before, !before.isSent(by: new) { throw Problem.sentWithOtherWords }
    return before
  }

  /// Makes the files, then stores the message. `open` prepares the conversation in the
  /// transaction and says how it is written to.
  private func store(
    _ new: NewMessage, in id: ID<Conversation>, isRequest: Bool, by viewer: Viewer, now: Instant,
    open: (WriteTransaction) throws -> OpenedConversation
  ) throws -> Message {
    let text = new.text.asParagraphs
    var errors = MessageRules.errors(
      text: text, pictures: new.pictures.count, hasVoice: new.voice != nil, isRequest: isRequest)
    if new.isTooMuchTogether { errors["pictures"] = FieldError("error.images_total") }
    guard errors.isEmpty else { throw Problem.invalid(errors) }
    try services.limits.count(MessageRules.perMinute, viewer.id.description, now: now)
    let message = ID<Message>(now: now)
    let note: (String) -> Void = { services.site.logger.error("messages: \($0)") }
    let pictures = try services.files.make(
      new.pictures, of: message, in: id, with: services.imageProcessor, note: note)
    let voice = try services.files.make(
      new.voice, of: message, in: id, with: services.films, note: note)
    do {
      return try database.write { writer in
        let opened = try open(writer)
        // The other couple has begun a conversation meanwhile, whose folder has none of the files.
        guard opened.id == id || (pictures.isEmpty && voice == nil) else { throw Problem.busy() }
        if opened.isRequest {
          // Following may have ended since the check above.
          let errors = MessageRules.errors(
            text: text, pictures: pictures.count, hasVoice: voice != nil, isRequest: true)
          guard errors.isEmpty else { throw Problem.invalid(errors) }
          if let wait = try services.limits.add(
            MessageRules.requests, opened.couple.description, now: now, in: writer)
          {
            throw Problem.tooMany(retryAfter: wait)
          }
        }
        if let quoted = new.quoted {
          let found = try services.messages.find(quoted, in: opened.id, for: viewer, writer)
          guard found != nil else {
            throw Problem.invalid(["quoted": FieldError("error.message_quoted")])
          }
        }
        try add(
          StoredMessage(
            id: message, conversation: opened.id, side: opened.side, clientID: new.clientID,
            text: text, quoted: new.quoted, answersMoment: new.answersMoment, pictures: pictures,
            voice: voice),
          to: opened, by: viewer, now: now, in: writer)
        guard
          let made = try services.messages.find(message, in: opened.id, for: viewer, writer)
        else { throw Problem.internalError }
        return made
      }
    } catch {
      if !pictures.isEmpty || voice != nil, !StorageError.mayBeStored(after: error) {
        services.files.remove(folderOf: message, in: id)
      }
      // The same message may have been stored by a parallel request.
      if let before = try sent(new, by: viewer), before.conversation == id { return before }
      throw error
    }
  }

  private func add(
    _ message: StoredMessage, to opened: OpenedConversation, by viewer: Viewer, now: Instant,
    in writer: WriteTransaction
  ) throws {
    let number = try services.conversations.step(opened.id, in: writer)
    try services.messages.add(message, number: number, by: viewer, now: now, in: writer)
    try services.conversations.noteMessage(
      number, in: opened.id, by: viewer, now: now, in: writer)
    // A message that came while this one was written counts as read, so its notice goes.
    try services.observer.hasRead(opened.id, by: viewer.id, in: writer)
    try MessageChannels.changed(opened.id, to: number, now: now, in: writer)
    let people = try services.conversations.people(of: opened.id, in: writer)
    try MessageChannels.inboxChanged(of: people, now: now, in: writer)
    // A couple that declined does not hear of a request that is sent again.
    if opened.isDeclined { return }
    let listening = try services.conversations.listening(
      to: opened.id, except: viewer.id, site: services.site, now: now, in: writer)
    var reading: [ID<Person>: Instant] = [:]
    for member in listening {
      guard let readAt = member.readAt else { continue }
      reading[member.id] = MessageRules.endOfReading(since: readAt, now: now)
    }
    try services.observer.wrote(
      MessageNotice(
        conversation: opened.id, author: viewer.id, couple: opened.couple,
        recipients: listening.map(\.id), reading: reading, isRequest: opened.isRequest,
        path: MessageLinks.conversation(opened.id)),
      now: now, in: writer)
  }
}

extension Message {
  /// Whether a repeated sending may be of this message: one that was edited or is gone says nothing
  /// of what was sent, and a browser does not keep the files of a form.
  fileprivate func isSent(by new: NewMessage) -> Bool {
    guard trace == nil, editedAt == nil else { return true }
    return text == new.text.asParagraphs
      && (new.pictures.isEmpty || new.pictures.count == pictures.count)
      && (new.voice == nil || voice != nil)
  }
}

extension Problem {
  fileprivate static var sentWithOtherWords: Problem {
    Problem(.conflict, fields: ["text": FieldError("error.message_sent")])
  }
}

/// A conversation that a message is about to be written to.
struct OpenedConversation {
  let id: ID<Conversation>
  /// The couple that the viewer writes for, and its side.
  let couple: ID<Couple>
  let side: Int
  /// Whether the message is a request.
  let isRequest: Bool
  /// Whether it is a request that the other couple has declined before.
  var isDeclined = false
}

/// A message before it has a row.
struct StoredMessage {
  let id: ID<Message>
  let conversation: ID<Conversation>
  let side: Int
  let clientID: String
  let text: String
  let quoted: ID<Message>?
  let answersMoment: Bool
  let pictures: [StoredPicture]
  let voice: StoredVoice?
}

/// A picture of a message before it has a row.
struct StoredPicture {
  let id: ID<MessagePicture>
  let made: ProcessedPicture
  let description: String
  /// That of its files.
  let key: FileKey
}

/// A voice note of a message before it has a row.
struct StoredVoice {
  let id: ID<MessageVoice>
  /// Its length, in ms.
  let milliseconds: Int
  /// That of its file.
  let key: FileKey
}
