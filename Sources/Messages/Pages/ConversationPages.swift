import Core
import HTTPTypes
import Templates
import Web

/// `/messages/{id}`: a part of a conversation, with the form for a new message. A script keeps the
/// latest part up to date.
struct ConversationPages {
  private let services: MessagesEnvironment
  private let page: Page<ConversationView>

  private var service: MessageService { MessageService(services: services) }

  init(_ services: MessagesEnvironment) throws {
    self.services = services
    page = try Page("messages/conversation", in: services.site)
  }

  /// Shows a part of the conversation, which counts as read from then on.
  @Sendable func show(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let conversation = try service.conversation(context.id(), for: viewer)
    let window = Self.window(context)
    let part = try service.page(window, of: conversation, for: viewer)
    if let last = part.messages.last {
      try service.markRead(conversation.id, through: last.number, by: viewer, now: context.now)
    }
    let quoted = context.request.queryValue("answer").flatMap { ID<Message>($0) }
    return try response(conversation, part, window, MessageForm(quoted: quoted), context)
  }

  @Sendable func send(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let id: ID<Conversation> = try context.id()
    let form = MessageForm(context.form)
    do {
      let message = try MessageSender(services: services).send(
        form.message, to: id, by: viewer, now: context.now)
      return .seeOther(MessageLinks.newest(in: message.conversation))
    } catch let problem as Problem {
      guard let errors = problem.messageErrors else { throw problem }
      let conversation = try service.conversation(id, for: viewer)
      let part = try service.page(.latest, of: conversation, for: viewer)
      var response = try response(
        conversation, part, .latest, form.shown(after: problem), errors: errors,
        status: problem.status, context)
      if let wait = problem.retryAfter { response.headers[.retryAfter] = String(wait) }
      return response
    }
  }

  /// Sets the viewer's reaction, or takes it away.
  @Sendable func react(_ context: Context) throws -> Response {
    let sent = context.form["reaction"]
    let reaction = ReactionKind(rawValue: sent)
    guard reaction != nil || sent.isEmpty else { throw Problem.badRequest }
    let conversation: ID<Conversation> = try context.id()
    let message = try service.react(
      reaction, to: context.id("message"), in: conversation, by: context.signedIn(),
      now: context.now)
    let next = context.next(MessageLinks.conversation(conversation)).prefix { $0 != "#" }
    return .seeOther("\(next)#message-\(message.number)")
  }

  // MARK: Requests

  @Sendable func accept(_ context: Context) throws -> Response {
    let id: ID<Conversation> = try context.id()
    try ConversationService(services: services).answer(
      id, accepts: true, by: context.signedIn(), now: context.now)
    context.flash("toast.messages_accepted")
    return .seeOther(MessageLinks.newest(in: id))
  }

  @Sendable func decline(_ context: Context) throws -> Response {
    try ConversationService(services: services).answer(
      context.id(), accepts: false, by: context.signedIn(), now: context.now)
    context.flash("toast.messages_declined")
    return .seeOther(MessageLinks.messages)
  }

  @Sendable func withdraw(_ context: Context) throws -> Response {
    try ConversationService(services: services).withdraw(
      context.id(), by: context.signedIn(), now: context.now)
    context.flash("toast.messages_withdrawn")
    return .seeOther(MessageLinks.messages)
  }

  // MARK: Rendering

  /// The part that the address names: before or from a number, or from a day on.
  private static func window(_ context: Context) -> MessageWindow {
    func number(_ name: String) -> Int? {
      context.request.queryValue(name).flatMap { Int($0, in: 0...Int(Int32.max)) }
    }
    if let number = number("before") { return .before(number) }
    if let number = number("from") { return .from(number) }
    if let day = context.request.queryValue("day").flatMap({ LocalDay($0) }) {
      return .since(day.start(in: context.timeZone))
    }
    return .latest
  }

  private func response(
    _ conversation: Conversation, _ part: MessagePage, _ window: MessageWindow,
    _ form: MessageForm, errors: [String: FieldError] = [:], status: HTTPResponse.Status = .ok,
    _ context: Context
  ) throws -> Response {
    let viewer = try context.signedIn()
    let isOpen = conversation.mayWrite && viewer.suspension == nil
    let composer =
      isOpen
      ? ComposerView(
        form, action: MessageLinks.conversation(conversation.id),
        plainLink: "\(MessageLinks.conversation(conversation.id))#compose",
        quote: try quote(form.quoted, in: conversation, viewer, context),
        mayAddFiles: true, takesVoice: services.films.isAvailable, errors: errors, context) : nil
    let view = ConversationView(
      conversation, part, window, composer: composer, viewer, context)
    return page.response(view, context, title: .named(view.name), status: status)
  }

  /// The quoted message above the form; nil if there is none that the viewer sees.
  private func quote(
    _ id: ID<Message>?, in conversation: Conversation, _ viewer: Viewer, _ context: Context
  ) throws -> QuoteView? {
    guard let id else { return nil }
    do {
      let message = try service.message(id, in: conversation.id, for: viewer)
      return QuoteView(
        name: message.avatar.name, words: MessageFormatter(context).summary(of: message),
        link: MessageLinks.message(message.number, in: conversation.id))
    } catch let problem as Problem where problem.status == .notFound {
      return nil
    }
  }
}
