import HTTPTypes

/// The security headers of every response (docs/developer/web-security.md).
public enum SecurityHeaders {
  private static func contentSecurityPolicy(tiles: TileServer?, mediaURL: String?) -> String {
    let origins = [tiles?.origin, mediaURL].compactMap(\.self)
    if origins.isEmpty { return ownPolicy }
    return ownPolicy.replacing(
      ownPictures, with: "\(ownPictures) \(origins.joined(separator: " "))")
  }

  private static let ownPictures = "img-src 'self' blob:"
  private static let ownPolicy = [
    "default-src 'self'", ownPictures, "media-src 'self' blob:", "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'", "form-action 'self'", "frame-ancestors 'none'", "object-src 'none'",
    "base-uri 'none'",
  ].joined(separator: "; ")

  /// HSTS, for https: browsers use only https for a year (ASVS 3.4.1). nginx sends the same with
  /// the files that it serves.
  public static let strictTransport = "max-age=31536000; includeSubDomains"

  /// The policy of private files; nginx has the same.
  static let filePolicy = "sandbox; default-src 'none'; frame-ancestors 'none'"

  /// Adds the headers that nginx sends with a file, for a file sent without nginx.
  public static func addToFile(_ response: inout Response, isSecure: Bool) {
    response.headers[.contentSecurityPolicy] = filePolicy
    response.headers[.xContentTypeOptions] = "nosniff"
    response.headers[.referrerPolicy] = "same-origin"
    if isSecure { response.headers[.strictTransportSecurity] = strictTransport }
  }

  /// `isForViewer`: the response was made for a signed-in viewer; `isSecure`: the base URL is
  /// https.
  static func add(
    to response: inout Response, options: Route.Options, isForViewer: Bool = false,
    isSecure: Bool = false, tiles: TileServer?, mediaURL: String? = nil
  ) {
    // A file that nginx sends gets its headers there, once.
    if response.headers[.accelRedirect] != nil { return }
    let isPage = response.headers[.contentType]?.hasPrefix("text/html") == true
    if response.headers[.contentSecurityPolicy] == nil {
      response.headers[.contentSecurityPolicy] = contentSecurityPolicy(
        tiles: tiles, mediaURL: mediaURL)
    }
    response.headers[.xContentTypeOptions] = "nosniff"
    response.headers[.referrerPolicy] = "same-origin"
    if isSecure {
      response.headers[.strictTransportSecurity] = strictTransport
    }
    if isPage {
      // Bluetooth is for this site only anyway, and browsers without it complain about its name.
      response.headers[.permissionsPolicy] = "geolocation=(self), camera=(self), microphone=(self)"
    }
    if options.contains(.noStore) {
      response.headers[.cacheControl] = "no-store"
    } else if response.headers[.cacheControl] == nil {
      response.headers[.cacheControl] = isForViewer ? "private, no-store" : "private, no-cache"
    }
  }
}
