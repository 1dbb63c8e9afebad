import Core
import HTTPTypes

extension Application {
  /// Answers the web server's question whether it may accept a body: 204, or 401 or 403 with the
  /// response for the sender. The web server asks before it writes a byte of a large body to disk,
  /// so only the caller and the route are checked; the form and its token are checked later.
  func admission(of request: Request, now: Instant) -> Response {
    do {
      guard case .found(let route, let parameters) = router.match(request.method, request.path),
        hosts.passes(request, to: route)
      else { throw Problem.notFound }
      let caller = try Principal.find(request, for: route, site: site, now: now)
      if route.operation != nil {
        try api.admit(caller, to: route)
      } else {
        let context = Context(
          site: site, csrf: csrf, request: request, parameters: parameters, now: now,
          caller: caller)
        if let answer = denyAccess(route, context) { return Self.rejection(answer) }
      }
      if let length = request.contentLength, length > route.bodyLimit { throw Problem.tooLarge }
      return .noContent()
    } catch let problem as Problem {
      return Self.rejection(Response(problem.status))
    } catch {
      site.logger.error("\(error)")
      return Response(.serviceUnavailable)
    }
  }

  /// nginx accepts only 401 and 403 here, and reads the rest from these headers.
  private static func rejection(_ answer: Response) -> Response {
    var rejection = Response(answer.status == .unauthorized ? .unauthorized : .forbidden)
    if answer.status == .unauthorized { rejection.headers[.wwwAuthenticate] = "Bearer" }
    rejection.headers[.turnedStatus] = String(answer.status.code)
    rejection.headers[.turnedTo] = answer.headers[.location]
    return rejection
  }
}
