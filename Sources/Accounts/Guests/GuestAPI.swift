import Core
import Web

/// `/api/v1/auth/guest…`: accounts without an address.
struct GuestAPI {
  private let services: AccountsEnvironment

  init(_ services: AccountsEnvironment) {
    self.services = services
  }

  var routes: [Route] {
    [
      .api(
        .post, "/auth/guest", .anyone,
        Operation(
          "Create a guest account", .signingIn,
          note:
            "The recovery code, needed if the device is lost, is returned only once.",
          errors: [.registrationClosed, .rateLimited]), options: [.withoutViewer, .emptyBody],
        handler: begin),
      .api(
        .post, "/auth/guest/recover", .anyone,
        Operation(
          "Sign in as a guest", .signingIn,
          errors: [.invalidCredentials, .deviceAlreadyBound, .rateLimited]),
        options: .withoutViewer, handler: recover),
      .api(
        .post, "/auth/guest/upgrade", .atLeast(.guest),
        Operation(
          "Become a member", .signingIn,
          note: "The mailed link asks for the password. The guest keeps all their data.",
          errors: [.forbidden, .rateLimited, .unavailable]), handler: upgrade),
    ]
  }

  struct Begin: JSONRequest {
    var displayName: String?
    var device: ID<Device>?
    var acceptsTerms: Bool?
    var invitation: String?
    var groupCode: String?

    static let jsonName = "NewGuest"
    static let jsonFields: [InputField<Self>] = [
      .optional(
        "display_name",
        note:
          "1 to \(AccountRules.displayNameLimits.characters) characters; generated if omitted.",
        bounds: TextFieldLimits.filled, example: "Kim"
      ) { $0.displayName = $1 },
      .optional("device_id", note: "Binds the device.") { $0.device = $1 },
      .optional("accept_terms", note: TextFieldLimits.termsNote) { $0.acceptsTerms = $1 },
      .optional("invitation", note: TextFieldLimits.invitationNote) { $0.invitation = $1 },
      .optional(
        "group_code",
        note: "The code of a group, or the link in its QR code. It counts as an invitation.",
        example: "K7M2QX"
      ) { $0.groupCode = $1 },
    ]
  }

  @Sendable private func begin(
    _ input: Begin, _ context: Context
  ) throws -> Created<GuestTokenResponse> {
    var errors: [String: FieldError] = [:]
    let name = AccountRules.name(
      input.displayName ?? context.text("api_auth.guest_name"),
      limits: AccountRules.displayNameLimits, field: "display_name", &errors)
    guard errors.isEmpty else { throw Problem.invalid(errors) }
    let isInvited = try input.groupCode.map { try services.isGroupInvitation($0, context) } ?? false
    let (guest, code) = try GuestService(services: services).make(
      .init(
        name: name, language: context.language, timeZone: nil,
        termsVersion: input.acceptsTerms == true ? services.legal.termsVersion : "",
        invitation: input.invitation),
      counts: !isInvited, from: context.address, now: context.now)
    let tokens = try start(guest, nil, input.device, context)
    return Created(GuestTokenResponse(tokens: tokens, code: code))
  }

  struct Recover: JSONRequest {
    var code = ""
    var device: ID<Device>?

    static let jsonName = "GuestRecovery"
    static let jsonFields: [InputField<Self>] = [
      .required(
        "recovery_code", bounds: TextFieldLimits.filled, example: "ABCD-EFGH-JKLM-NPQR"
      ) { $0.code = $1 },
      .optional("device_id") { $0.device = $1 },
    ]
  }

  @Sendable private func recover(_ input: Recover, _ context: Context) throws -> TokenResponse {
    if input.code.asOneLine.isEmpty {
      throw Problem.invalid(["recovery_code": .empty("recovery_code")])
    }
    let shown = try GuestService(services: services).find(
      input.code, from: context.address, now: context.now)
    guard let shown else {
      context.note(.signInFailed)
      throw Problem(.invalidCredentials)
    }
    return try start(shown.person, shown, input.device, context)
  }

  /// `shown` is the verified credential, which must still be valid; nil for a new guest.
  private func start(
    _ guest: ID<Person>, _ shown: VerifiedCredentials?, _ device: ID<Device>?, _ context: Context
  ) throws -> TokenResponse {
    let pair = try services.site.database.write { writer in
      guard try shown?.isStillValid(services, in: writer) ?? true else {
        throw Problem(.invalidCredentials)
      }
      return try services.tokens.start(
        guest, from: .init(device: device, app: context.userAgent), now: context.now, in: writer)
    }
    context.note(.signInSucceeded, of: .person(guest))
    return try services.answer(pair, now: context.now)
  }

  struct Upgrade: JSONRequest {
    var email = ""
    var password = ""
    var acceptsTerms: Bool?

    static let jsonName = "GuestUpgrade"
    static let jsonFields: [InputField<Self>] = [
      .required("email", bounds: TextFieldLimits.email, example: "kim@example.test") {
        $0.email = $1
      },
      .required(
        "password", note: TextFieldLimits.newPasswordNote, bounds: TextFieldLimits.newPassword,
        example: "lantern river seven"
      ) { $0.password = $1 },
      .optional("accept_terms", note: TextFieldLimits.termsNote) { $0.acceptsTerms = $1 },
    ]
  }

  @Sendable private func upgrade(_ input: Upgrade, _ context: Context) throws -> AcceptedEmpty {
    let guest = try context.signedIn()
    guard guest.role == .guest else { throw Problem(.forbidden) }
    try Problem.forValidationErrors {
      try SignUpService(services: services).upgrade(
        guest, email: input.email, password: input.password,
        by: services.appRegistrant(input.acceptsTerms, context), now: context.now)
    }
    return AcceptedEmpty()
  }
}
