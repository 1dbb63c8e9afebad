import Core
import Foundation
import HTTPTypes
import Secrets
import Templates

/// A request and its facts: viewer, language, time. Used on one thread, as long as the request
/// lasts.
public final class Context {
  public let site: AppEnvironment
  public let request: Request
  /// The time of this request. Rules get it as a parameter and never read a clock.
  public let now: Instant
  public let viewer: Viewer?
  public private(set) var language: Language
  public let theme: Theme
  /// The address that rate limits count by.
  public let address: String
  public let cookies: Cookies
  /// The path parameters of the route's pattern.
  public let parameters: [String: String]
  public let path: String
  public let requestID: String
  /// The `User-Agent` of the browser or app, "" if there is none.
  public let userAgent: String
  /// The token of `Authorization: Bearer`, not validated.
  public let bearerToken: String?
  /// The cookie that the CSRF token is bound to: the session's, or a pre-session's.
  private(set) var anchor: Token?
  private let csrf: CSRF
  /// Whether the viewer or their browser asked for a language.
  private let asksForLanguage: Bool
  private var newCookies: [String] = []
  private var parsedForm: Form?
  /// The unread counts, if a page read them with its content.
  var readCounts: UnreadCounts?
  /// The token family of the request's access token; nil for a request with a cookie.
  public let tokenFamily: ID<TokenFamily>?
  /// The errors to log once this request is answered.
  private(set) var errors: [String] = []
  private(set) var securityEvents: [(event: SecurityEvent, subject: SecuritySubject?)] = []
  /// The body of a call that reads JSON, not parsed yet.
  private(set) var jsonBody: [UInt8] = []

  init(
    site: AppEnvironment, csrf: CSRF, request: Request, parameters: [String: String], now: Instant,
    caller: Principal
  ) {
    self.site = site
    self.csrf = csrf
    self.request = request
    self.now = now
    self.parameters = parameters
    path = request.path
    requestID = request.id
    userAgent = request.headers[.userAgent] ?? ""
    bearerToken = request.bearerToken
    viewer = caller.viewer
    tokenFamily = caller.access?.family
    cookies = Cookies(
      header: caller.readsCookies ? request.headers[.cookie] : nil, style: site.cookieStyle)
    address = TrustedProxies.limitKey(
      site.trustedProxies.client(peer: request.peer, forwardedFor: request.headers[.forwardedFor]))
    let requested =
      viewer?.language ?? cookies["language"].flatMap(Language.init(rawValue:))
      ?? request.headers[.acceptLanguage].flatMap(Language.init(accepting:))
    asksForLanguage = requested != nil
    language = requested ?? site.defaultLanguage
    theme = viewer?.theme ?? cookies["theme"].flatMap(Theme.init(rawValue:)) ?? .auto
    anchor = caller.cookie ?? cookies["pre"].flatMap { Token($0) }
  }

  /// The zone in which this viewer sees times.
  public var timeZone: TimeZone { personTimeZone.zone }

  /// Today in that zone.
  public private(set) lazy var today = LocalDay(now, in: timeZone)

  /// The zone of this viewer and its source.
  public private(set) lazy var personTimeZone = PersonTimeZone(
    kept: viewer?.timeZone, browser: browserTimeZone, site: site.defaultTimeZone)

  /// The zone that the browser reports; nil if it reports none, or an unknown one.
  public private(set) lazy var browserTimeZone: String? =
    browserTimeZoneCookie?.removingPercentEncoding.flatMap { TimeZone(named: $0) == nil ? nil : $0 }

  /// Whether the browser hasn't reported its zone yet: scripts do so in a cookie.
  public var isTimeZoneUnknown: Bool {
    personTimeZone.source == .site && browserTimeZoneCookie == nil
  }

  private var browserTimeZoneCookie: String? { cookies.value(named: "tz") }

  /// Switches to another language if the viewer asked for none: a page behind a link in a mail uses
  /// the mail's language.
  public func fallBack(to other: Language) {
    if !asksForLanguage { language = other }
  }

