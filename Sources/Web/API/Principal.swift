import Core
import HTTPTypes
import Secrets

/// The caller of a request, and how they were authenticated.
struct Principal {
  /// The session of the cookie.
  var session: Session?
  /// The cookie's secret, if its session exists.
  var cookie: Token?
  /// The grant of an access token; then no cookie is used.
  var access: AccessGrant?
  /// Whether cookies are used in this request at all.
  var readsCookies = true

  var viewer: Viewer? { access?.viewer ?? session?.viewer }

  static let anonymous = Principal(readsCookies: false)

  /// Finds the caller. Throws 401 for an invalid token, where tokens are used and the route needs a
  /// valid one.
  static func find(
    _ request: Request, for route: Route?, site: AppEnvironment, now: Instant
  ) throws -> Principal {
    if route?.options.contains(.withoutViewer) == true { return .anonymous }
    if request.takesTokens, let token = request.bearerToken {
      // An unknown address is 404 for any token.
      guard let route else { return .anonymous }
      do {
        return Principal(access: try site.access.find(token, now: now), readsCookies: false)
      } catch let problem as Problem
        where problem.status == .unauthorized && route.options.contains(.anyToken)
      {
        return .anonymous
      }
    }
    let cookies = Cookies(header: request.headers[.cookie], style: site.cookieStyle)
    guard let token = cookies["session"].flatMap({ Token($0) }),
      let session = try site.sessions.find(token, now: now)
    else { return Principal() }
    return Principal(session: session, cookie: token)
  }
}

extension Request {
  /// Whether this is an address of the API.
  public var isAPI: Bool { path.hasPrefix("/api/") }

  /// Whether access tokens are accepted: for the API, and for the pictures that it names.
  var takesTokens: Bool { isAPI || path.hasPrefix("/media/") }

  /// The token of `Authorization: Bearer` (RFC 6750, section 2.1); nil for other schemes.
  public var bearerToken: String? {
    guard let value = headers[.authorization] else { return nil }
    // By bytes, since tokens are long.
    let space = UInt8(ascii: " ")
    let parts = value.utf8.split(separator: space, maxSplits: 1)
    guard let scheme = parts.first, Substring(scheme).lowercased() == "bearer" else { return nil }
    guard parts.count == 2 else { return "" }
    var token = parts[1].drop { $0 == space }
    while token.last == space { token.removeLast() }
    return String(Substring(token))
  }
}
