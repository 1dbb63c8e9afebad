import Core
import Secrets
import Web

/// `/api/v1/couples/pair`: inviting a partner and accepting an invitation.
struct PairAPI {
  private let services: AccountsEnvironment

  init(_ services: AccountsEnvironment) {
    self.services = services
  }

  var routes: [Route] {
    [
      .api(
        .post, "/couples/pair", .atLeast(.member),
        Operation(
          "Invite your partner", .couples,
          note: """
            Replaces an earlier invitation and invalidates its link. Repeating the request without \
            an `Idempotency-Key` sends another mail. The response does not reveal whether the \
            address is known.
            """,
          errors: [.conflict, .rateLimited]), options: .idempotent, handler: invite),
      .api(
        .post, "/couples/pair/accept", .atLeast(.member),
        Operation(
          "Accept an invitation", .couples,
          note: "Takes the token from the link that was mailed to you. The couple is `pending` "
            + "until your partner has opened their own link.",
          errors: [.conflict, .linkExpired]), handler: accept),
    ]
  }

  struct PairInvitationRequest: JSONRequest {
    var email = ""

    static let jsonName = "PairInvitationInput"
    static let jsonFields: [InputField<Self>] = [
      .required("email", bounds: TextFieldLimits.email, example: "jun@example.test") {
        $0.email = $1
      }
    ]
  }

  struct PairAcceptance: JSONRequest {
    var token = ""

    static let jsonFields: [InputField<Self>] = [
      .required(
        "token",
        note:
          "The `token` query parameter of the mailed link; an invitation is valid for 7 days.",
        bounds: TextFieldLimits.token, example: TextFieldLimits.tokenExample
      ) { $0.token = $1 }
    ]
  }

  @Sendable private func invite(
    _ input: PairInvitationRequest, _ context: Context
  ) throws -> AcceptedEmpty {
    let viewer = try context.signedIn()
    var errors: [String: FieldError] = [:]
    let email = try services.pairing.partner(input.email, of: viewer, &errors)
    guard errors.isEmpty, let email else { throw Problem.invalid(errors) }
    return try context.answering(
      {
        try services.pairing.invite(
          email, by: viewer, language: context.language, now: context.now)
      },
      { isInvited in
        guard isInvited else { throw Problem(.conflict) }
        return AcceptedEmpty()
      })
  }

  @Sendable private func accept(
    _ input: PairAcceptance, _ context: Context
  ) throws -> CoupleResponse {
    let viewer = try context.signedIn()
    guard let token = Token(input.token) else { throw Problem(.linkExpired) }
    switch try services.pairing.accept(token, by: viewer, now: context.now) {
    case .paired(let couple): return try services.record(of: couple, context)
    case .waiting: return try services.record(of: current(viewer), context)
    case .expired: throw Problem(.linkExpired)
    case .notYours: throw Problem(.forbidden)
    case .alreadyInCouple, .inviterTaken: throw Problem(.conflict)
    }
  }

  private func current(_ viewer: Viewer) throws -> ID<Couple> {
    let couple = try services.site.database.read {
      try MembershipStore().of(viewer.id, in: $0)?.couple
    }
    guard let couple else { throw Problem.notFound }
    return couple
  }
}
