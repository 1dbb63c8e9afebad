import Core
import HTTPTypes

/// A function that answers a request.
public typealias Handler = @Sendable (Context) throws -> Response

/// One line of the table of routes: method, path pattern, access and handler.
public struct Route: Sendable {
  /// The roles that may use the route. Single things that a viewer may not see are 404 in the
  /// store.
  public enum Access: Sendable {
    /// All viewers, signed in or not.
    case anyone
    /// Viewers without an account, and guests; members are redirected to `/`.
    case signedOut
    /// All viewers with an account of at least this role.
    case atLeast(Role)
  }

  /// Deviations from the defaults of all routes.
  public struct Options: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The response holds a secret: no cache keeps it, the back button's included.
    public static let noStore = Options(rawValue: 1)
    /// Called by other programs than this site's pages: no CSRF token (docs/operator/README.md
    /// lists which).
    public static let withoutCSRF = Options(rawValue: 2)
    /// Reads its body itself; the token then comes in a header.
    public static let rawBody = Options(rawValue: 4)
    /// Doesn't identify the viewer: neither a cookie nor an access token is used. So an API call
    /// needs no CSRF token (another site's page is rejected all the same) and may read
    /// `Authorization` itself. For signing in and the like.
    public static let withoutViewer = Options(rawValue: 8)
    /// Creates something, and so takes an `Idempotency-Key`: for calls of signed-in callers whose
    /// responses hold no secret. A `Problem` that the handler throws means that nothing was
    /// changed, so the handler throws none after its change.
    public static let idempotent = Options(rawValue: 16)
    /// The body of an API call that reads an object may be empty, which means an empty object.
    public static let emptyBody = Options(rawValue: 32)
    /// An invalid or expired access token means no viewer instead of 401: for signing out, where
    /// the body may name the token.
    public static let anyToken = Options(rawValue: 64)
    /// Closed to suspended users: they get the reason and the end of the suspension
    /// (docs/developer/moderation.md).
    public static let closedToSuspended = Options(rawValue: 128)
    /// Accepts a loopback name from this machine without a proxy, in production too: for programs
    /// that monitor this instance (`Request.isFromThisMachine`).
    public static let asOnThisMachine = Options(rawValue: 256)
    /// Changes an emergency contact: a form with an expired token isn't shown again.
    public static let withoutKeptForm = Options(rawValue: 512)
    /// The form has multi-line fields, which may be long (`FieldLimits.paragraphs`).
    public static let paragraphs = Options(rawValue: 1024)
  }

  public let method: HTTPRequest.Method
  /// "/posts/:id/like"; a segment that begins with a colon is a parameter, which may have a fixed
  /// suffix: "/workouts/:id.csv".
  public let pattern: String
  public let access: Access
  public let options: Options
  /// The maximum size of a body, in bytes.
  public let bodyLimit: Int
  /// The limits of a form's files.
  public let files: MultipartLimits
  /// The description of an API call; nil for pages.
  public let operation: Operation?
  public let handler: Handler

  public init(
    _ method: HTTPRequest.Method, _ pattern: String, _ access: Access, options: Options = [],
    bodyLimit: Int = 1 << 20, files: MultipartLimits = .pictures, handler: @escaping Handler
  ) {
    self.init(
      method, pattern, access, options: options, bodyLimit: bodyLimit, files: files,
      operation: nil, handler: handler)
  }

  init(
    _ method: HTTPRequest.Method, _ pattern: String, _ access: Access, options: Options,
    bodyLimit: Int, files: MultipartLimits, operation: Operation?, handler: @escaping Handler
  ) {
    self.method = method
    self.pattern = pattern
    self.access = access
    self.options = options
    self.bodyLimit = bodyLimit
    self.files = files
    self.operation = operation
    self.handler = handler
  }

  /// Whether the route is for moderators and admins only.
  var isForStaff: Bool {
    if case .atLeast(let role) = access, role >= .moderator { return true }
    return pattern == "/admin" || pattern.hasPrefix("/admin/")
  }

  /// The name in logs and metrics; never contains the requested path.
  public var name: String { "\(method.rawValue) \(pattern)" }
}
