import Core
import Database
import Foundation
import Glibc
import HTTPTypes
import Logging
import Media
import Secrets

/// Handles a request in order: host, session, route, access, form, token, handler, headers, log.
public struct Application: Sendable {
  public let site: AppEnvironment
  public let router: Router
  let csrf: CSRF
  let hosts: HostCheck
  private let log: RequestLog
  private let problems: ProblemPages
  let api: APIPipeline
  private let timeZones: (any TimeZoneRecorder)?

  /// Throws if an error page's template doesn't compile.
  public init(
    site: AppEnvironment, routes: [Route], log: RequestLog, timeZones: (any TimeZoneRecorder)? = nil
  ) throws {
    self.site = site
    router = Router(routes)
    csrf = CSRF(keys: site.keys)
    hosts = HostCheck(own: site.host, isDevelopment: site.isDevelopment)
    self.log = log
    problems = try ProblemPages(site: site)
    api = APIPipeline(site: site)
    self.timeZones = timeZones
  }

  /// Answers one request; never throws.
  public func respond(to request: Request) -> Response {
    let started = ContinuousClock.now
    let now = site.clock.now()
    if request.asksForAuthorization { return admission(of: request, now: now) }
    var answer = Outcome()
    var response = finished(respond(to: request, now: now, &answer), answer)
    // Also on responses that ended before the caller was identified.
    response.headers[.requestID] = request.id
    let spent = ContinuousClock.now - started
    let milliseconds =
      Double(spent.components.seconds) * 1000 + Double(spent.components.attoseconds) / 1e15
    site.metrics.request(
      route: answer.route, status: response.status.code, milliseconds: milliseconds)
    log.note(
      at: now, id: request.id, route: answer.route, status: response.status.code,
      milliseconds: milliseconds, viewer: answer.context?.viewer)
    writeSecurityEvents(request, answer, status: response.status.code, now: now)
    let errors = answer.errors + (answer.context?.errors ?? [])
    if !errors.isEmpty {
      let metadata = RequestLog.metadata(
        id: request.id, route: answer.route, status: response.status.code)
      for message in errors { site.logger.error("\(message)", metadata: metadata) }
    }
    return response
  }

  /// Writes the events noted by handlers, and those that follow from the status.
  private func writeSecurityEvents(
    _ request: Request, _ answer: Outcome, status: Int, now: Instant
  ) {
    let context = answer.context
    let viewer = context?.viewer
    let subject = viewer.map { SecuritySubject.person($0.id) }
    var events = context?.securityEvents ?? []
    if status == 429 { events.append((.limitReached, subject)) }
    if answer.isForStaff, [401, 403, 404].contains(status),
      (viewer?.role ?? .anyone) < .moderator
    {
      events.append((.staffRouteRefused, subject))
    }
    guard !events.isEmpty else { return }
    let origin = SecurityLog.Origin(
      id: request.id, route: answer.route, status: status, address: context?.address)
    for (event, subject) in events {
      site.securityLog.write(event, of: subject, at: now, origin)
    }
  }

  /// The facts about a request that are needed after its response.
  private struct Outcome {
    var route = "-"
    var context: Context?
    var options: Route.Options = []
    /// Whether it is a page or call of moderators and admins.
    var isForStaff = false
    /// Unexpected errors.
    var errors: [String] = []
  }

  private func respond(to request: Request, now: Instant, _ answer: inout Outcome) -> Response {
    do {
      guard request.headers.count <= Request.maximumHeaders else { throw Problem.tooManyHeaders }
      try request.checkLengths()
      let match = router.match(request.method, request.path)
      guard hosts.passes(request, to: match.route) else { throw Problem.wrongHost }
      if site.reloadsTemplates { reloadTemplates() }
      var parameters: [String: String] = [:]
      if case .found(_, let found) = match { parameters = found }
      if case .found(let route, _) = match {
        answer.route = route.name
        answer.options = route.options
        answer.isForStaff = route.isForStaff
      }
      let caller = try Principal.find(request, for: match.route, site: site, now: now)
      let context = Context(
        site: site, csrf: csrf, request: request, parameters: parameters, now: now,
        caller: caller)
      answer.context = context
      if let session = caller.session, let token = caller.cookie, session.wantsExtension {
        try site.sessions.extend(token, now: now)
        context.setCookie("session", token.text, maxAge: session.lifetime)
      }
      if let viewer = context.viewer, viewer.timeZone == nil, let reported = context.browserTimeZone
      {
        // The browser sends it again with the next request.
        try? timeZones?.storeDetected(reported, of: viewer.id, now: now)
      }
      switch match {
      case .nothing: throw Problem.notFound
      case .otherMethods(let methods):
        let allowed = Set(methods.map(\.rawValue)).sorted().joined(separator: ", ")
        var response = problems.response(to: .methodNotAllowed, context)
        response.headers[.allow] = allowed
        return response
      case .found(let route, _):
        if let operation = route.operation {
          return try api.answer(context, caller, route, operation)
        }
        if let denial = denyAccess(route, context) { return denial }
        try context.admitUnlessSuspended(to: route)
        try readForm(for: route, context)
        return try route.handler(context)
      }
    } catch {
      return failed(error, request, &answer)
    }
  }

