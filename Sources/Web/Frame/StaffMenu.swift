import Core
import Templates

/// The pages of staff, for the rail on wide screens. Implemented by the accounts module, so that
/// `Web` needs no table.
public protocol StaffMenu: Sendable {
  /// The pages that this viewer may open, in order.
  func entries(for viewer: Viewer, now: Instant) throws -> [StaffMenuEntry]
}

/// A page of staff.
public struct StaffMenuEntry: Sendable {
  let path: String
  let icon: String
  let textKey: String
  /// The number of waiting items; nil if nothing is counted.
  let count: Int?

  public init(path: String, icon: String, textKey: String, count: Int? = nil) {
    self.path = path
    self.icon = icon
    self.textKey = textKey
    self.count = count
  }
}

/// The rail of a page of staff.
struct StaffRailView: View {
  let items: [StaffRailItemView]

  /// Nil on other pages, and for others than staff. A failure to count doesn't fail the page.
  init?(_ context: Context) {
    guard let viewer = context.viewer, viewer.role >= .moderator,
      context.path == WebLinks.admin || context.path.hasPrefix("\(WebLinks.admin)/"),
      let entries = try? context.site.staffMenu?.entries(for: viewer, now: context.now)
    else { return nil }
    let glance = StaffMenuEntry(path: WebLinks.admin, icon: "table", textKey: "admin.glance")
    items = ([glance] + entries).map { entry in
      let isBelow = entry.path != WebLinks.admin && context.path.hasPrefix("\(entry.path)/")
      return StaffRailItemView(
        entry: entry, label: context.text(entry.textKey),
        isCurrent: entry.path == context.path || isBelow)
    }
  }

  static let fields: [String: Field<StaffRailView>] = ["items": .list { $0.items }]
}

struct StaffRailItemView: View {
  let entry: StaffMenuEntry
  let label: String
  let isCurrent: Bool

  static let fields: [String: Field<StaffRailItemView>] = [
    "href": .text { $0.entry.path },
    "icon": .text { $0.entry.icon },
    "label": .text { $0.label },
    "current": .flag { $0.isCurrent },
    "waiting": .optionalText { $0.entry.count.flatMap { $0 > 0 ? String($0) : nil } },
  ]
}
