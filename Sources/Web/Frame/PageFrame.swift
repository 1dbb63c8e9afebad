import Core
import Templates

/// The frame of every page: head, header, tabs, footer.
public struct PageFrame: View {
  let title: String
  let language: Language
  let theme: Theme
  let units: LengthUnits
  let assets: String
  let csrf: String
  let path: String
  let toast: Toast?
  let me: CurrentUserView?
  let browserUser: String?
  let tabs: [NavigationItemView]
  let rail: [RailItemView]
  let staff: StaffRailView?
  let settings: SettingsMenuView?
  /// The number of unread notices: "3", "99+"; nil for none.
  let unread: String?
  /// Nil for none, and for guests.
  let unreadMessages: UnreadMessagesView?
  let travel: TravelView?

  /// The frame of one request's page.
  init(_ context: Context, title: PageTitle) {
    self.title = title.text(context)
    language = context.language
    theme = context.theme
    units = context.units
    assets = context.site.assets()
    csrf = context.csrfToken()
    path = context.path
    toast = context.takeToast()
    me = context.viewer.map { CurrentUserView($0, hasCoins: context.site.hasCoins) }
    browserUser = context.browserUser
    tabs = NavigationItemView.all(context, in: context.language)
    staff = StaffRailView(context)
    settings = SettingsMenuView(context)
    let counts = context.unreadCounts
    unread = UnreadCounts.mark(counts.notices)
    unreadMessages = counts.messages > 0 ? UnreadMessagesView(count: counts.messages) : nil
    rail = RailItemView.all(context, me, unread: unread, messages: unreadMessages)
    travel = TravelView(context)
  }

  /// A page that is the same for every viewer, in a language that its address names: the same bytes
  /// for all, without a token, so that a browser may cache it
  /// (docs/developer/architecture.md#rules).
  init(withoutViewer context: Context, title: String, language: Language) {
    self.title = context.site.catalogues.text(title, in: language)
    self.language = language
    theme = .auto
    units = .metres
    assets = context.site.assets()
    csrf = ""
    path = context.path
    toast = nil
    me = nil
    browserUser = nil
    tabs = NavigationItemView.all(context, in: language)
    rail = []
    staff = nil
    settings = nil
    unread = nil
    unreadMessages = nil
    travel = nil
  }

  public static let fields: [String: Field<PageFrame>] = [
    "title": .text { $0.title },
    "language": .text { $0.language.rawValue },
    "language_en": .flag { $0.language == .english },
    "language_zh_hant": .flag { $0.language == .traditionalChinese },
    "language_zh_hans": .flag { $0.language == .simplifiedChinese },
    "feet": .flag { $0.units == .feet },
    "theme": .text { $0.theme.rawValue },
    "theme_auto": .flag { $0.theme == .auto },
    "theme_light": .flag { $0.theme == .light },
    "theme_dark": .flag { $0.theme == .dark },
    "assets": .text { $0.assets },
    "csrf": .text { $0.csrf },
    "path": .text { $0.path },
    "toast": .optional { $0.toast },
    "member": .flag { $0.me != nil },
    "signed_out": .flag { $0.me == nil },
    "me": .optional { $0.me },
    "browser_user": .optionalText { $0.browserUser },
    "tabs": .list { $0.tabs },
    "rail": .list { $0.rail },
    "staff": .optional { $0.staff },
    "settings": .optional { $0.settings },
    "unread": .optionalText { $0.unread },
    "unread_messages": .optional { $0.unreadMessages },
    "travel": .optional { $0.travel },
    "blanks": .optional { _ in BlanksView() },
  ]
}

/// Placeholders ("#") for the figures of a text that a page passes to its scripts, which fill them
/// in.
public struct BlanksView: View {
  public static let fields: [String: Field<BlanksView>] = [
    "day": .text { _ in "#" }, "time": .text { _ in "#" }, "what": .text { _ in "#" },
    "unit": .text { _ in "#" }, "maximum": .text { _ in "#" }, "value": .text { _ in "#" },
  ]
}

/// The viewer, as the header shows them.
public struct CurrentUserView: View {
  let avatar: AvatarView
  let coupleName: String?
  let coupleLink: String
  let partner: AvatarView?
  let isGuest: Bool
  let isStaff: Bool
  let hasWallet: Bool