  // MARK: Steps

  /// The response to a viewer without access to the route; nil if it admits them.
  func denyAccess(_ route: Route, _ context: Context) -> Response? {
    let role = context.viewer?.role ?? .anyone
    switch route.access {
    case .anyone: return nil
    case .signedOut: return role >= .member ? .seeOther("/") : nil
    case .atLeast(let needed):
      if role >= needed { return nil }
      if role == .anyone {
        if context.request.wantsJSON {
          return problems.response(to: Problem(.unauthorized, "invalid_token"), context)
        }
        // The sign-in page then offers to continue as a guest.
        let guest = needed == .guest && !route.isForStaff ? "&guest=1" : ""
        return .seeOther("/sign-in?next=\(Self.returnPath(context.request))\(guest)")
      }
      // A guest on a member's page can become a member; a viewer with a lower role gets 404.
      return role == .guest && needed == .member
        ? .seeOther("/become-a-member?next=\(Self.returnPath(context.request))")
        : problems.response(to: .notFound, context)
    }
  }

  private static func returnPath(_ request: Request) -> String {
    // After a POST there is no page at that address to return to.
    guard request.method == .get || request.method == .head else { return "/" }
    let whole = request.query.isEmpty ? request.path : "\(request.path)?\(request.query)"
    // A longer path is not accepted as a return path (`Context.safePath`), and nginx rejects such a
    // header.
    let target = Context.safePath(whole) ?? Context.safePath(request.path) ?? "/"
    return target.addingPercentEncoding(
      withAllowedCharacters: .alphanumerics.union(.init(charactersIn: "/-._~")))
      ?? "/"
  }

  private func readForm(for route: Route, _ context: Context) throws {
    let request = context.request
    guard route.method != .get else { return }
    if let length = request.contentLength, length > route.bodyLimit { throw Problem.tooLarge }
    var form = Form(fields: [])
    if !route.options.contains(.rawBody) {
      form = try FormReader(
        folder: site.uploadFolder, route: route
      ).read(request)
      context.setForm(form)
    }
    if route.options.contains(.withoutCSRF) { return }
    let token = request.headers[.csrfToken] ?? form["csrf_token"]
    guard CSRF.isSameOrigin(request, site) else { throw refused(.otherSite, context) }
    guard context.acceptsCSRF(token) else { throw refused(.csrf, context) }
  }

  /// Records a form with a failed CSRF check in the security log.
  private func refused(_ problem: Problem, _ context: Context) -> Problem {
    context.note(.csrfRefused, of: context.viewer.map { .person($0.id) })
    return problem
  }

  private func reloadTemplates() {
    do {
      if try site.templates.reloadIfChanged() { site.logger.info("templates recompiled") }
    } catch {
      site.logger.error("templates: \(error)")
    }
  }

  // MARK: Responses

  private func failed(
    _ error: any Error, _ request: Request, _ answer: inout Outcome
  ) -> Response {
    let problem: Problem
    switch error {
    case let known as Problem: problem = known
    case StorageError.busy: problem = .busy()
    case StorageError.unavailable:
      answer.errors.append("\(error)")
      problem = .busy()
    case StorageError.uncertain:
      answer.errors.append("\(error)")
      problem = .uncertain
    // The store has logged why.
    case MediaError.unavailable: problem = .busy()
    case StorageError.full: problem = Self.full(request)
    case let failure as any DiskError where failure.isFull: problem = Self.full(request)
    case let failure as CocoaError where failure.code == .fileWriteOutOfSpace:
      problem = Self.full(request)
    default:
      answer.errors.append("\(error)")
      problem = .internalError
    }
    let context =
      answer.context
      ?? Context(
        site: site, csrf: csrf, request: request, parameters: [:], now: site.clock.now(),
        caller: request.isAPI ? .anonymous : Principal())
    return problems.response(to: problem, context, options: answer.options)
  }

  /// 507. Programs get a `Retry-After`; people read that the operator has to free space.
  private static func full(_ request: Request) -> Problem {
    request.wantsJSON ? .diskFull(retryAfter: 60) : .diskFull()
  }

  private func finished(_ response: Response, _ answer: Outcome) -> Response {
    var response = response
    for cookie in answer.context?.setCookies ?? [] { response.add(.setCookie, cookie) }
    SecurityHeaders.add(
      to: &response, options: answer.options, isForViewer: answer.context?.viewer != nil,
      isSecure: site.baseURL.hasPrefix("https:"), tiles: site.tiles, mediaURL: site.mediaURL)
    return response
  }
}
