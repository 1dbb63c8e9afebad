import HTTPTypes
import Secrets

/// The token that shows that a change was asked for on one of our own pages (operations.md,
/// "Keeping people safe").
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
  public static func comesFromUs(_ headers: HTTPFields, isSecure: Bool) -> Bool {
    if let site = headers[.fetchSite] { return site == "same-origin" || site == "none" }
    guard let origin = headers[.origin] else { return true }
    guard let host = headers[.host] else { return false }
    return origin == "\(isSecure ? "https" : "http")://\(host)"
  }

  private func secret(for cookie: Token) -> [UInt8] {
    Digests.hmac(cookie.bytes, key: key)
  }

  private static func combine(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
    zip(left, right).map { $0 ^ $1 }
  }
}
