import Core
import HTTPTypes
import Templates
import Web

/// `/messages/{id}/{message}/edit` and `/delete`: changes of an own message.
struct ChangeMessagePages {
  /// Characters of the message that the page before its deletion quotes.
  private static let quoted = 140

  private let services: MessagesEnvironment
  private let editPage: Page<EditMessageView>
  private let deletePage: Page<DeleteMessageView>

  private var service: MessageService { MessageService(services: services) }

  init(_ services: MessagesEnvironment) throws {
    self.services = services
    editPage = try Page("messages/edit", title: "messages.edit_title", in: services.site)
    deletePage = try Page("messages/delete", title: "messages.delete_title", in: services.site)
  }

  @Sendable func showEdit(_ context: Context) throws -> Response {
    let message = try message(context)
    let conversation = try service.conversation(message.conversation, for: context.signedIn())
    guard try service.mayEdit(message, in: conversation, now: context.now) else {
      throw Problem.forbidden
    }
    let view = EditMessageView(
      message: message, isRequest: conversation.mayWithdraw, text: message.text, errors: [:])
    return editPage.response(view, context)
  }

  @Sendable func edit(_ context: Context) throws -> Response {
    let message = try message(context)
    let text = context.form["text"].asParagraphs
    do {
      let edited = try service.edit(
        message.id, in: message.conversation, text: text, by: context.signedIn(),
        now: context.now)
      context.flash("toast.message_edited")
      return .seeOther(MessageLinks.message(edited.number, in: edited.conversation))
    } catch let problem as Problem where problem.fields["text"] != nil {
      let conversation = try service.conversation(message.conversation, for: context.signedIn())
      let view = EditMessageView(
        message: message, isRequest: conversation.mayWithdraw, text: text,
        errors: problem.fields.texts(context))
      return editPage.response(view, context, status: problem.status)
    }
  }

  @Sendable func askDelete(_ context: Context) throws -> Response {
    let message = try message(context)
    guard message.mayDelete(now: context.now) else { throw Problem.forbidden }
    return deletePage.response(
      DeleteMessageView(message: message, excerpt: message.text.excerpt(Self.quoted)), context)
  }

  @Sendable func delete(_ context: Context) throws -> Response {
    let message = try message(context)
    try service.delete(
      message.id, in: message.conversation, by: context.signedIn(), now: context.now)
    context.flash("toast.message_deleted")
    return .seeOther(MessageLinks.message(message.number, in: message.conversation))
  }

  /// The own message of the path.
  private func message(_ context: Context) throws -> Message {
    let message = try service.message(
      context.id("message"), in: context.id(), for: context.signedIn())
    guard message.isOwn else { throw Problem.notFound }
    return message
  }
}

struct EditMessageView: FormContent {
  let message: Message
  /// Whether it is a request that waits.
  let isRequest: Bool
  let text: String
  let errors: [String: String]

  static let fields: [String: Field<EditMessageView>] = formFields(
    errors: ["text"],
    [
      "action": .text { MessageLinks.edit($0.message.id, in: $0.message.conversation) },
      "link": .text { MessageLinks.message($0.message.number, in: $0.message.conversation) },
      "text": .text { $0.text },
      "request": .flag { $0.isRequest },
    ])
}

struct DeleteMessageView: View {
  let message: Message
  let excerpt: String

  static let fields: [String: Field<DeleteMessageView>] = [
    "action": .text { MessageLinks.delete($0.message.id, in: $0.message.conversation) },
    "cancel_link": .text {
      MessageLinks.message($0.message.number, in: $0.message.conversation)
    },
    "excerpt": .optionalText { $0.excerpt.isEmpty ? nil : $0.excerpt },
  ]
}
