import Core
import HTTPTypes

/// An error that ends a request, thrown anywhere and turned into a page or JSON in one place.
public struct Problem: Error {
  public let status: HTTPResponse.Status
  /// The stable code for programs (docs/api/README.md).
  public let code: String
  /// The prefix of the texts for people: `<key>.title` and `<key>.message`.
  public let textKey: String
  /// The errors of single fields, by name.
  public let fields: [String: FieldError]
  /// When to try again, in s.
  public let retryAfter: Int?
  /// The parameters of the texts for people, by name.
  public let parameters: [String: String]

  public init(
    _ status: HTTPResponse.Status, _ code: String, textKey: String? = nil,
    fields: [String: FieldError] = [:], retryAfter: Int? = nil,
    parameters: [String: String] = [:]
  ) {
    self.parameters = parameters
    self.status = status
    self.code = code
    self.textKey = textKey ?? "problem.s\(status.code)"
    self.fields = fields
    self.retryAfter = retryAfter
  }

  public static let notFound = Problem(.notFound, "not_found")
  public static let forbidden = Problem(.forbidden, "forbidden")
  public static let methodNotAllowed = Problem(.methodNotAllowed, "method_not_allowed")
  public static let wrongHost = Problem(.misdirected, "wrong_host")
  public static let badRequest = Problem(.badRequest, "bad_request")
  public static let tooLarge = Problem(.contentTooLarge, "too_large")
  static let tooManyHeaders = Problem(.requestHeaderFieldsTooLarge, "too_many_headers")
  public static let tooManyFields = Problem(.unprocessableContent, "too_many_fields")
  public static let fieldTooLong = Problem(
    .unprocessableContent, "field_too_long", textKey: "problem.field_too_long")
  public static let uriTooLong = Problem(.uriTooLong, "uri_too_long")
  public static let headerTooLong = Problem(.requestHeaderFieldsTooLarge, "header_too_long")
  /// A change without a valid CSRF token.
  public static let csrf = Problem(.forbidden, "csrf")
  /// A form that another site sent.
  public static let otherSite = Problem(.forbidden, "other_site", textKey: "problem.other_site")
  public static let internalError = Problem(.internalServerError, "internal")

  /// 429 with the time to wait, in s.
  public static func tooMany(retryAfter: Int) -> Problem {
    Problem(.tooManyRequests, "rate_limited", retryAfter: max(1, retryAfter))
  }

  /// 503: an internal limit is reached for a moment.
  public static func busy(retryAfter: Int = 5) -> Problem {
    Problem(.serviceUnavailable, "busy", retryAfter: retryAfter)
  }

  /// 503: the connection to the database was lost during a change, which may be stored.
  public static let uncertain = Problem(
    .serviceUnavailable, "uncertain", textKey: "problem.uncertain", retryAfter: 5)

  /// 507: the disk is full. Programs get a `Retry-After`; people read that the operator has to free
  /// space.
  public static func diskFull(
    fields: [String: FieldError] = [:], retryAfter: Int? = nil
  ) -> Problem {
    Problem(.insufficientStorage, "disk_full", fields: fields, retryAfter: retryAfter)
  }
}

extension HTTPResponse.Status {
  /// 507 (RFC 4918, section 11.5), which the type doesn't name.
  public static let insufficientStorage = HTTPResponse.Status(
    code: 507, reasonPhrase: "Insufficient Storage")
}
