import Core
import HTTPTypes
import Templates
import Web

/// `/messages/{id}/settings`: the hours without notices of one conversation.
struct MutedHoursPages {
  private enum Choice: String, CaseIterable {
    case never
    case hours
    case always

    init(_ hours: MutedHours?) {
      switch hours {
      case nil: self = .never
      case .some(let hours): self = hours.isAlways ? .always : .hours
      }
    }

    func name(_ context: Context) -> String {
      switch self {
      case .never: context.text("messages.mute_never")
      case .hours: context.text("messages.mute_hours")
      case .always: context.text("messages.mute_always")
      }
    }
  }

  /// The hours in the form of a conversation without muted hours: 22:00 to 7:00, in minutes.
  private static let usual = MutedHours(from: 22 * 60, to: 7 * 60)

  private let services: MessagesEnvironment
  private let page: Page<MutedHoursView>

  init(_ services: MessagesEnvironment) throws {
    self.services = services
    page = try Page(
      "messages/conversation-settings", title: "messages.conversation_settings",
      in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let conversation = try conversation(context)
    let hours = conversation.mutedHours
    let times = hours.flatMap { $0.isAlways ? nil : $0 } ?? Self.usual
    return response(
      conversation, Choice(hours), from: times.map { MutedHours.text($0.from) } ?? "",
      to: times.map { MutedHours.text($0.to) } ?? "", errors: [:], status: .ok, context)
  }

  @Sendable func save(_ context: Context) throws -> Response {
    guard let choice = Choice(rawValue: context.form["mute"]) else { throw Problem.badRequest }
    let conversation = try conversation(context)
    let (sentFrom, sentTo) = (context.form["from"].asOneLine, context.form["to"].asOneLine)
    var errors: [String: FieldError] = [:]
    let hours: MutedHours?
    switch choice {
    case .never: hours = nil
    case .always: hours = MutedHours.always
    case .hours:
      let (from, to) = (Self.minute(sentFrom), Self.minute(sentTo))
      if from == nil { errors["from"] = FieldError("error.mute_time") }
      if to == nil { errors["to"] = FieldError("error.mute_time") }
      if from != nil, from == to { errors["to"] = FieldError("error.mute_same") }
      hours = from.flatMap { from in to.flatMap { MutedHours(from: from, to: $0) } }
    }
    guard errors.isEmpty else {
      return response(
        conversation, choice, from: sentFrom, to: sentTo, errors: errors,
        status: .unprocessableContent, context)
    }
    try ConversationService(services: services).mute(
      conversation.id, hours, by: context.signedIn(), now: context.now)
    context.flash("toast.saved")
    return .seeOther(MessageLinks.conversation(conversation.id))
  }

  private func conversation(_ context: Context) throws -> Conversation {
    try MessageService(services: services).conversation(context.id(), for: context.signedIn())
  }

  private func response(
    _ conversation: Conversation, _ choice: Choice, from: String, to: String,
    errors: [String: FieldError], status: HTTPResponse.Status, _ context: Context
  ) -> Response {
    let view = MutedHoursView(
      conversation: conversation.id, name: MessageFormatter(context).title(of: conversation),
      choices: Choice.allCases.map {
        ChoiceView(value: $0.rawValue, name: $0.name(context), isChosen: $0 == choice)
      },
      from: from, to: to, errors: errors.texts(context))
    return page.response(view, context, status: status)
  }

  // MARK: Times of day

  /// The minute of the day of "22:00" or "22:00:00"; nil for anything else.
  private static func minute(_ text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3, parts.allSatisfy({ $0.count == 2 }),
      let hour = Int(parts[0], in: 0...23), let minute = Int(parts[1], in: 0...59)
    else { return nil }
    return hour * 60 + minute
  }
}

struct MutedHoursView: FormContent {
  let conversation: ID<Conversation>
  let name: String
  let choices: [ChoiceView]
  let from: String
  let to: String
  let errors: [String: String]

  static let fields: [String: Field<MutedHoursView>] = formFields(
    errors: ["from", "to"],
    [
      "action": .text { MessageLinks.settings(of: $0.conversation) },
      "link": .text { MessageLinks.conversation($0.conversation) },
      "settings_link": .text { _ in MessageLinks.settings },
      "name": .text { $0.name },
      "choices": .list { $0.choices },
      "from": .text { $0.from },
      "to": .text { $0.to },
    ])
}