  init(_ viewer: Viewer, hasCoins: Bool) {
    hasWallet = hasCoins && viewer.role >= .member
    isGuest = viewer.role == .guest
    isStaff = viewer.role >= .moderator
    avatar = AvatarView(viewer.avatar)
    // After a separation the header shows the person alone; the link to the couple's page stays.
    let isTogether = viewer.couple.map { $0.status != .frozen } ?? false
    coupleName = isTogether ? viewer.couple?.name : nil
    coupleLink = viewer.couple.map { WebLinks.couple($0.id) } ?? ""
    partner = isTogether ? viewer.couple?.partner.map(AvatarView.init) : nil
  }

  public static let fields: [String: Field<CurrentUserView>] = [
    "name": .text { $0.avatar.name },
    "initials": .text { $0.avatar.initials },
    "avatar": .optionalText { $0.avatar.avatar },
    "couple_name": .optionalText { $0.coupleName },
    "couple_link": .text { $0.coupleLink },
    "partner": .optional { $0.partner },
    "guest": .flag { $0.isGuest },
    "admin_link": .optionalText { $0.isStaff ? WebLinks.admin : nil },
    "forget_link": .text { _ in WebLinks.forget },
    "wallet_link": .optionalText { $0.hasWallet ? WebLinks.wallet : nil },
  ]
}

/// A person as a small round picture, or their initials.
public struct AvatarView: View {
  let name: String
  let avatar: String?

  public init(_ avatar: Viewer.Avatar) {
    self.init(name: avatar.name, avatar: avatar.avatar)
  }

  public init(name: String, avatar: String?) {
    self.name = name
    self.avatar = avatar
  }

  /// One character for Chinese, Japanese and Korean names, the first characters of two words for
  /// others.
  var initials: String {
    let bytes = name.utf8
    guard let start = bytes.firstIndex(where: Self.isLetter),
      let end = bytes.lastIndex(where: Self.isLetter)
    else { return "?" }
    let isWide =
      bytes[start] >= 0x80 && name[start].unicodeScalars.first.map { $0.value >= 0x2E80 } ?? false
    guard !isWide, let gap = bytes[start...end].lastIndex(where: { !Self.isLetter($0) }) else {
      return capital(at: start)
    }
    return capital(at: start) + capital(at: bytes.index(after: gap))
  }

  /// The character at a place as a capital. Most names are of ASCII, where its end is known.
  private func capital(at start: String.Index) -> String {
    let bytes = name.utf8
    let next = bytes.index(after: start)
    guard 0x21..<0x7F ~= bytes[start], next == bytes.endIndex || bytes[next] < 0x80 else {
      return name[start].uppercased()
    }
    return String(Unicode.Scalar(bytes[start])).uppercased()
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte != UInt8(ascii: " ") && byte != UInt8(ascii: "-")
  }

  public static let fields: [String: Field<AvatarView>] = [
    "name": .text { $0.name },
    "initials": .text { $0.initials },
    "avatar": .optionalText { $0.avatar },
  ]
}

/// One of the modules in the tab bar and the rail.
public struct NavigationItemView: View {
  let href: String
  let icon: String
  let label: String
  let current: Bool

  static func all(_ context: Context, in language: Language) -> [NavigationItemView] {
    context.site.tabs.map { NavigationItemView($0, context, in: language) }
  }

  private init(_ tab: AppEnvironment.NavigationItem, _ context: Context, in language: Language) {
    href = tab.path
    icon = tab.icon
    label = context.site.catalogues.text(tab.textKey, in: language)
    // The pages below a module's address belong to it; every address is below the feed's.
    current =
      tab.path == context.path || (tab.path != "/" && context.path.hasPrefix("\(tab.path)/"))
  }

  public static let fields: [String: Field<NavigationItemView>] = [
    "href": .text { $0.href },
    "icon": .text { $0.icon },
    "label": .text { $0.label },
    "current": .flag { $0.current },
  ]
}

/// The addresses that the frame of every page links to.
public enum WebLinks {
  static let admin = "/admin"
  /// The admins' page of trainings; the staff's front page links to it.
  public static let adminTrainings = "/admin/trainings"
  static let forget = "/settings/delete"
  static let search = "/search"
  static let notices = "/notifications"
  static let messages = "/messages"
  static let settings = "/settings"
  public static let wallet = "/wallet"
  /// The page with the moderators' decisions about the viewer's content.
  public static let decisions = "/settings/decisions"

  public static func couple(_ id: ID<Couple>) -> String { "/couples/\(id)" }
}
