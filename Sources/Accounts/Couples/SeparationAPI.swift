import Core
import Web

/// `/api/v1/couples/{id}/part` and `/undo-part` (docs/developer/product.md#parting).
struct SeparationAPI {
  private let services: AccountsEnvironment

  init(_ services: AccountsEnvironment) {
    self.services = services
  }

  var routes: [Route] {
    [
      .api(
        .post, "/couples/:id/part", .atLeast(.member),
        Operation(
          "Separate from your partner", .couples,
          note: "Freezes the couple. Both partners together can undo this within 30 days. Requires "
            + "reauthentication.",
          errors: [.reauthenticationRequired, .conflict, .rateLimited, .unavailable]),
        handler: part),
      .api(
        .post, "/couples/:id/undo-part", .atLeast(.member),
        Operation(
          "Undo a separation", .couples,
          note: "Both partners must call this. The first call records the request; the second "
            + "makes the couple `active` again.", errors: [.conflict]), handler: undo),
    ]
  }

  @Sendable private func part(_ input: ReauthenticationRequest, _ context: Context) throws
    -> CoupleResponse
  {
    let viewer = try context.signedIn()
    let couple = try own(context)
    guard couple.status == .active else { throw Problem(.conflict) }
    try input.check(for: .partCouple, services, context)
    // The partner may have separated first.
    guard try services.parting.part(viewer, now: context.now) else { throw Problem(.conflict) }
    return try services.record(of: couple.id, context)
  }

  @Sendable private func undo(_ context: Context) throws -> CoupleResponse {
    let viewer = try context.signedIn()
    let couple = try own(context)
    switch try services.parting.undo(viewer, now: context.now) {
    case .requested, .undone: return try services.record(of: couple.id, context)
    case .tooLate: throw Problem(.conflict)
    }
  }

  /// The viewer's own couple, frozen or not. Throws 403 for another visible couple and 404
  /// otherwise.
  private func own(_ context: Context) throws -> CoupleProfile {
    let card = try CoupleService(services: services).seen(context.id(), by: context.viewer)
    guard card.id == context.viewer?.couple?.id else { throw Problem.forbidden }
    return card
  }
}
