import Core
import Templates

/// The list of settings, which wide screens show beside each page of settings. Implemented by the
/// accounts module.
public protocol SettingsMenu: Sendable {
  /// The groups that this viewer sees; nil for an address that is no page of settings, and for the
  /// page of the list itself.
  func groups(for viewer: Viewer, at path: String, hasCoins: Bool) -> [SettingsMenuGroup]?
}

/// Links to settings under one heading.
public struct SettingsMenuGroup: Sendable {
  let id: String
  let textKey: String
  let entries: [SettingsMenuEntry]

  public init(id: String, textKey: String, entries: [SettingsMenuEntry]) {
    self.id = id
    self.textKey = textKey
    self.entries = entries
  }
}

/// A page of settings.
public struct SettingsMenuEntry: Sendable {
  let link: String
  let icon: String
  let textKey: String

  public init(link: String, icon: String, textKey: String) {
    self.link = link
    self.icon = icon
    self.textKey = textKey
  }
}

/// The list of settings beside a page.
struct SettingsMenuView: View {
  let groups: [SettingsMenuGroupView]

  init?(_ context: Context) {
    guard let viewer = context.viewer,
      let groups = context.site.settingsMenu?.groups(
        for: viewer, at: context.path, hasCoins: context.site.hasCoins)
    else { return nil }
    self.groups = groups.map { SettingsMenuGroupView($0, context) }
  }

  static let fields: [String: Field<SettingsMenuView>] = ["groups": .list { $0.groups }]
}

struct SettingsMenuGroupView: View {
  let id: String
  let name: String
  let entries: [SettingsMenuEntryView]

  init(_ group: SettingsMenuGroup, _ context: Context) {
    id = group.id
    name = context.text(group.textKey)
    entries = group.entries.map { SettingsMenuEntryView($0, context) }
  }

  static let fields: [String: Field<SettingsMenuGroupView>] = [
    "group_id": .text { $0.id },
    "group": .text { $0.name },
    "entries": .list { $0.entries },
  ]
}

struct SettingsMenuEntryView: View {
  let entry: SettingsMenuEntry
  let label: String
  let isCurrent: Bool

  init(_ entry: SettingsMenuEntry, _ context: Context) {
    self.entry = entry
    label = context.text(entry.textKey)
    isCurrent = context.path == entry.link || context.path.hasPrefix("\(entry.link)/")
  }

  static let fields: [String: Field<SettingsMenuEntryView>] = [
    "href": .text { $0.entry.link },
    "icon": .text { $0.entry.icon },
    "label": .text { $0.label },
    "current": .flag { $0.isCurrent },
  ]
}
