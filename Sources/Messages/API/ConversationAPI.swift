import Core
import Database
import Web

/// `/api/v1/conversations` (docs/api/README.md).
struct ConversationAPI {
  private static let list = "conversations"

  let services: MessagesEnvironment

  private var service: ConversationService { ConversationService(services: services) }
  private var messages: MessageService { MessageService(services: services) }

  var routes: [Route] { reading + writing + settings }

  private var reading: [Route] {
    [
      .api(
        .get, "/conversations", .atLeast(.member),
        Operation(
          "List conversations", .messages,
          note: """
            Those with the latest messages first. That of the two of you has the id of your couple.
            """),
        handler: list),
      .api(
        .get, "/conversations/search", .atLeast(.member),
        Operation(
          "Search your messages", .messages,
          note: """
            The newest first: of all conversations, or of one with `before` for older ones. Texts \
            are encrypted, so one call looks through 5,000 messages: the newest of one \
            conversation before that, or the same number of the newest of each.
            """,
          errors: [.notFound, .rateLimited]), handler: search),
      .api(
        .get, "/conversations/:id", .atLeast(.member),
        Operation("Get a conversation", .messages), handler: show),
      .api(
        .get, "/couples/:id/conversation", .atLeast(.member),
        Operation(
          "Find out how to write to a couple", .messages,
          note: """
            `open` if both couples follow each other or a request was accepted; `request` if your \
            first message has to be accepted and has neither links nor pictures; `none` if you may \
            not write.
            """,
          errors: [.validationError]), handler: contact),
    ]
  }

  private var writing: [Route] {
    [
      .api(
        .post, "/conversations", .atLeast(.member),
        Operation(
          "Write to another couple", .messages,
          note: """
            Sends a text into the conversation with this couple, or as a request: at most five a \
            day. 409 while a request waits. A repeated `client_id` is stored once; 409 with other \
            words.
            """,
          errors: [.conflict, .notFound]),
        options: [.closedToSuspended, .paragraphs], handler: write),
      .api(
        .post, "/conversations/:id/accept", .atLeast(.member),
        Operation("Accept a request", .messages, errors: [.conflict]),
        options: .closedToSuspended, handler: accept),
      .api(
        .post, "/conversations/:id/decline", .atLeast(.member),
        Operation(
          "Decline a request", .messages, note: "The other couple is not told.",
          errors: [.conflict]), handler: decline),
      .api(
        .post, "/conversations/:id/withdraw", .atLeast(.member),
        Operation(
          "Withdraw your request", .messages,
          note: "Deletes its message for all; your couple may ask again.", errors: [.conflict]),
        handler: withdraw),
      .api(
        .put, "/conversations/:id/read", .atLeast(.member),
        Operation("Mark messages as read", .messages), options: .emptyBody, handler: read),
      .api(
        .put, "/conversations/:id/writing", .atLeast(.member),
        Operation(
          "Show that you are writing", .messages, note: "For six seconds.",
          errors: [.rateLimited]),
        options: .closedToSuspended, handler: noteWriting),
    ]
  }

  private var settings: [Route] {
    [
      .api(
        .get, "/conversations/settings", .atLeast(.member),
        Operation("Get your settings of messages", .messages), handler: showSettings),
      .api(
        .patch, "/conversations/settings", .atLeast(.member),
        Operation("Change your settings of messages", .messages), handler: saveSettings),
      .api(
        .put, "/conversations/:id/muted-hours", .atLeast(.member),
        Operation(
          "Mute a conversation", .messages,
          note: """
            No notifications between these minutes of your day; `from` equal to `to` means always.
            """), handler: mute),
      .api(
        .delete, "/conversations/:id/muted-hours", .atLeast(.member),
        Operation("Unmute a conversation", .messages), handler: unmute),
    ]
  }

  // MARK: Reading

  @Sendable private func list(
    _ query: ListQuery, _ context: Context
  ) throws -> ConversationsResponse {
    let viewer = try context.signedIn()
    let place = try context.place(of: query.cursor, in: Self.list, Conversation.self)
    let page = try service.list(of: viewer, after: place, limit: query.limit)
    return ConversationsResponse(
      conversations: page.rows.map { ConversationResponse($0, context) },
      unread: try service.unread(of: viewer), next: context.nextCursor(page, in: Self.list))
  }

  @Sendable private func show(_ context: Context) throws -> ConversationResponse {
    ConversationResponse(
      try messages.conversation(context.id(), for: context.signedIn()), context)
  }

  @Sendable private func contact(_ context: Context) throws -> CoupleContactResponse {
    CoupleContactResponse(
      contact: try service.contact(with: context.id(), for: context.signedIn()))
  }

  @Sendable private func search(
    _ query: MessageSearchQuery, _ context: Context
  ) throws -> MessageHitsResponse {
    let found = try messages.search(
      query.text, in: query.conversation, before: query.before, by: context.signedIn(),
      now: context.now)
    return MessageHitsResponse(
      hits: found.hits.map { MessageHitResponse($0, context) }, next: found.next)
  }

  // MARK: Writing

  @Sendable private func write(
    _ input: CoupleMessageRequest, _ context: Context
  ) throws -> Created<MessageResponse> {
    let message = try MessageSender(services: services).write(
      NewMessage(clientID: input.clientID, text: input.text), to: input.couple,
      by: context.signedIn(), now: context.now)
    return Created(MessageResponse(message, context))
  }

  @Sendable private func accept(_ context: Context) throws -> NoContent {
    try service.answer(context.id(), accepts: true, by: context.signedIn(), now: context.now)
    return NoContent()
  }

  @Sendable private func decline(_ context: Context) throws -> NoContent {
    try service.answer(context.id(), accepts: false, by: context.signedIn(), now: context.now)
    return NoContent()
  }

  @Sendable private func withdraw(_ context: Context) throws -> NoContent {
    try service.withdraw(context.id(), by: context.signedIn(), now: context.now)
    return NoContent()
  }

  @Sendable private func read(_ input: ReadRequest, _ context: Context) throws -> NoContent {
    try messages.markRead(
      context.id(), through: input.number, by: context.signedIn(), now: context.now)
    return NoContent()
  }

  @Sendable private func noteWriting(_ context: Context) throws -> NoContent {
    try messages.setWriting(context.id(), by: context.signedIn(), now: context.now)
    return NoContent()
  }

  // MARK: Settings

  @Sendable private func showSettings(_ context: Context) throws -> MessageSettingsResponse {
    MessageSettingsResponse(settings: try service.settings(of: context.signedIn()))
  }

  @Sendable private func saveSettings(
    _ input: MessageSettingsRequest, _ context: Context
  ) throws -> MessageSettingsResponse {
    let viewer = try context.signedIn()
    var settings = try service.settings(of: viewer)
    settings.showsContent = input.showsContent ?? settings.showsContent
    settings.sharesReads = input.sharesReads ?? settings.sharesReads
    try service.save(settings, of: viewer)
    return MessageSettingsResponse(settings: settings)
  }

  @Sendable private func mute(
    _ input: MutedHoursRequest, _ context: Context
  ) throws -> NoContent {
    try service.mute(
      context.id(), MutedHours(from: input.from, to: input.to), by: context.signedIn(),
      now: context.now)
    return NoContent()
  }

  @Sendable private func unmute(_ context: Context) throws -> NoContent {
    try service.mute(context.id(), nil, by: context.signedIn(), now: context.now)
    return NoContent()
  }
}