  /// The viewer, for routes that require one. Throws 401 if there is none.
  public func signedIn() throws -> Viewer {
    guard let viewer else { throw Problem(.unauthorized, "invalid_token") }
    return viewer
  }

  /// An identifier from the path. Throws 404 if it is malformed.
  public func id<Kind>(_ name: String = "id", _: Kind.Type = Kind.self) throws -> ID<Kind> {
    guard let id = parameters[name].flatMap({ ID<Kind>($0) }) else { throw Problem.notFound }
    return id
  }

  /// A text of the catalogues in the viewer's language.
  public func text(
    _ key: String, _ parameters: [String: String] = [:], count: Int? = nil
  ) -> String {
    site.catalogues.text(key, in: language, parameters, count: count)
  }

  /// Logs an error of a request that is answered all the same: one line with the request's id, its
  /// route and the status of the response.
  public func noteError(_ message: String) { errors.append(message) }

  /// Records a security event, which is logged once this request is answered.
  public func note(_ event: SecurityEvent, of subject: SecuritySubject? = nil) {
    securityEvents.append((event, subject))
  }

  // MARK: Cookies

  /// Sets one of the instance's cookies for `maxAge` s; 0 deletes it.
  public func setCookie(_ name: String, _ value: String, maxAge: Int64) {
    newCookies.append(Cookies.set(name, value, maxAge: maxAge, style: site.cookieStyle))
  }

  /// Signs a person in on this browser and binds CSRF tokens to the new session.
  public func startSession(_ token: Token, lifetime: Int64) {
    setCookie("session", token.text, maxAge: lifetime)
    if cookies["pre"] != nil { setCookie("pre", "", maxAge: 0) }
    anchor = token
  }

  /// Signs out on this browser.
  public func endSession() {
    setCookie("session", "", maxAge: 0)
    anchor = nil
  }

  /// Sets the message of the next page that this browser opens: the key of a text, the `name` in it,
  /// and perhaps a path of this site with the key of its link's text. The text of a path that ends
  /// in "/undo" is a button.
  public func flash(
    _ textKey: String, name: String = "", link: (path: String, textKey: String)? = nil
  ) {
    var value = link.map { "\(textKey)~\($0.textKey)~\($0.path)" } ?? textKey
    if !name.isEmpty {
      let name = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      value += link == nil ? "~~~\(name)" : "~\(name)"
    }
    setCookie("toast", value, maxAge: 60)
  }

  /// The message that the last page set, shown once.
  func takeToast() -> Toast? {
    guard let value = cookies["toast"] else { return nil }
    setCookie("toast", "", maxAge: 0)
    return Toast(value, self)
  }

  /// Every `Set-Cookie` of this response.
  var setCookies: [String] { newCookies }

  // MARK: CSRF

  /// A fresh CSRF token for a form; a viewer without a session gets a pre-session for it.
  public func csrfToken() -> String {
    csrf.token(for: currentAnchor())
  }

  func acceptsCSRF(_ token: String) -> Bool {
    anchor.map { csrf.accepts(token, for: $0) } ?? false
  }

  /// The secret of the session or pre-session, for what a browser without an account does
  /// (registering).
  public func currentAnchor() -> Token {
    if let anchor { return anchor }
    let token = Token.random()
    anchor = token
    setCookie("pre", token.text, maxAge: .days(1))
    return token
  }

  // MARK: Form

  /// The form, read and checked before the handler ran.
  public var form: Form { parsedForm ?? Form(fields: []) }

  func setForm(_ form: Form) {
    parsedForm = form
  }

  func setJSONBody(_ body: [UInt8]) {
    jsonBody = body
  }

  /// The path to go to after a small form: a safe path named by the form, else `/`.
  public func next(_ fallback: String = "/") -> String {
    Self.safePath(form["next"]) ?? fallback
  }

  /// The text if it is a relative path: never another host, nor "//host" or "/\host".
  public static func safePath(_ text: String?) -> String? {
    guard let text, text.hasPrefix("/"), !text.hasPrefix("//"), text.utf8.count <= 2000,
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
    else { return nil }
    return text
  }
}
