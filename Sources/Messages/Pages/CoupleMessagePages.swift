import Core
import HTTPTypes
import Templates
import Web

/// `/couples/{id}/message`: the first message to another couple. A conversation that exists is
/// shown instead.
struct CoupleMessagePages {
  private let services: MessagesEnvironment
  private let page: Page<CoupleMessageView>

  init(_ services: MessagesEnvironment) throws {
    self.services = services
    page = try Page("messages/new", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let contact = try contact(context)
    if let id = contact.conversation {
      let conversation = try MessageService(services: services).conversation(
        id, for: context.signedIn())
      if conversation.mayWrite || contact.way == .none {
        return .seeOther(MessageLinks.newest(in: id))
      }
    }
    guard contact.way != .none else { throw Problem.forbidden }
    return response(contact, MessageForm(), context)
  }

  @Sendable func send(_ context: Context) throws -> Response {
    let form = MessageForm(context.form)
    let contact = try contact(context)
    do {
      let message = try MessageSender(services: services).write(
        form.message, to: contact.couple, by: context.signedIn(), now: context.now)
      return .seeOther(MessageLinks.newest(in: message.conversation))
    } catch let problem as Problem {
      guard let errors = problem.messageErrors else { throw problem }
      var response = response(
        contact, form.shown(after: problem), errors: errors, status: problem.status, context)
      if let wait = problem.retryAfter { response.headers[.retryAfter] = String(wait) }
      return response
    }
  }

  private func contact(_ context: Context) throws -> CoupleContact {
    let (viewer, couple): (Viewer, ID<Couple>) = (try context.signedIn(), try context.id())
    // The own couple's conversation is the one of the two.
    guard couple != viewer.couple?.id else { throw Problem.notFound }
    return try ConversationService(services: services).contact(with: couple, for: viewer)
  }

  private func response(
    _ contact: CoupleContact, _ form: MessageForm, errors: [String: FieldError] = [:],
    status: HTTPResponse.Status = .ok, _ context: Context
  ) -> Response {
    let composer = ComposerView(
      form, action: MessageLinks.couple(contact.couple),
      plainLink: MessageLinks.couple(contact.couple), quote: nil,
      mayAddFiles: contact.way == .open, takesVoice: services.films.isAvailable, errors: errors,
      context)
    let view = CoupleMessageView(contact: contact, composer: composer)
    return page.response(view, context, title: .named(contact.name), status: status)
  }
}

struct CoupleMessageView: View {
  let contact: CoupleContact
  let composer: ComposerView

  static let fields: [String: Field<CoupleMessageView>] = [
    "name": .text { $0.contact.name },
    "couple_link": .text { WebLinks.couple($0.contact.couple) },
    "request": .flag { $0.contact.way == .request },
    "composer": .child { $0.composer },
  ]
}
