import Core
import Database
import HTTPTypes
import Templates
import Web

/// `/checkin/contacts/{id}/channels`: the means beside mail by which a contact is notified.
struct ChannelPages {
  private enum Button: String {
    case add
    case send
    case prove
    case remove
  }

  private let services: CheckInEnvironment
  private let page: Page<ChannelsView>
  private let questions: QuestionPage

  private var service: ChannelService { ChannelService(services: services) }

  init(_ services: CheckInEnvironment) throws {
    self.services = services
    page = try Page("checkin/channels", title: "channels.title", in: services.site)
    questions = try QuestionPage(in: services.site)
  }

  /// With the channel `ask`, asks before it is removed.
  @Sendable func show(_ context: Context) throws -> Response {
    if let id = context.request.queryValue("ask").flatMap({ ID<ContactChannel>($0) }) {
      return try askRemoval(of: id, context)
    }
    return try response(context, errors: [:], status: .ok)
  }

  private func askRemoval(of id: ID<ContactChannel>, _ context: Context) throws -> Response {
    let channel = try services.site.database.read { reader in
      let contact = try services.ownContact(context, in: reader)
      return try services.channels.all(of: contact, in: reader).first { $0.id == id }
    }
    guard let channel else { throw Problem.notFound }
    let label = services.channelOffers.find(channel.offer)?.label(in: context.language)
    let question = Question(
      title: context.text("channels.remove_title", ["channel": label ?? channel.offer]),
      text: context.text("channels.remove_text"), button: context.text("channels.remove"),
      action: context.path,
      inputs: [("channel", id.description), ("button", Button.remove.rawValue)],
      cancel: context.path)
    return questions.response(question, context)
  }

  @Sendable func change(_ context: Context) throws -> Response {
    guard let button = Button(rawValue: context.form["button"]) else { throw Problem.badRequest }
    let (errors, toast) = try services.site.database.write { writer in
      try take(button, context, in: writer)
    }
    guard errors.isEmpty else {
      return try response(context, errors: errors, status: .unprocessableContent)
    }
    if let toast { context.flash(toast) }
    return .seeOther(context.path)
  }

  private func take(
    _ button: Button, _ context: Context, in writer: WriteTransaction
  ) throws -> (errors: [String: FieldError], toast: String?) {
    let (form, now) = (context.form, context.now)
    let contact = try services.ownContact(context, in: writer)
    if button == .add {
      guard contact.state != .refused else { return ([:], "toast.channel_refused") }
      let errors = try service.add(
        form["offer"], form["recipient"], to: contact, now: now, in: writer)
      return (errors, "toast.channel_code_sent")
    }
    guard let id = ID<ContactChannel>(form["channel"]),
      let channel = try services.channels.all(of: contact, in: writer).first(where: { $0.id == id })
    else { throw Problem.notFound }
    switch button {
    case .add, .send:
      try service.sendCode(by: channel, now: now, in: writer)
      return ([:], "toast.channel_code_sent")
    case .prove:
      let isRight = try service.prove(channel, by: form["code"], now: now, in: writer)
      return isRight
        ? ([:], "toast.channel_works")
        : (["code-\(channel.id)": FieldError("error.channel_code")], nil)
    case .remove:
      try service.remove(channel, now: now, in: writer)
      return ([:], "toast.channel_removed")
    }
  }

  private func response(
    _ context: Context, errors: [String: FieldError], status: HTTPResponse.Status
  ) throws -> Response {
    let (contact, channels) = try services.site.database.read { reader in
      let contact = try services.ownContact(context, in: reader)
      return (contact, try services.channels.all(of: contact, in: reader))
    }
    let view = ChannelsView(
      contact: contact, channels: channels, offers: services.channelOffers,
      errors: errors.texts(context), context)
    return page.response(view, context, status: status)
  }
}
