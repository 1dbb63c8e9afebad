import Core
import HTTPTypes

/// What answers a request.
public typealias Handler = @Sendable (Request, Context) throws -> Response

/// One line of the table of routes: who may do what under which address.
public struct Route: Sendable {
  /// Who may come in. What somebody may not see is 404 in the store; this is the door.
  public enum Access: Sendable {
    /// Everybody.
    case anyone
    /// People without an account, and guests; members are sent to `/`.
    case signedOut
    /// Everybody with an account of some kind, from that role up.
    case atLeast(Role)
  }

  /// Departures from what all routes do.
  public struct Options: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The answer holds a secret: no cache keeps it, the back button's included.
    public static let noStore = Options(rawValue: 1)
    /// Called by others than our pages: no CSRF token (docs/operator/README.md lists which).
    public static let withoutCSRF = Options(rawValue: 2)
    /// Reads its body itself; the token then comes by header.
    public static let rawBody = Options(rawValue: 4)
    /// Asks nobody who they are: neither a cookie nor an access token counts, so a call of the API
    /// needs no CSRF token (another site's page is refused all the same), and may read
    /// `Authorization` itself. For signing in and the like.
    public static let withoutViewer = Options(rawValue: 8)
    /// Makes something, and so takes an `Idempotency-Key`: for calls of who is signed in, whose
    /// answers hold no secret. A `Problem` that the handler throws means that nothing was made, so
    /// it throws none behind its change.
    public static let idempotent = Options(rawValue: 16)
    /// A call of the API that reads an object may come without one, which is an empty one.
    public static let emptyBody = Options(rawValue: 32)
    /// An access token that is no good, or too old, shows nobody instead of being refused: for
    /// signing out, where the body may say who it was.
    public static let anyToken = Options(rawValue: 64)
    /// What somebody suspended may not do: they are told why and until when
    /// (docs/developer/moderation.md).
    public static let closedToSuspended = Options(rawValue: 128)
    /// Answers who asks on this machine by a loopback address and through no proxy, in production
    /// too: for programs that watch over this instance (`Request.isFromThisMachine`).
    public static let asOnThisMachine = Options(rawValue: 256)
    /// Changes who is written to in an emergency: a form with an old token isn't offered again.
    public static let withoutKeptForm = Options(rawValue: 512)
    /// Its form has fields of several lines, which may be long (`FieldLimits.paragraphs`).
    public static let paragraphs = Options(rawValue: 1024)
  }

  public let method: HTTPRequest.Method
  /// "/posts/:id/like"; a segment that begins with a colon is a parameter, which may have a fixed
  /// end: "/workouts/:id.csv".
  public let pattern: String
  public let access: Access
  public let options: Options
  /// Bytes of a body at most.
  public let bodyLimit: Int
  /// How much a form's files may hold.
  public let files: MultipartLimits
  /// What a call of the API does, for its document; nil for pages.
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

  /// Whether only moderators and admins have business here.
  var isForStaff: Bool {
    if case .atLeast(let role) = access, role >= .moderator { return true }
    return pattern == "/admin" || pattern.hasPrefix("/admin/")
  }

  /// The name in logs and metrics: never what stood in the path.
  public var name: String { "\(method.rawValue) \(pattern)" }
}
