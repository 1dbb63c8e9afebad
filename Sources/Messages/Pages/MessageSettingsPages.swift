import Core
import Templates
import Web

/// `/messages/settings`: what notices show, and read marks, for all conversations.
struct MessageSettingsPages {
  private let services: MessagesEnvironment
  private let page: Page<MessageSettingsView>

  private var service: ConversationService { ConversationService(services: services) }

  init(_ services: MessagesEnvironment) throws {
    self.services = services
    page = try Page("messages/settings", title: "messages.settings", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let settings = try service.settings(of: context.signedIn())
    return page.response(MessageSettingsView(settings: settings), context)
  }

  /// Browsers don't send unchecked boxes.
  @Sendable func save(_ context: Context) throws -> Response {
    let settings = MessageSettings(
      showsContent: context.form.has("shows_content"),
      sharesReads: context.form.has("shares_reads"))
    try service.save(settings, of: context.signedIn())
    context.flash("toast.saved")
    return .seeOther(MessageLinks.settings)
  }
}

struct MessageSettingsView: View {
  let settings: MessageSettings

  static let fields: [String: Field<MessageSettingsView>] = [
    "action": .text { _ in MessageLinks.settings },
    "list_link": .text { _ in MessageLinks.messages },
    "shows_content": .flag { $0.settings.showsContent },
    "shares_reads": .flag { $0.settings.sharesReads },
  ]
}
