import Core
import Database
import Web

/// `/api/v1/conversations/{id}/messages` (docs/api/README.md).
struct MessageAPI {
  private static let list = "messages"

  let services: MessagesEnvironment

  private var service: MessageService { MessageService(services: services) }

  var routes: [Route] {
    let path = "/conversations/:id/messages"
    return [
      .api(
        .get, path, .atLeast(.member),
        Operation(
          "List messages", .messages,
          note: """
            Newest first; with `after`, new and changed messages in the order of their versions, \
            for clients that poll or follow the stream; with `since`, from a moment on, oldest \
            first. `state` tells such clients that the conversation is closed, for example \
            `frozen` after parting; after a block there is none any more: 404.
            """,
          errors: [.notFound]), handler: list),
      .api(
        .post, path, .atLeast(.member),
        Operation(
          "Send a message", .messages,
          note: """
            Text, pictures or a voice note, or text with either. A message with a `client_id` that \
            you have used before is stored once: it is returned again, and answered by 409 with \
            other words. Answering a request accepts it.
            """,
          errors: [.conflict, .notAcceptablePicture, .unavailable, .notFound]),
        form: [
          .init(
            "client_id", .text, isRequired: true,
            note: "Your identifier of the message, for example a UUID; up to 64 bytes."),
          .init("text", .text, note: "Up to 4,000 composed characters."),
          .init("quoted_id", .text, note: "The message that this one answers."),
          .init(
            "pictures[]", .files,
            note: """
              Up to 9 JPEG, PNG, HEIC, WebP or GIF files of at most 12 MB and 50 megapixels each.
              """),
          .init(
            "descriptions[]", .texts, note: "Alternative texts, in the order of the pictures."),
          .init(
            "voice", .file,
            note: """
              A voice note without pictures: M4A, MP3, WAV, OGG or WebM of at most 12 MB and two \
              minutes. It is stored as AAC. 503 if the server takes none.
              """),
        ], options: [.closedToSuspended, .paragraphs], bodyLimit: 256 << 20, handler: send),
      .api(
        .patch, "\(path)/:message_id", .atLeast(.member),
        Operation(
          "Change your message", .messages,
          note: "Within 15 minutes, and a request until it is answered; 409 later.",
          errors: [.conflict],
          path: ["message_id": "The message."]),
        options: .closedToSuspended, handler: edit),
      .api(
        .delete, "\(path)/:message_id", .atLeast(.member),
        Operation(
          "Delete your message for all", .messages,
          note: "Within a day; 409 later. A trace without text stays.",
          errors: [.conflict], path: ["message_id": "The message."]), handler: delete),
      .api(
        .put, "\(path)/:message_id/reaction", .atLeast(.member),
        Operation(
          "React to a message", .messages, note: "Replaces your earlier reaction.",
          errors: [.conflict], path: ["message_id": "The message."]),
        options: .closedToSuspended, handler: setReaction),
      .api(
        .delete, "\(path)/:message_id/reaction", .atLeast(.member),
        Operation(
          "Take back your reaction", .messages, errors: [.conflict],
          path: ["message_id": "The message."]), handler: removeReaction),
    ]
  }

  // MARK: Reading

  @Sendable private func list(
    _ query: MessagesQuery, _ context: Context
  ) throws -> MessagesResponse {
    let viewer = try context.signedIn()
    let conversation = try service.conversation(context.id(), for: viewer)
    if let after = query.after {
      let changes = try service.changes(
        after: after, of: conversation, for: viewer, now: context.now)
      return MessagesResponse(changes, of: conversation, context)
    }
    let place = try context.place(of: query.cursor, in: Self.list, Conversation.self)
    let window: MessageWindow =
      if let place {
        .before(Int(place.key))
      } else if let since = query.since {
        .since(since)
      } else {
        .latest
      }
    let page = try service.page(window, of: conversation, for: viewer, limit: query.limit)
    let isForward = place == nil && query.since != nil
    let next = page.earlier.map {
      context.cursor(
        after: PageCursor(key: Int64($0), id: conversation.id), in: Self.list)
    }
    return MessagesResponse(
      isForward ? page.messages : page.messages.reversed(), of: conversation, next: next,
      reads: page.reads, context)
  }

