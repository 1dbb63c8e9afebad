import HTTPTypes
import Secrets

/// The token that proves that a change was requested from one of this site's pages
/// (docs/developer/web-security.md).
///
/// It is derived from the cookie of the session (or the pre-session), so nothing is stored. Each
/// response masks it differently, so that compression leaks nothing of it.
public struct CSRF: Sendable {
  private let key: HMACKey

  public init(keys: KeyRing) {
    key = HMACKey(keys.derivedKey(purpose: "csrf"))
  }

  /// A fresh masked token for the holder of a cookie: 86 characters.
  public func token(for cookie: Token) -> String {
    let mask = RandomBytes.make(32)
    return Base64URL.text(mask + Self.combine(mask, secret(for: cookie)))
  }

  /// Whether a token was made for the holder of this cookie.
  public func accepts(_ token: String, for cookie: Token) -> Bool {
    guard let bytes = Base64URL.bytes(token), bytes.count == 64 else { return false }
    let unmasked = Self.combine(Array(bytes[..<32]), Array(bytes[32...]))
    return ConstantTime.equal(unmasked, secret(for: cookie))
  }

  /// Whether the browser reports that the request comes from one of this site's pages. Without
  /// either header this is true, and the token alone decides.
  ///
  /// Behind a proxy that terminates TLS the connection is http where the browser reports https, so
  /// `Origin` is compared with the base URL. The machine's other names in development are compared
  /// with their connection.
  static func isSameOrigin(_ request: Request, _ site: AppEnvironment) -> Bool {
    if let origin = request.headers[.fetchSite] { return ["same-origin", "none"].contains(origin) }
    guard let origin = request.headers[.origin] else { return true }
    guard let host = request.headers[.host]?.lowercased() else { return false }
    if host == site.host { return origin == site.baseURL }
    return origin == "\(request.isSecure ? "https" : "http")://\(host)"
  }

  /// Whether the browser reports that one of this site's pages sent the request. Unlike
  /// `isSameOrigin`, this needs one of the headers.
  static func isKnownToComeFromUs(_ request: Request, _ site: AppEnvironment) -> Bool {
    (request.headers[.fetchSite] != nil || request.headers[.origin] != nil)
      && isSameOrigin(request, site)
  }

  private func secret(for cookie: Token) -> [UInt8] {
    key.code(of: cookie.bytes)
  }

  private static func combine(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
    zip(left, right).map { $0 ^ $1 }
  }
}
