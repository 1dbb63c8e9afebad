import Core
import Images
import Templates
import Web

/// `/settings/profile`: the viewer's name and picture.
struct ProfileSettingsPages {
  private let services: AccountsEnvironment
  private let page: Page<ProfileSettingsView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("settings/profile", title: "settings_profile.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    return response(viewer.avatar.name, context, errors: [:], status: 200)
  }

  @Sendable func save(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    if context.form.has("remove_avatar") { return try removeAvatar(viewer, context) }
    var errors: [String: FieldError] = [:]
    let name = AccountRules.name(
      context.form["display_name"], limits: AccountRules.displayNameLimits, field: "display_name",
      &errors)
    guard errors.isEmpty else { return wrong(context, errors) }
    let picture = try picture(viewer, context, &errors)
    guard errors.isEmpty else { return wrong(context, errors) }
    let replaced = try services.site.database.write { writer -> String? in
      try SettingsStore.rename(viewer.id, to: name, in: writer)
      return try picture.flatMap {
        try services.couples.setAvatar($0.thumbPath, of: viewer.id, in: writer)
      }
    }
    if let replaced { AvatarFiles(services.media).remove(thumbPath: replaced) }
    return saved(context)
  }

  private func removeAvatar(_ viewer: Viewer, _ context: Context) throws -> Response {
    let removed = try services.site.database.write {
      try services.settings.store.removeAvatar(of: viewer.id, in: $0)
    }
    if let removed { AvatarFiles(services.media).remove(thumbPath: removed) }
    return saved(context)
  }

  /// Processes the uploaded picture, if any; adds an error if it is rejected.
  private func picture(
    _ viewer: Viewer, _ context: Context, _ errors: inout [String: FieldError]
  ) throws -> AvatarFiles.NewAvatar? {
    // The form of guests has no picture field.
    guard viewer.role >= .member,
      let file = context.form.files.first(where: { $0.fieldName == "avatar" })
    else {
      return nil
    }
    let service = AvatarService(services: services)
    let couple = try service.folder(of: viewer, now: context.now)
    do throws(PictureError) {
      return try service.make(file, for: couple, isCouples: false)
    } catch {
      errors["avatar"] = try PictureErrorFormatter.error(for: error)
      return nil
    }
  }

  private func saved(_ context: Context) -> Response {
    context.flash("toast.saved")
    return .seeOther(AccountLinks.profileSettings)
  }

  private func wrong(_ context: Context, _ errors: [String: FieldError]) -> Response {
    response(context.form["display_name"], context, errors: errors, status: 422)
  }

  private func response(
    _ name: String, _ context: Context, errors: [String: FieldError], status: Int
  ) -> Response {
    let view = ProfileSettingsView(
      displayName: name,
      isMember: (context.viewer?.role ?? .anyone) >= .member,
      hasAvatar: context.viewer?.avatar.avatar != nil, errors: errors.texts(context))
    return page.response(view, context, status: .init(code: status))
  }
}

struct ProfileSettingsView: FormContent {
  let displayName: String
  let isMember: Bool
  let hasAvatar: Bool
  let errors: [String: String]

  static let fields: [String: Field<ProfileSettingsView>] =
    formFields(
      errors: ["display_name", "avatar"],
      [
        "display_name": .text { $0.displayName },
        "member": .flag { $0.isMember },
        "has_avatar": .flag { $0.hasAvatar },
      ])
}