  // MARK: Writing

  @Sendable private func send(
    _ form: Form, _ context: Context
  ) throws -> Created<MessageResponse> {
    let viewer = try context.signedIn()
    let descriptions = ["descriptions[]", "descriptions"].lazy.map(form.all).first { !$0.isEmpty }
    let files = form.files.filter { ["pictures[]", "pictures"].contains($0.fieldName) }
    var quoted: ID<Message>?
    if !form["quoted_id"].isEmpty {
      guard let id = ID<Message>(form["quoted_id"]) else {
        throw Problem.invalid(["quoted_id": FieldError("api.field_id")])
      }
      quoted = id
    }
    let new = NewMessage(
      clientID: form["client_id"], text: form["text"], quoted: quoted,
      pictures: files.enumerated().map { place, file in
        NewMessagePicture(
          path: file.path,
          description: descriptions.flatMap { place < $0.count ? $0[place] : nil } ?? "",
          isTooLarge: file.tooLarge)
      },
      voice: form.files.first { $0.fieldName == "voice" }.map {
        NewMessageVoice(path: $0.path, isTooLarge: $0.tooLarge)
      },
      isTooMuchTogether: form.filesAreTooLargeTogether)
    let message = try MessageSender(services: services).send(
      new, to: context.id(), by: viewer, now: context.now)
    return Created(MessageResponse(message, context))
  }

  @Sendable private func edit(
    _ input: MessageTextRequest, _ context: Context
  ) throws -> MessageResponse {
    MessageResponse(
      try service.edit(
        context.id("message_id"), in: context.id(), text: input.text.asParagraphs,
        by: context.signedIn(), now: context.now), context)
  }

  @Sendable private func delete(_ context: Context) throws -> NoContent {
    try service.delete(
      context.id("message_id"), in: context.id(), by: context.signedIn(), now: context.now)
    return NoContent()
  }

  @Sendable private func setReaction(
    _ input: ReactionRequest, _ context: Context
  ) throws -> MessageResponse {
    try react(with: input.reaction, context)
  }

  @Sendable private func removeReaction(_ context: Context) throws -> MessageResponse {
    try react(with: nil, context)
  }

  private func react(with reaction: ReactionKind?, _ context: Context) throws -> MessageResponse {
    MessageResponse(
      try service.react(
        reaction, to: context.id("message_id"), in: context.id(), by: context.signedIn(),
        now: context.now), context)
  }
}

/// Query parameters of a list of messages.
struct MessagesQuery: ListRequest {
  var after: Int?
  var since: Instant?
  var limit = MessageRules.pageSize
  var cursor: String?

  static let jsonFields: [InputField<Self>] =
    [
      .optional(
        "after", in: 0...Int(Int32.max),
        note: "The version that you have: only what has changed since, at most 50 messages."
      ) { $0.after = $1 },
      .optional("since", note: "A moment, for example the beginning of a day.") { $0.since = $1 },
    ] + listFields()
}

/// A new text of a message.
struct MessageTextRequest: JSONRequest {
  var text = ""

  static let jsonName = "MessageChange"
  static let jsonFields: [InputField<Self>] = [
    .required(
      "text", limits: .paragraphs, note: "Up to 4,000 characters.", example: "See you at six"
    ) { $0.text = $1 }
  ]
}

/// A reaction.
struct ReactionRequest: JSONRequest {
  var reaction = ReactionKind.heart

  static let jsonName = "NewReaction"
  static let jsonFields: [InputField<Self>] = [
    .required("reaction") { $0.reaction = $1 }
  ]
}

extension ReactionKind: JSONEnum {}
