import Core
import HTTPTypes

extension Application {
  /// Answers a web server that asks whether it may take the body of a request: 204, or 401 or 403
  /// with what the sender is told instead. Large bodies are asked about before a byte of them is on
  /// the disk, so only who asks counts, and for what; the form and its token come later.
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
        if let answer = turnAway(route, request, context) { return Self.refusal(answer) }
      }
      if let length = request.contentLength, length > route.bodyLimit { throw Problem.tooLarge }
      return .noContent()
    } catch let problem as Problem {
      return Self.refusal(Response(problem.status))
    } catch {
      site.logger.error("\(error)")
      return Response(.serviceUnavailable)
    }
  }

  /// nginx understands 401 and 403 alone, and reads the rest in these headers.
  private static func refusal(_ answer: Response) -> Response {
    var refusal = Response(answer.status == .unauthorized ? .unauthorized : .forbidden)
    if answer.status == .unauthorized { refusal.headers[.wwwAuthenticate] = "Bearer" }
    refusal.headers[.turnedStatus] = String(answer.status.code)
    refusal.headers[.turnedTo] = answer.headers[.location]
    return refusal
  }
}
