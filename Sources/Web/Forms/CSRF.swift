import HTTPTypes
import Secrets

/// The token that shows that a change was asked for on one of our own pages
/// (docs/developer/web-security.md).
///
/// It is derived from the cookie of the session (or the pre-session), so nothing is stored, and
/// masked anew in each answer, so that compression leaks nothing of it.
public struct CSRF: Sendable {
  private let key: [UInt8]

  public init(keys: KeyRing) {
    key = keys.derivedKey(purpose: "csrf")
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

  /// Whether the browser says that the request comes from one of our own pages. With neither
  /// header there is nothing to say, and the token alone decides.
  ///
  /// Behind a proxy that ends TLS the connection says http where the browser says https, so `Origin`
  /// is compared with the base URL; only the other names of this machine in development have no more
  /// to go by than their connection.
  static func comesFromUs(_ request: Request, _ site: AppEnvironment) -> Bool {
    if let origin = request.headers[.fetchSite] { return ["same-origin", "none"].contains(origin) }
    guard let origin = request.headers[.origin] else { return true }
    guard let host = request.headers[.host]?.lowercased() else { return false }
    if host == site.host { return origin == site.baseURL }
    return origin == "\(request.isSecure ? "https" : "http")://\(host)"
  }

  /// Whether the browser says that one of our own pages sent the request. Unlike `comesFromUs`,
  /// saying nothing is not enough.
  static func isKnownToComeFromUs(_ request: Request, _ site: AppEnvironment) -> Bool {
    (request.headers[.fetchSite] != nil || request.headers[.origin] != nil)
      && comesFromUs(request, site)
  }

  private func secret(for cookie: Token) -> [UInt8] {
    Digests.hmac(cookie.bytes, key: key)
  }

  private static func combine(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
    zip(left, right).map { $0 ^ $1 }
  }
}
