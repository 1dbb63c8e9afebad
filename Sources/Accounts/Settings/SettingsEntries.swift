import Core
import Templates
import Web

/// The viewer's values in the list of settings.
struct SettingsModel {
  let viewer: Viewer
  let address: String?
  let sessions: Int
}

/// An entry of the list of settings: its link, name and current value.
struct SettingsEntry: Sendable {
  let link: String
  let icon: String
  /// The text key of its name.
  let textKey: String
  /// The lowest role that sees it.
  let minimumRole: Role
  /// Whether it is for guests only.
  let isForGuestsAlone: Bool
  /// A further condition on the viewer; nil for none.
  private(set) var applies: (@Sendable (Viewer) -> Bool)?
  /// Whether it leads to something that ends or deletes, and is shown in red.
  private(set) var isRed = false
  let value: @Sendable (SettingsModel, Context) -> String

  init(
    _ link: String, icon: String, _ textKey: String, for minimumRole: Role, alone: Bool = false,
    value: @escaping @Sendable (SettingsModel, Context) -> String = { _, _ in "" }
  ) {
    self.link = link
    self.icon = icon
    self.textKey = textKey
    self.minimumRole = minimumRole
    isForGuestsAlone = alone
    self.value = value
  }
}

/// Entries under one heading.
struct SettingsGroup: Sendable {
  let id: String
  /// The text key of its heading.
  let textKey: String
  let entries: [SettingsEntry]
}

