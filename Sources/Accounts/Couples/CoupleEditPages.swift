import Core
import Database
import Images
import Templates
import Web

/// `/couples/{id}/edit`: either partner edits name, anniversary, bio and avatars.
struct CoupleEditPages {
  private let services: AccountsEnvironment
  private let page: Page<CoupleEditView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("couples/edit", title: "couple_edit.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let card = try own(context)
    let entered = CoupleEditView.FormValues(
      name: card.name, anniversary: card.anniversary?.description ?? "", bio: card.bio)
    return response(card, entered, context, errors: [:], status: 200)
  }

  @Sendable func save(_ context: Context) throws -> Response {
    let card = try own(context)
    let form = context.form
    let entered = CoupleEditView.FormValues(
      name: form["couple_name"], anniversary: form["anniversary"], bio: form["bio"])
    var errors: [String: FieldError] = [:]
    let change = CoupleService.check(
      .init(name: entered.name, anniversary: entered.anniversary, bio: entered.bio), of: card,
      now: context.now, &errors)
    guard errors.isEmpty else {
      return response(card, entered, context, errors: errors, status: 422)
    }
    let pictures = try pictures(card, context, &errors)
    guard errors.isEmpty else {
      pictures.forEach(AvatarFiles(services.media).remove)
      return response(card, entered, context, errors: errors, status: 422)
    }
    let replaced = try services.site.database.write { writer -> [String] in
      let viewer = try context.signedIn()
      try service.save(change, of: card.id, by: viewer, in: writer)
      return try pictures.compactMap {
        try AvatarService(services: services).set($0, of: viewer, card.id, in: writer)
      }
    }
    replaced.forEach(AvatarFiles(services.media).remove(thumbPath:))
    context.flash("toast.saved")
    return .seeOther(AccountLinks.couple(card.id))
  }

  private var service: CoupleService { CoupleService(services: services) }

  private func own(_ context: Context) throws -> CoupleProfile {
    try service.own(context.id(), of: context.viewer)
  }

  /// Processes the uploaded pictures; adds an error for each one that fails.
  private func pictures(
    _ card: CoupleProfile, _ context: Context, _ errors: inout [String: FieldError]
  ) throws -> [AvatarFiles.NewAvatar] {
    var made: [AvatarFiles.NewAvatar] = []
    for field in ["own_avatar", "avatar"] {
      guard let file = context.form.files.first(where: { $0.fieldName == field }) else { continue }
      do throws(PictureError) {
        made.append(
          try AvatarService(services: services).make(
            file, for: card.id, isCouples: field == "avatar"))
      } catch {
        errors[field] = try PictureErrorFormatter.error(for: error)
      }
    }
    return made
  }

  private func response(
    _ card: CoupleProfile, _ entered: CoupleEditView.FormValues, _ context: Context,
    errors: [String: FieldError], status: Int
  ) -> Response {
    let view = CoupleEditView(card: card, entered: entered, errors: errors.texts(context))
    return page.response(view, context, status: .init(code: status))
  }
}

struct CoupleEditView: FormContent {
  struct FormValues {
    let name: String
    let anniversary: String
    let bio: String
  }

  let card: CoupleProfile
  let entered: FormValues
  let errors: [String: String]

  static let fields: [String: Field<CoupleEditView>] =
    formFields(
      errors: ["couple_name", "anniversary", "bio", "own_avatar", "avatar"],
      [
        "action": .text { AccountLinks.editCouple($0.card.id) },
        "cancel_link": .text { AccountLinks.couple($0.card.id) },
        "single": .flag { $0.card.status == .single },
        "couple_name": .text { $0.entered.name },
        "anniversary": .text { $0.entered.anniversary },
        "bio": .text { $0.entered.bio },
        "couple_avatar": .optionalText { $0.card.avatar },
      ])
}
