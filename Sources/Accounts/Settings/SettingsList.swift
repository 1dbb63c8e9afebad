import Core
import Web

/// The list of settings as wide screens show it beside each page of settings.
public struct SettingsList: SettingsMenu {
  /// The pages of other modules in the list. The pages of the group "About" are not among them: most
  /// of their visitors come from elsewhere.
  private static let pagesElsewhere = [
    AccountLinks.checkInSettings, AccountLinks.contacts, AccountLinks.wallet,
    AccountLinks.workoutSharing, AccountLinks.deletedPosts, AccountLinks.deletedPhotos,
    AccountLinks.deletedWorkouts,
  ]

  public init() {}

  public func groups(
    for viewer: Viewer, at path: String, hasCoins: Bool
  ) -> [SettingsMenuGroup]? {
    guard Self.hasList(path) else { return nil }
    return SettingsEntries.visible(to: viewer, hasCoins: hasCoins).map { group in
      SettingsMenuGroup(
        id: group.id, textKey: group.textKey,
        entries: group.entries.map {
          SettingsMenuEntry(link: $0.link, icon: $0.icon, textKey: $0.textKey)
        })
    }
  }

  private static func hasList(_ path: String) -> Bool {
    path.hasPrefix("\(AccountLinks.settings)/")
      || pagesElsewhere.contains { path == $0 || path.hasPrefix("\($0)/") }
  }
}
