import Core
import Templates
import Web

/// `/settings`: the list of settings with their current values.
struct SettingsPage {
  private let services: AccountsEnvironment
  private let page: Page<SettingsView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("settings/settings", title: "settings.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let settings = services.settings
    let model = try services.site.database.read { reader in
      SettingsModel(
        viewer: viewer, address: try settings.store.address(of: viewer.id, in: reader),
        sessions: try settings.sessions.count(of: viewer.id, now: context.now, in: reader))
    }
    let visible = SettingsEntries.visible(to: viewer, hasCoins: context.site.hasCoins)
    let groups = visible.map { group in
      SettingsGroupView(
        id: group.id, name: context.text(group.textKey),
        entries: group.entries.map {
          SettingsEntryView(
            link: $0.link, icon: $0.icon, name: context.text($0.textKey),
            value: $0.value(model, context), isRed: $0.isRed)
        })
    }
    let view = SettingsView(groups: groups, mayLeave: viewer.role >= .member)
    return page.response(view, context)
  }
}

struct SettingsView: View {
  let groups: [SettingsGroupView]
  /// Whether to offer signing out: a guest could come back only with the recovery code.
  let mayLeave: Bool

  static let fields: [String: Field<SettingsView>] = [
    "groups": .list { $0.groups },
    "may_leave": .flag { $0.mayLeave },
  ]
}

struct SettingsGroupView: View {
  let id: String
  let name: String
  let entries: [SettingsEntryView]

  static let fields: [String: Field<SettingsGroupView>] = [
    "group_id": .text { $0.id },
    "group": .text { $0.name },
    "entries": .list { $0.entries },
  ]
}

struct SettingsEntryView: View {
  let link: String
  let icon: String
  let name: String
  let value: String
  var isRed = false

  static let fields: [String: Field<SettingsEntryView>] = [
    "link": .text { $0.link },
    "icon": .text { $0.icon },
    "name": .text { $0.name },
    "value": .text { $0.value },
    "red": .flag { $0.isRed },
  ]
}
