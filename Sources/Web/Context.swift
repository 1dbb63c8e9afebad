import Core
import Foundation
import HTTPTypes
import Secrets
import Templates

/// What is known about a request besides the request: who asks, in which language, at what time.
/// Lives on one thread for as long as the request does.
public final class Context {
  public let site: AppEnvironment
  /// The one moment of this request: rules are given it, nobody asks again.
  public let now: Instant
  public let viewer: Viewer?
  public private(set) var language: Language
  public let theme: Theme
  /// The address that limits count by.
  public let address: String
  public let cookies: Cookies
  /// What the pattern of the route found in the path.
  public let parameters: [String: String]
  public let path: String
  public let requestID: String
  /// What the browser or app calls itself, "" when it says nothing.
  public let userAgent: String
  /// What stands behind `Authorization: Bearer`, whatever it is worth.
  public let bearerToken: String?
  /// The cookie that the CSRF token hangs on: the session's, or a pre-session's.
  private(set) var anchor: Token?
  private let csrf: CSRF
  /// Whether the reader or their browser asked for a language.
  private let asksForLanguage: Bool
  private var newCookies: [String] = []
  private var parsedForm: Form?
  /// The sign-in that the access token of this request came of; nil for who came by a cookie.
  public let tokenFamily: ID<TokenFamily>?
  /// What the log is told once this request is answered.
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
    let asked =
      viewer?.language ?? cookies["language"].flatMap(Language.init(rawValue:))
      ?? request.headers[.acceptLanguage].flatMap(Language.init(accepting:))
    asksForLanguage = asked != nil
    language = asked ?? site.defaultLanguage
    theme = viewer?.theme ?? cookies["theme"].flatMap(Theme.init(rawValue:)) ?? .auto
    anchor = caller.cookie ?? cookies["pre"].flatMap { Token($0) }
  }

  /// The zone in which this viewer sees times.
  public var timeZone: TimeZone { personTimeZone.zone }

  /// The zone of this viewer, and how it is known.
  public private(set) lazy var personTimeZone = PersonTimeZone(
    kept: viewer?.timeZone, browser: browserTimeZone, site: site.defaultTimeZone)

  /// The zone that the browser says it is in; nil when it says none, or one that is unknown here.
  public private(set) lazy var browserTimeZone: String? =
    browserTimeZoneCookie?.removingPercentEncoding.flatMap { TimeZone(named: $0) == nil ? nil : $0 }

  /// Whether the browser hasn't been asked yet where it is: scripts do that, and then tell it in a
  /// cookie.
  public var isTimeZoneUntold: Bool {
    personTimeZone.source == .site && browserTimeZoneCookie == nil
  }

  private var browserTimeZoneCookie: String? { cookies.value(named: "tz") }

  /// Speaks this language instead of the instance's to a reader who asked for none: a page behind a
  /// link in a letter goes on in the letter's.
  public func fallBack(to other: Language) {
    if !asksForLanguage { language = other }
  }

  /// The viewer, for routes that let nobody else in. Throws 401 all the same.
  public func signedIn() throws -> Viewer {
    guard let viewer else { throw Problem(.unauthorized, "invalid_token") }
    return viewer
  }

  /// An identifier from the path; one that is none belongs to nothing.
  public func id<Kind>(_ name: String = "id", _: Kind.Type = Kind.self) throws -> ID<Kind> {
    guard let id = parameters[name].flatMap({ ID<Kind>($0) }) else { throw Problem.notFound }
    return id
  }

  /// A text of the catalogues in the reader's language.
  public func text(
    _ key: String, _ parameters: [String: String] = [:], count: Int? = nil
  ) -> String {
    site.catalogues.text(key, in: language, parameters, count: count)
  }

  /// Tells whoever runs the instance that something went wrong in this request, although it is
  /// answered: a line of the log with the request's id, its route and the status of the answer.
  public func noteError(_ words: String) { errors.append(words) }

  /// Writes a security event to its log once this request is answered.
  public func note(_ event: SecurityEvent, of subject: SecuritySubject? = nil) {
    securityEvents.append((event, subject))
  }

  // MARK: Cookies

  /// Sets one of our cookies for `maxAge` s; 0 deletes it.
  public func setCookie(_ name: String, _ value: String, maxAge: Int64) {
    newCookies.append(Cookies.set(name, value, maxAge: maxAge, style: site.cookieStyle))
  }

  /// Signs a person in on this browser: from now on the session's cookie counts.
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

  /// Words for the next page that this browser opens: the key of a text.
  public func say(_ textKey: String) {
    setCookie("toast", textKey, maxAge: 60)
  }

  /// What the last page left to say, once.
  public func takeToast() -> String? {
    guard let key = cookies["toast"] else { return nil }
    setCookie("toast", "", maxAge: 0)
    // A cookie is not ours to trust: only keys made for this are looked up.
    return key.hasPrefix("toast.") && site.catalogues.contains(key) ? text(key) : nil
  }

  /// Every `Set-Cookie` of this answer.
  var setCookies: [String] { newCookies }

  // MARK: CSRF

  /// A fresh token for a form; somebody without a session gets a pre-session to hang it on.
  public func csrfToken() -> String {
    csrf.token(for: currentAnchor())
  }

  func acceptsCSRF(_ token: String) -> Bool {
    anchor.map { csrf.accepts(token, for: $0) } ?? false
  }

  /// The pre-session's secret, for what a browser without an account is doing (registering).
  public func currentAnchor() -> Token {
    if let anchor { return anchor }
    let token = Token.random()
    anchor = token
    setCookie("pre", token.text, maxAge: .days(1))
    return token
  }

  // MARK: Form

  /// The form that the router read and checked before the handler ran.
  public var form: Form { parsedForm ?? Form(fields: []) }

  func setForm(_ form: Form) {
    parsedForm = form
  }

  func setJSONBody(_ body: [UInt8]) {
    jsonBody = body
  }

  /// Where to go after a small form: a path of ours that the form named, else `/`.
  public func next(_ fallback: String = "/") -> String {
    Self.safePath(form["next"]) ?? fallback
  }

  /// Only relative paths: never another host, nor "//host" or "/\host".
  public static func safePath(_ text: String?) -> String? {
    guard let text, text.hasPrefix("/"), !text.hasPrefix("//"), text.utf8.count <= 2000,
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
    else { return nil }
    return text
  }
}
