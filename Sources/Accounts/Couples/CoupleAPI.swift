import Core
import Database
import Images
import Web

/// `/api/v1/couples/{id}` and the avatars of couples and users.
struct CoupleAPI {
  private let services: AccountsEnvironment
  private let profiles: ProfileStore

  private var service: CoupleService { CoupleService(services: services) }
  private var avatars: AvatarService { AvatarService(services: services) }

  init(_ services: AccountsEnvironment) {
    self.services = services
    profiles = ProfileStore(
      database: services.site.database, baseURL: services.site.baseURL)
  }

  var routes: [Route] {
    let picture: [Operation.Part] = [
      .init(
        "file", .file, isRequired: true,
        note: "JPEG, PNG, HEIC, WebP or GIF, at most 12 MB and 50 megapixels; cropped to a square.")
    ]
    let errors: [APIErrorCode] = [.notAcceptablePicture, .unavailable]
    return [
      .api(.get, "/couples/:id", .anyone, Operation("Get a couple", .couples), handler: show),
      .api(
        .patch, "/couples/:id", .atLeast(.member),
        Operation(
          "Change your couple", .couples,
          note: "For either partner, unless the couple is frozen. Omitted fields stay unchanged. A "
            + "user without a partner has no anniversary."),
        options: .closedToSuspended, handler: change),
      .api(
        .put, "/couples/:id/avatar", .atLeast(.member),
        Operation("Set your couple's picture", .couples, errors: errors), form: picture,
        options: .closedToSuspended, bodyLimit: 13 << 20, handler: setCouples),
      .api(
        .put, "/account/avatar", .atLeast(.member),
        Operation("Set your profile picture", .account, errors: errors), form: picture,
        options: .closedToSuspended, bodyLimit: 13 << 20, handler: setOwn),
    ]
  }

  struct CoupleChange: JSONRequest {
    var sent = CoupleService.Input()

    static let jsonFields: [InputField<Self>] = [
      .optional(
        "couple_name", note: "1 to \(AccountRules.coupleNameLimits.characters) characters.",
        bounds: TextFieldLimits.filled, example: "Mei & Jun"
      ) { $0.sent.name = $1 },
      .optional("anniversary", note: "Not before 1900 and not in the future.") {
        (input: inout Self, day: LocalDay) in input.sent.anniversary = day.description
      },
      .optional(
        "bio", note: "Up to \(AccountRules.bioLimits.characters) characters.",
        example: "We walk a lot."
      ) { $0.sent.bio = $1 },
    ]
  }

  @Sendable private func show(_ context: Context) throws -> CoupleResponse {
    try services.record(of: context.id(), context)
  }

  @Sendable private func change(
    _ input: CoupleChange, _ context: Context
  ) throws -> CoupleResponse {
    let viewer = try context.signedIn()
    let card = try service.own(context.id(), of: viewer)
    var errors: [String: FieldError] = [:]
    let change = CoupleService.check(input.sent, of: card, now: context.now, &errors)
    guard errors.isEmpty else { throw Problem.invalid(errors) }
    try services.site.database.write {
      try service.save(change, of: card.id, by: viewer, in: $0)
    }
    return try services.record(of: card.id, context)
  }

  @Sendable private func setCouples(_ form: Form, _ context: Context) throws -> CoupleResponse {
    let viewer = try context.signedIn()
    let couple = try service.own(context.id(), of: viewer).id
    try replace(form, of: viewer, couple, isCouples: true) { writer in
      // The couple may have separated since the request began.
      guard try services.couples.isOpen(couple, to: viewer, in: writer) else {
        throw Problem.forbidden
      }
    }
    return try services.record(of: couple, context)
  }

  @Sendable private func setOwn(_ form: Form, _ context: Context) throws -> UserProfile {
    let viewer = try context.signedIn()
    _ = try Self.file(form)
    let couple = try avatars.folder(of: viewer, now: context.now)
    try replace(form, of: viewer, couple, isCouples: false) { _ in }
    return try profiles.profile(of: viewer)
  }

  private func replace(
    _ form: Form, of viewer: Viewer, _ couple: ID<Couple>, isCouples: Bool,
    if isStill: (WriteTransaction) throws -> Void
  ) throws {
    do {
      try avatars.replace(
        with: Self.file(form), of: viewer, couple, isCouples: isCouples, if: isStill)
    } catch let error as PictureError {
      if case .failed(let reason) = error { throw PictureProcessingError(reason: reason) }
      throw error.problem(fields: ["file": error.avatarError])
    }
  }

  private static func file(_ form: Form) throws -> UploadedFile {
    guard let file = form.files.first(where: { $0.fieldName == "file" }) else {
      throw Problem.invalid(["file": FieldError("api.field_missing")])
    }
    return file
  }
}