/// The list of settings in order.
enum SettingsEntries {
  static let groups = [
    SettingsGroup(
      id: "you", textKey: "settings.group_you",
      entries: [
        SettingsEntry(
          AccountLinks.becomeMember, icon: "plus", "become_member.title", for: .guest, alone: true
        ),
        SettingsEntry(
          AccountLinks.recoveryCode, icon: "lock", "recovery_code.title", for: .guest, alone: true),
        SettingsEntry(
          AccountLinks.profileSettings, icon: "person", "settings.profile", for: .guest
        ) { facts, _ in facts.viewer.avatar.name },
        SettingsEntry(
          AccountLinks.emailSettings, icon: "mail", "settings.email", for: .member
        ) { facts, _ in facts.address ?? "" },
      ]),
    SettingsGroup(
      id: "sign_in", textKey: "settings.group_sign_in",
      entries: [
        SettingsEntry(
          AccountLinks.passwordSettings, icon: "lock", "settings.password", for: .member),
        SettingsEntry(
          AccountLinks.signInSettings, icon: "key", "settings_sign_in.title", for: .member),
        SettingsEntry(
          AccountLinks.secondFactor, icon: "shield", "second_factor.title", for: .member),
        SettingsEntry(
          AccountLinks.sessionSettings, icon: "device", "settings.sessions", for: .guest
        ) { facts, context in context.text("settings.sessions_count", count: facts.sessions) },
      ]),
    SettingsGroup(
      id: "couple", textKey: "settings.group_couple",
      entries: [
        SettingsEntry(
          AccountLinks.pair, icon: "heart", "pair.title", for: .member
        ).when { $0.couple == nil || $0.couple?.status == .single },
        SettingsEntry(
          AccountLinks.calendar, icon: "calendar", "anniversary.title", for: .member
        ).when { $0.couple?.status == .active },
        SettingsEntry(
          AccountLinks.workoutSharing, icon: "share", "workout_partner.setting", for: .member
        ).when { $0.sharedCouple != nil && $0.couple?.partner != nil },
        SettingsEntry(
          AccountLinks.part, icon: "mark", "separation.title", for: .member
        ).inRed.when { $0.couple?.status == .active || $0.couple?.status == .frozen },
      ]),
    SettingsGroup(
      id: "checkin", textKey: "settings.group_checkin",
      entries: [
        SettingsEntry(
          AccountLinks.checkInSettings, icon: "ghost", "checkin_settings.title", for: .guest),
        SettingsEntry(AccountLinks.contacts, icon: "people", "contact_list.title", for: .guest),
        SettingsEntry(AccountLinks.notices, icon: "bell", "notice_settings.title", for: .guest),
      ]),
    SettingsGroup(
      id: "app", textKey: "settings.group_app",
      entries: [
        SettingsEntry(
          AccountLinks.languageSettings, icon: "globe", "settings.language", for: .guest
        ) { _, context in
          [
            context.text(context.language.textKey),
            context.text(
              context.units == .feet
                ? "settings_language.miles" : "settings_language.kilometres"), context.timeZoneName,
          ].joined(separator: " · ")
        },
        SettingsEntry(AccountLinks.themeSettings, icon: "sun", "settings.theme", for: .guest) {
          _, context in context.text("theme.\(context.theme.rawValue)")
        },
        SettingsEntry(
          AccountLinks.deviceSettings, icon: "bike", "settings_devices.title", for: .guest),
        SettingsEntry(AccountLinks.wallet, icon: "coin", "wallet.title", for: .member),
      ]),
    SettingsGroup(
      id: "privacy", textKey: "settings.group_privacy",
      entries: [
        SettingsEntry(
          AccountLinks.deletedPosts, icon: "pencil", "deleted_posts.title", for: .member),
        SettingsEntry(
          AccountLinks.deletedPhotos, icon: "image", "deleted_photos.title", for: .guest),
        SettingsEntry(
          AccountLinks.deletedWorkouts, icon: "rower", "deleted_workouts.title", for: .guest),
        SettingsEntry(AccountLinks.blocks, icon: "block", "blocks.title", for: .member),
        SettingsEntry(AccountLinks.ownReports, icon: "flag", "own_reports.title", for: .member),
        SettingsEntry(WebLinks.decisions, icon: "table", "own_decisions.title", for: .member) {
          facts, context in
          facts.viewer.suspension == nil ? "" : context.text("own_decisions.is_suspended")
        },
        SettingsEntry(AccountLinks.export, icon: "download", "export.title", for: .guest),
        SettingsEntry(
          AccountLinks.deleteAccount, icon: "sign-out", "guest_deletion.title", for: .guest,
          alone: true
        ).inRed,
        SettingsEntry(
          AccountLinks.deleteAccount, icon: "trash", "settings.delete", for: .member
        ).inRed,
      ]),
    SettingsGroup(
      id: "about", textKey: "settings.group_about",
      entries: [
        SettingsEntry(AccountLinks.help, icon: "help", "footer.help", for: .guest),
        SettingsEntry(AccountLinks.about, icon: "info", "footer.about", for: .guest),
        SettingsEntry(AccountLinks.terms, icon: "page", "footer.terms", for: .guest),
        SettingsEntry(AccountLinks.privacy, icon: "eye-off", "footer.privacy", for: .guest),
      ]),
  ]
}

extension SettingsEntries {
  /// The groups with the entries that this viewer sees, without empty groups.
  static func visible(to viewer: Viewer, hasCoins: Bool) -> [SettingsGroup] {
    groups.map { group in
      SettingsGroup(
        id: group.id, textKey: group.textKey,
        entries: group.entries.filter {
          $0.isFor(viewer) && (hasCoins || $0.link != AccountLinks.wallet)
        })
    }.filter { !$0.entries.isEmpty }
  }
}

extension SettingsEntry {
  /// The same entry in red.
  fileprivate var inRed: SettingsEntry {
    var entry = self
    entry.isRed = true
    return entry
  }

  /// The same entry with a further condition on the viewer.
  fileprivate func when(_ applies: @escaping @Sendable (Viewer) -> Bool) -> SettingsEntry {
    var entry = self
    entry.applies = applies
    return entry
  }

  func isFor(_ viewer: Viewer) -> Bool {
    viewer.role >= minimumRole && (viewer.role == .guest || !isForGuestsAlone)
      && (applies?(viewer) ?? true)
  }
}

extension Language {
  /// The text key of the language's own name.
  var textKey: String {
    switch self {
    case .english: "language.en"
    case .traditionalChinese: "language.zh_hant"
    case .simplifiedChinese: "language.zh_hans"
    }
  }
}
