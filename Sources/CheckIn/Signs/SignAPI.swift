import Web

/// `/api/v1/checkin/ping/{token}`: a check-in by home automation or a phone's shortcut.
struct SignAPI {
  private let service: SignService

  init(_ services: CheckInEnvironment) {
    service = SignService(services: services)
  }

  var routes: [Route] {
    [
      .api(
        .post, "/checkin/ping/:token", .anyone,
        Operation(
          "Check in with a ping address", .checkIn,
          note: """
            For home automation or a phone's shortcut. The address is made and revoked on \
            `/checkin/signs`, and needs no other authorization. Counts as today's check-in, except \
            during a pause. 404 for an unknown token.
            """,
          errors: [.rateLimited], path: ["token": "The end of the address."]),
        options: .withoutViewer, handler: ping)
    ]
  }

  @Sendable private func ping(_ context: Context) throws -> NoContent {
    let isKnown = try service.call(
      with: context.parameters["token"] ?? "", from: context.address, now: context.now)
    guard isKnown else { throw Problem.notFound }
    return NoContent()
  }
}
