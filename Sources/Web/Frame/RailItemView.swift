import Core
import Templates

/// One of the pages that the rail of wide screens links below the modules.
struct RailItemView: View {
  let href: String
  let icon: String
  let label: String
  let isCurrent: Bool
  /// The number of unread notices or messages: "3", "99+"; nil for none, and for other pages.
  let unread: String?

  /// The pages that the viewer has; none for visitors, who have no rail.
  static func all(
    _ context: Context, _ me: CurrentUserView?, unread: String?, messages: UnreadMessagesView?
  ) -> [RailItemView] {
    guard let me else { return [] }
    var items = [
      RailItemView(WebLinks.search, "search", "search.title", context),
      RailItemView(WebLinks.notices, "bell", "notices.title", unread: unread, context),
    ]
    if !me.isGuest, context.site.unread != nil {
      items.append(
        RailItemView(
          WebLinks.messages, "comment", "messages.title",
          unread: messages.flatMap { UnreadCounts.mark($0.count) }, context))
    }
    if me.hasWallet {
      items.append(RailItemView(WebLinks.wallet, "coin", "layout.wallet", context))
    }
    items.append(RailItemView(WebLinks.settings, "settings", "layout.settings", context))
    return items
  }

  private init(
    _ path: String, _ icon: String, _ textKey: String, unread: String? = nil, _ context: Context
  ) {
    href = path
    self.icon = icon
    label = context.text(textKey)
    isCurrent = context.path == path || context.path.hasPrefix("\(path)/")
    self.unread = unread
  }

  static let fields: [String: Field<RailItemView>] = [
    "href": .text { $0.href },
    "icon": .text { $0.icon },
    "label": .text { $0.label },
    "current": .flag { $0.isCurrent },
    "unread": .optionalText { $0.unread },
  ]
}
