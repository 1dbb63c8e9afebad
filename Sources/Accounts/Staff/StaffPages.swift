import Core
import Templates
import Web

/// `/admin`: the front page of staff. Throws 404 for others, as if the page did not exist.
struct StaffPages {
  private let services: AccountsEnvironment
  private let page: Page<StaffView>
  private let health: @Sendable (Context) throws -> StaffHealth

  init(
    _ services: AccountsEnvironment, health: @escaping @Sendable (Context) throws -> StaffHealth
  ) throws {
    self.services = services
    self.health = health
    page = try Page("staff/admin", title: "admin.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    guard viewer.role >= .moderator else {
      // Staff without a second factor are redirected to its setup, which also names passkeys.
      if try services.staff.isStaff(viewer.id), try !services.secondFactor.isOn(viewer.id) {
        return .seeOther(AccountLinks.secondFactor)
      }
      throw Problem.notFound
    }
    let entries = try services.site.database.read { reader in
      try services.staffEntries.filter { viewer.role >= $0.minimumRole }.map { entry in
        let count = try entry.count?(reader, context.now)
        return SettingsEntryView(
          link: entry.link, icon: entry.icon, name: context.text(entry.textKey),
          value: count.map { context.text("\(entry.textKey)_count", count: $0) } ?? "")
      }
    }
    let view = StaffView(
      viewer: viewer, entries: entries,
      health: viewer.role == .admin ? try health(context) : nil)
    return page.response(view, context)
  }
}

struct StaffView: View {
  let viewer: Viewer
  let entries: [SettingsEntryView]
  /// For admins only.
  let health: StaffHealth?

  static let fields: [String: Field<StaffView>] = [
    "name": .text { $0.viewer.avatar.name },
    "face": .child { AvatarView($0.viewer.avatar) },
    "is_admin": .flag { $0.viewer.role == .admin },
    "entries": .list { $0.entries },
    "health": .optional { $0.health },
  ]
}
