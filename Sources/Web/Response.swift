import Core
import HTTPTypes
import Media

/// A response, whole in memory: pages are small, and nginx sends the files that are not encrypted.
public struct Response {
  public var status: HTTPResponse.Status
  public var headers: HTTPFields
  public var body: [UInt8]

  public init(_ status: HTTPResponse.Status, headers: HTTPFields = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// A page.
  public static func html(_ body: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
    Response(status, headers: [.contentType: "text/html; charset=utf-8"], body: body)
  }

  /// A short text.
  public static func text(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
    Response(status, headers: [.contentType: "text/plain; charset=utf-8"], body: Array(text.utf8))
  }

  /// Encoded JSON.
  public static func json(_ body: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
    Response(status, headers: [.contentType: "application/json"], body: body)
  }

  /// A redirect (303): the response to every form that succeeded.
  public static func seeOther(_ path: String) -> Response {
    Response(.seeOther, headers: [.location: path])
  }

  public static func noContent() -> Response { Response(.noContent) }

  /// The internal nginx location of the media folder.
  public static let mediaLocation = MediaFolder.location

  /// Has nginx send a file below the media folder (docs/developer/architecture.md).
  public static func protectedFile(
    _ path: String, contentType: String, cacheControl: String
  ) -> Response {
    protectedFile(
      at: mediaLocation + path, contentType: contentType, cacheControl: cacheControl)
  }

  /// Has nginx send a file from an internal location (`MediaStore.location`).
  public static func protectedFile(
    at location: String, contentType: String, cacheControl: String
  ) -> Response {
    var headers: HTTPFields = [.contentType: contentType, .cacheControl: cacheControl]
    headers[.accelRedirect] = location
    return Response(.ok, headers: headers)
  }

  /// Has nginx keep the browser's connection open as a live stream of `path` (Live).
  public static func liveStream(_ path: String) -> Response {
    Response(.ok, headers: [.accelRedirect: path])
  }

  /// Adds a header, keeping those of the same name.
  public mutating func add(_ name: HTTPField.Name, _ value: String) {
    headers.append(HTTPField(name: name, value: value))
  }
}

extension HTTPField.Name {
  private static func known(_ name: String) -> HTTPField.Name {
    HTTPField.Name(name) ?? .server
  }

  public static let accelRedirect = known("X-Accel-Redirect")
  static let turnedStatus = known("X-Turned-Status")
  static let turnedTo = known("X-Turned-To")
  public static let requestID = known("X-Request-Id")
  public static let idempotencyKey = known("Idempotency-Key")
  public static let csrfToken = known("X-CSRF-Token")
  public static let forwardedFor = known("X-Forwarded-For")
  public static let fetchSite = known("Sec-Fetch-Site")
  public static let fetchDestination = known("Sec-Fetch-Dest")
  public static let referrerPolicy = known("Referrer-Policy")
  public static let permissionsPolicy = known("Permissions-Policy")
  public static let clearSiteData = known("Clear-Site-Data")
  public static let frameOptions = known("X-Frame-Options")
  public static let host = known("Host")
}

extension HTTPResponse.Status {
  /// 421 (RFC 9110, section 15.5.20), which the type doesn't name.
  public static let misdirected = HTTPResponse.Status(
    code: 421, reasonPhrase: "Misdirected Request")
}
