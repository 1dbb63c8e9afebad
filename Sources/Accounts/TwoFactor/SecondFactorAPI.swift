import Core
import Secrets
import Web

/// `/api/v1/account/totp`: the second factor.
struct SecondFactorAPI {
  private let services: AccountsEnvironment

  private var service: SecondFactorSettingsService {
    SecondFactorSettingsService(services: services)
  }

  init(_ services: AccountsEnvironment) {
    self.services = services
  }

  var routes: [Route] {
    let asking: [APIErrorCode] = [.reauthenticationRequired, .rateLimited, .unavailable]
    return [
      .api(
        .post, "/account/totp", .atLeast(.member),
        Operation(
          "Start setting up two-factor authentication", .account,
          note: "The secret expires after an hour unless it is confirmed with a code.",
          errors: [.conflict]),
        options: .noStore, handler: begin),
      .api(
        .post, "/account/totp/confirm", .atLeast(.member),
        Operation(
          "Turn on two-factor authentication", .account,
          note: "Requires a code from the app and the password, so that someone with an unlocked "
            + "phone cannot lock out its owner. Ends all other sessions. The recovery codes are "
            + "shown this once.", errors: asking), options: .noStore, handler: confirm),
      .api(
        .delete, "/account/totp", .atLeast(.member),
        Operation(
          "Turn off two-factor authentication", .account,
          note: "Requires reauthentication, and a code from the app or a recovery code in `totp`. "
            + "Not allowed for staff.",
          errors: asking + [.secondFactorRequired, .notFound]),
        handler: turnOff),
    ]
  }

  struct Setup: JSONResponse {
    let secret: String
    let address: String

    static let jsonName = "SecondFactorSetup"
    static let jsonFields: [JSONField<Self>] = [
      JSONField("secret", note: "Base32.", example: "JBSWY3DPEHPK3PXP") { $0.secret },
      JSONField(
        "otpauth_url", note: "For a QR code.",
        example: "otpauth://totp/PairSpot:mei%40example.test?secret=JBSWY3DPEHPK3PXP"
      ) { $0.address },
    ]
  }

  struct Codes: JSONResponse {
    let codes: [String]

    static let jsonName = "RecoveryCodes"
    static let jsonFields: [JSONField<Self>] = [
      JSONField("recovery_codes", example: ["12345-67890"]) { $0.codes }
    ]
  }

  struct Confirmation: JSONRequest {
    var code = ""
    var reauthentication = ReauthenticationRequest()

    static let jsonName = "SecondFactorConfirmation"
    static let jsonFields: [InputField<Self>] = [
      .required("code", note: "A code from the app.", example: "123456") { $0.code = $1 },
      .optional("password", example: "lantern river seven") { $0.reauthentication.password = $1 },
    ]
  }

  struct TurningOff: JSONRequest {
    var code = ""
    var reauthentication = ReauthenticationRequest()

    static let jsonName = "SecondFactorEnd"
    static let jsonFields: [InputField<Self>] = [
      .optional("totp", note: "A code from the app, or a recovery code.", example: "123456") {
        $0.code = $1
      },
      .optional("password", example: "lantern river seven") { $0.reauthentication.password = $1 },
      .optional("code", note: "The code mailed by `POST /auth/reauthenticate`.", example: "123456")
      {
        $0.reauthentication.code = $1
      },
    ]
  }

  @Sendable private func begin(_ context: Context) throws -> Created<Setup> {
    let viewer = try context.signedIn()
    if try services.secondFactor.isOn(viewer.id) { throw Problem(.conflict) }
    let (waiting, address) = try services.site.database.write { writer in
      try services.secondFactor.begin(viewer.id, now: context.now, in: writer)
      return (
        try services.secondFactor.waiting(viewer.id, now: context.now, in: writer),
        try services.people.address(of: viewer.id, in: writer)
      )
    }
    guard let waiting else { throw Problem(.conflict) }
    let secret = Base32.text(waiting.secret)
    return Created(
      Setup(
        secret: secret,
        address: SecondFactorSetup.address(
          secret: secret, account: address ?? viewer.avatar.name)))
  }

  @Sendable private func confirm(_ input: Confirmation, _ context: Context) throws -> Codes {
    try input.reauthentication.check(for: .turnSecondFactorOn, services, context)
    guard let codes = try service.turnOn(input.code, context) else { throw Self.wrong("code") }
    return Codes(codes: codes.map(\.text))
  }

  @Sendable private func turnOff(_ input: TurningOff, _ context: Context) throws -> NoContent {
    let viewer = try context.signedIn()
    try service.allow(.off, viewer)
    try input.reauthentication.check(for: .turnSecondFactorOff, services, context)
    guard !input.code.isEmpty else { throw Problem(.secondFactorRequired) }
    let isOff = try service.change(with: input.code, context) {
      try services.secondFactor.turnOff(viewer.id, now: context.now, in: $0)
    }
    guard isOff else { throw Self.wrong("totp") }
    return NoContent()
  }

  private static func wrong(_ field: String) -> Problem {
    .invalid([field: FieldError("error.code_wrong")])
  }
}
