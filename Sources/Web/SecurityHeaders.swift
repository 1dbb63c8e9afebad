import HTTPTypes

/// What every answer tells the browser about what it may do (operations.md, "Keeping people safe").
enum SecurityHeaders {
  private static func contentSecurityPolicy(tiles: TileServer?) -> String {
    guard let tiles else { return ownPolicy }
    return ownPolicy.replacing(ownPictures, with: "\(ownPictures) \(tiles.origin)")
  }

  private static let ownPictures = "img-src 'self' blob:"
  private static let ownPolicy = [
    "default-src 'self'", ownPictures, "script-src 'self'", "style-src 'self'",
    "connect-src 'self'", "form-action 'self'", "frame-ancestors 'none'", "object-src 'none'",
    "base-uri 'none'",
  ].joined(separator: "; ")

  static func add(to response: inout Response, options: Route.Options, tiles: TileServer?) {
    // A file that nginx sends gets its headers there, once.
    if response.headers[.accelRedirect] != nil { return }
    let isPage = response.headers[.contentType]?.hasPrefix("text/html") == true
    if response.headers[.contentSecurityPolicy] == nil {
      response.headers[.contentSecurityPolicy] = contentSecurityPolicy(tiles: tiles)
    }
    response.headers[.xContentTypeOptions] = "nosniff"
    response.headers[.referrerPolicy] = "same-origin"
    if isPage {
      response.headers[.permissionsPolicy] = "geolocation=(self), bluetooth=(self), camera=(self)"
    }
    if options.contains(.noStore) {
      response.headers[.cacheControl] = "no-store"
    } else if response.headers[.cacheControl] == nil {
      response.headers[.cacheControl] = "private, no-cache"
    }
  }
}
