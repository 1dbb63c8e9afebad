import Core
import HTTPTypes

/// Handles an API call, from authentication to the response: like a page's request, but with
/// statuses instead of redirects, and bodies in JSON.
struct APIPipeline: Sendable {
  private let site: AppEnvironment
  private let idempotency: Idempotency

  init(site: AppEnvironment) {
    self.site = site
    idempotency = Idempotency(site: site)
  }

  func answer(
    _ context: Context, _ caller: Principal, _ route: Route, _ operation: Operation
  ) throws -> Response {
    try admit(caller, to: route)
    try context.admitUnlessSuspended(to: route)
    try checkCSRF(context, caller, route)
    try readBody(context, route, operation)
    let response =
      if route.options.contains(.idempotent), let key = context.request.headers[.idempotencyKey] {
        try idempotency.answer(key, context) { try route.handler(context) }
      } else {
        try route.handler(context)
      }
    return EntityTags.answer(response, to: context.request, options: route.options)
  }

  /// Throws 401 for a caller without an account; 403 for a guest on a member's route and for a
  /// member on a signed-out route; 404 for a guest or member on a staff route.
  func admit(_ caller: Principal, to route: Route) throws {
    let role = caller.viewer?.role ?? .anyone
    switch route.access {
    case .anyone: return
    case .signedOut:
      if role >= .member { throw Problem(.forbidden) }
    case .atLeast(let needed):
      if role >= needed { return }
      if role == .anyone { throw Problem(.invalidToken) }
      throw needed == .member ? Problem(.forbidden) : Problem(.notFound)
    }
  }

  /// A browser sends its cookies with requests of other sites too; an access token is only sent on
  /// purpose. Calls that don't identify the viewer have no cookie to misuse, but another site's
  /// form could use up the rate limits of a visitor's address.
  private func checkCSRF(_ context: Context, _ caller: Principal, _ route: Route) throws {
    guard route.method != .get, !route.options.contains(.withoutCSRF) else { return }
    let isSameOrigin = CSRF.isSameOrigin(context.request, site)
    if route.options.contains(.withoutViewer) {
      guard isSameOrigin else { throw refused(context) }
      return
    }
    guard caller.session != nil else { return }
    guard isSameOrigin, context.acceptsCSRF(context.request.headers[.csrfToken] ?? "") else {
      throw refused(context)
    }
  }

  private func refused(_ context: Context) -> Problem {
    context.note(.csrfRefused, of: context.viewer.map { .person($0.id) })
    return .csrf
  }

  private func readBody(
    _ context: Context, _ route: Route, _ operation: Operation
  ) throws {
    let request = context.request
    guard route.method != .get, !route.options.contains(.rawBody) else { return }
    if let length = request.contentLength, length > route.bodyLimit { throw Problem.tooLarge }
    let type = request.mediaType
    switch operation.input {
    case .nothing, .query:
      // The body is not used, but the web server expects it to be read.
      _ = try request.wholeBody(limit: route.bodyLimit)
    case .json:
      let body = try request.wholeBody(limit: route.bodyLimit)
      if body.isEmpty, route.options.contains(.emptyBody) {
        return context.setJSONBody(Array("{}".utf8))
      }
      if body.isEmpty { throw Problem(.invalidJSON) }
      guard type == "application/json" else { throw Problem(.unsupportedFormat) }
      context.setJSONBody(body)
    case .form(let parts):
      guard type == "multipart/form-data" else { throw Problem(.unsupportedFormat) }
      context.setForm(
        try FormReader(folder: site.uploadFolder, route: route).read(request))
      try checkChoices(parts, in: context.form)
    }
  }

  /// Accepts only the choices that the API document lists for a part.
  private func checkChoices(_ parts: [Operation.Part], in form: Form) throws {
    var errors: [String: FieldError] = [:]
    for part in parts {
      guard case .choice(let choices) = part.kind else { continue }
      if form.all(part.name).contains(where: { !choices.contains($0) }) {
        errors[part.name] = FieldError(
          "api.field_choice", ["choices": choices.joined(separator: ", ")])
      }
    }
    if !errors.isEmpty { throw Problem.invalid(errors) }
  }
}

extension Request {
  /// The media type of the body, in lower case without parameters.
  var mediaType: String {
    let value = headers[.contentType]?.split(separator: ";").first ?? ""
    return value.lowercased().filter { $0 != " " && $0 != "\t" }
  }
}
